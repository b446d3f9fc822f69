// Any Unicode scalar value, as the unit of generated strings. The unit `binary` of fast-check has the same ones, but makes a table of all
// of them in each process.
import * as fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 };

export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ffff - SURROGATES.count })
  .map((n) => String.fromCodePoint(n < SURROGATES.from ? n : n + SURROGATES.count), numberOf);

/** The number of a character, by which fast-check shrinks values that it did not generate. Throws if it is not one. */
function numberOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('not a character');
  const { from, count } = SURROGATES;
  if (code >= from && code < from + count) throw new Error('half of a character');
  return code < from ? code : code - count;
}
