// Quoted-printable, used in mail (RFC 2045, 6.7): `=40`, and `=` at the end of a continued line.
import { putCodePoint, readHex, rewrite, type Draft } from './draft.ts';
import { ALPHA, isAt, type Units } from './text.ts';

const EQUALS = 0x3d;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Returns whether `from` to `to` (exclusive) looks like quoted-printable and could hide a match: an encoded `. : + -`, an encoded @
 * followed by a letter (encoded or not), or a soft line break. Logs are full of `size=40 ` and `size=4096`.
 */
export function hasQuoted(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to - 1; i++) {
    if (bytes[i] !== EQUALS) continue;
    const [first, second] = [bytes[i + 1] ?? 0, (bytes[i + 2] ?? 0) | LOWER_CASE];
    if (first === DIGIT_2 && (second === LETTER_B || second === LETTER_D || second === LETTER_E)) return true;
    if (first === DIGIT_3 && second === LETTER_A) return true;
    const mayBeHost = isAt(bytes, i + 3, ALPHA) || bytes[i + 3] === EQUALS;
    if (first === DIGIT_4 && second === DIGIT_0 && mayBeHost) return true;
    if (softBreakEnd(bytes, i) !== -1) return true;
  }
  return false;
}

const LOWER_CASE = 0x20;
const [DIGIT_0, DIGIT_2, DIGIT_3, DIGIT_4] = [0x30, 0x32, 0x33, 0x34];
const [LETTER_A, LETTER_B, LETTER_D, LETTER_E] = [0x61, 0x62, 0x64, 0x65];

/** Decodes in place, printable ASCII only: `=10.0.0.1` stays a value. */
export function decodeQuoted(draft: Draft, to: number): void {
  const { units, offsets } = draft;
  rewrite(draft, to, (index) => {
    if (units[index] !== EQUALS) return -1;
    const softBreak = softBreakEnd(units, index);
    if (softBreak !== -1) return softBreak;
    const code = readHex(units, index + 1, 2);
    if (code < 0x20 || code >= 0x7f) return -1;
    putCodePoint(draft, code, offsets[index] ?? to);
    return index + 3;
  });
}

/** The end of a line break after `=`, or -1. */
function softBreakEnd(units: Units, equals: number): number {
  if (units[equals + 1] === LF) return equals + 2;
  return units[equals + 1] === CR && units[equals + 2] === LF ? equals + 3 : -1;
}
