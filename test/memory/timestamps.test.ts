import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareTimestamps, parseTimestamp, timestampMs } from '../../src/memory/timestamps.ts';

test.each([
  ['whole seconds in UTC', '2026-04-02T10:00:00Z', '2026-04-02T10:00:00Z'],
  ['a positive offset', '2026-04-20T08:30:00+02:00', '2026-04-20T06:30:00Z'],
  ['a negative offset over midnight', '2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00Z'],
  ['an offset of half an hour with a fraction', '2026-01-01T00:00:00.25+05:30', '2025-12-31T18:30:00.25Z'],
  ['nine fraction digits', '2026-04-21T06:00:00.123456789Z', '2026-04-21T06:00:00.123456789Z'],
  ['trailing zeros of the fraction', '2026-04-21T06:00:00.120000Z', '2026-04-21T06:00:00.12Z'],
  ['a fraction of nothing', '2026-04-21T06:00:00.000Z', '2026-04-21T06:00:00Z'],
  ['no offset', '2026-04-21T06:00:00', '2026-04-21T06:00:00Z'],
  ['a space and small letters', '2026-04-21 06:00:00z', '2026-04-21T06:00:00Z'],
  ['a date', '2026-04-21', '2026-04-21T00:00:00Z'],
  ['no seconds', '2026-04-21T06:00Z', '2026-04-21T06:00:00Z'],
  ['a leap day', '2024-02-29', '2024-02-29T00:00:00Z'],
])('MF-25: %s is understood', (_, text, normalised) => {
  expect(parseTimestamp(text)).toBe(normalised);
});

test.each([
  [''],
  ['last week'],
  ['2026-02-30T00:00:00Z'],
  ['2026-02-29'],
  ['2026-04-31'],
  ['2026-13-01'],
  ['2026-00-10'],
  ['2026-01-00'],
  ['2026-04-21T24:00:00Z'],
  ['2026-04-21T06:60:00Z'],
  ['2026-04-21T06:00:61Z'],
  ['2026-04-21T06:00:00+24:00'],
  ['2026-04-21T06:00:00.1234567891Z'],
  ['06:00:00'],
  ['2026-04-21T06:00:00Z '],
  ['0000-01-01T00:00:00+02:00'],
])('MF-25: %j is unknown', (text) => {
  expect(parseTimestamp(text)).toBeNull();
});

test('MF-25: comparison is by instant, to the nanosecond, unknown last', () => {
  const ordered = [
    '2026-04-21T05:59:59.999999999Z',
    '2026-04-21T06:00:00Z',
    '2026-04-21T06:00:00.000000001Z',
    '2026-04-21T06:00:00.1Z',
    '2026-04-21T06:00:00.12Z',
    '2026-04-21T06:00:01Z',
    null,
  ];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) expect(Math.sign(compareTimestamps(a, b))).toBe(Math.sign(i - j));
  }
});

test('MF-25: equal instants have equal texts, and the text names the instant', () => {
  const offsets = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const dates = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9998-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, offsets, (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const size = Math.abs(offset);
      const zone = `${offset < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
      const normalised = parseTimestamp(local + zone);
      expect(normalised).toBe(parseTimestamp(date.toISOString()));
      expect(timestampMs(normalised ?? '')).toBe(date.getTime());
    }),
  );
});
