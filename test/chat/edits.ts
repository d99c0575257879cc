import fc from 'fast-check';

/** One change to some bytes; places are taken modulo their length. */
export interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly inserted: Uint8Array;
}

const PIECES = [
  '"',
  '"""',
  "'''",
  '\\',
  '\n',
  '\r',
  '\0',
  '[[message]]',
  '[[message]]\n',
  '\n[[entry]]\n',
  ' = ',
  '#',
  '[',
  'x',
  '= "',
  '\n"""\n',
];

/** A few edits of any kind, or the loss of the end. */
export function edits(): fc.Arbitrary<readonly Edit[]> {
  const inserted = fc.oneof(
    fc.constant(new Uint8Array()),
    fc.constantFrom(...PIECES).map((piece) => new Uint8Array(Buffer.from(piece))),
    fc.uint8Array({ maxLength: 5 }),
  );
  const edit = fc.record({ at: fc.nat(), removed: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 40 })), inserted });
  const truncation = fc.nat().map((at) => [{ at, removed: Number.MAX_SAFE_INTEGER, inserted: new Uint8Array() }]);
  return fc.oneof({ arbitrary: fc.array(edit, { minLength: 1, maxLength: 3 }), weight: 4 }, truncation);
}

/** `bytes` with the part from `start` to `end` edited; `end` says where that part ends then. */
export function damagedBytes(
  bytes: Buffer,
  start: number,
  end: number,
  damage: readonly Edit[],
): { readonly bytes: Buffer; readonly end: number } {
  let part = bytes.subarray(start, end);
  for (const { at, removed, inserted } of damage) {
    const from = at % (part.length + 1);
    part = Buffer.concat([part.subarray(0, from), inserted, part.subarray(Math.min(part.length, from + removed))]);
  }
  return { bytes: Buffer.concat([bytes.subarray(0, start), part, bytes.subarray(end)]), end: start + part.length };
}

/** The bytes in pieces; what `places` say, taken modulo the length, are the borders. */
export function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const borders = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...borders, bytes.length].map((border, i) => bytes.subarray(i === 0 ? 0 : borders[i - 1], border));
}
