/**
 * Numbers, units, versions and dates of a text, in one spelling each, so that `two weeks` and `2 weeks` are the same and
 * `5 s` and `5 ms` are not (SE-54, AG-45).
 */

/** A normalised text with each date as one token, `MARK` before it. */
export function withDates(text: string): string {
  return text
    .replace(ISO_DATE, (_, year: string, month: string, day: string) => dateToken(Number(month), day, year))
    .replace(MONTH_FIRST, (_, month: string, day: string, year?: string) => dateToken(monthOf(month), day, year))
    .replace(DAY_FIRST, (_, day: string, month: string, year?: string) => dateToken(monthOf(month), day, year));
}

/** The date of a token that `withDates` made, or of the name of a weekday; else null. */
export function dateOf(token: string): string | null {
  if (token.startsWith(MARK)) return token.slice(1);
  return WEEKDAYS.test(token) ? token.replace(/s$/, '') : null;
}

/** A number as digits (`5,000` and `five` are such), or null. `one` is one. */
export function numberOf(token: string): string | null {
  const word = NUMBER_WORDS.get(token);
  if (word !== undefined) return String(word);
  return /^\d{1,3}(?:,\d{3})+$|^\d+(?:\.\d+)?$/.test(token) ? token.replaceAll(',', '').replace(/^0+(?=\d)/, '') : null;
}

/** `v2`, `1.2.3`, `v1.4-rc.1` without the `v`; else null. */
export function versionOf(token: string): string | null {
  const found = /^(?:v(\d+(?:\.\d+)*)|(\d+(?:\.\d+){2,}))((?:[-+][\w.]+)?)$/.exec(token);
  return found === null ? null : `${found[1] ?? found[2] ?? ''}${found[3] ?? ''}`;
}

/** `10mb` and `5s` as number and unit; else null. */
export function measureOf(token: string): { readonly number: string; readonly unit: string } | null {
  const [, number, letters] = /^(\d+(?:\.\d+)?)([a-z%]+)$/.exec(token) ?? [];
  const unit = letters === undefined ? null : unitOf(letters);
  return number === undefined || unit === null ? null : { number, unit };
}

/** The short form of a unit; null for any other word. */
export function unitOf(token: string): string | null {
  return UNITS.get(token) ?? null;
}

/** Cannot come from a normalised text. */
const MARK = '\uE0F0';

function dateToken(month: number, day: string, year: string | undefined): string {
  return ` ${MARK}${year === undefined ? '' : `${year}-`}${month}-${Number(day)} `;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?:,?\\s(\\d{4}))?';
const ISO_DATE = /\b(\d{4})-(\d{2})-(\d{2})\b/g;
const MONTH_FIRST = new RegExp(`\\b${MONTH}\\s${DAY}\\b${YEAR}`, 'gi');
const DAY_FIRST = new RegExp(`\\b${DAY}\\s(?:of\\s)?${MONTH}\\b${YEAR}`, 'gi');
const WEEKDAYS = /^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$/;

const monthOf = (name: string): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const NUMBER_WORDS = new Map<string, number>([
  ...SMALL.split(' ').map((word, value) => [word, value] as const),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, at) => [word, 20 + 10 * at] as const),
  ['once', 1],
  ['twice', 2],
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1_000_000],
]);

const UNITS = new Map<string, string>(
  Object.entries({
    ms: 'ms millisecond milliseconds',
    s: 's sec secs second seconds',
    min: 'min mins minute minutes',
    h: 'h hr hrs hour hours',
    d: 'day days',
    w: 'week weeks',
    month: 'month months',
    year: 'year years',
    b: 'byte bytes',
    kb: 'kb kib kilobyte kilobytes',
    mb: 'mb mib megabyte megabytes',
    gb: 'gb gib gigabyte gigabytes',
    tb: 'tb tib terabyte terabytes',
    '%': '% percent',
    px: 'px pixel pixels',
    rem: 'rem',
    x: 'x times',
  }).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)),
);
