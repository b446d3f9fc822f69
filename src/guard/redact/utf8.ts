// Reads UTF-8 one character at a time, and classifies non-ASCII characters as part of a word or not.

const REPLACEMENT = 0xfffd;

/** The end of the character at `at`, at most `to`; an invalid byte counts as one character. */
export function characterEnd(bytes: Uint8Array, at: number, to: number): number {
  const end = at + lengthOf(bytes[at] ?? 0);
  if (end > to) return at + 1;
  for (let i = at + 1; i < end; i++) {
    if ((bytes[i] ?? 0) >> 6 !== 0b10) return at + 1;
  }
  return end;
}

/** The code point of the character that ends at `end` (from `characterEnd`); U+FFFD for an invalid byte. */
export function codePointAt(bytes: Uint8Array, at: number, end: number): number {
  if (end === at + 1) return REPLACEMENT;
  let codePoint = (bytes[at] ?? 0) & (0xff >> (end - at + 1));
  for (let i = at + 1; i < end; i++) codePoint = (codePoint << 6) | ((bytes[i] ?? 0) & 0x3f);
  return codePoint;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0 && lead < 0xf8) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc0 && lead < 0xe0 ? 2 : 1;
}

/** Inclusive ranges of punctuation, symbols, spaces, emoji and surrogates; everything else counts as a letter. */
const NOT_IN_WORDS: readonly (readonly [first: number, last: number])[] = [
  [0x80, 0xa9],
  [0xab, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x1680, 0x1680],
  [0x2000, 0x206f],
  [0x20a0, 0x20cf],
  [0x2190, 0x2bff],
  [0x2e00, 0x2e7f],
  [0x3000, 0x3004],
  [0x3008, 0x3020],
  [0x30fb, 0x30fb],
  [0xd800, 0xf8ff],
  [0xfe10, 0xfe6f],
  [0xfeff, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xff65],
  [0xfff0, 0xffff],
];

const IN_WORDS = wordTable();

function wordTable(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(1);
  for (const [first, last] of NOT_IN_WORDS) table.fill(0, first, last + 1);
  return table;
}

/** Outside the basic plane, emoji are not word characters; rare scripts are. */
export function isWordCharacter(codePoint: number): boolean {
  if (codePoint > 0xffff) return codePoint < 0x1f000 || codePoint > 0x1ffff;
  return IN_WORDS[codePoint] === 1;
}
