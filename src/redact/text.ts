// What detectors read: text as units, one a character, with the character classes that they ask for.

/**
 * Units of a text between sentinels. A character of ASCII is its code, any other letter is LETTER, anything else OTHER.
 * The unit before the first and the one after the last exist and belong to no class, so loops over a class need no bounds.
 */
export type Units = ArrayLike<number>;

export const LETTER = 0x80;
export const OTHER = 0x81;
/** What the units of a find become for the detectors after its own: letters of a word, as it will be once it is replaced. */
export const MASK = 0x82;

export const PERCENT = 0x25;
export const PLUS = 0x2b;
export const DASH = 0x2d;
export const DOT = 0x2e;
export const SLASH = 0x2f;
export const COLON = 0x3a;
export const AT = 0x40;
export const BACKSLASH = 0x5c;
export const QUOTE = 0x22;
export const UNDERSCORE = 0x5f;
export const SPACE = 0x20;

/** Classes, as bits. */
export const DIGIT = 1;
export const HEX = 2;
export const ALPHA = 4;
export const WIDE = 8;
/** What the part of an e-mail address before the @ is made of, in practice (RFC 5322 allows more, such as `=` and `/`). */
export const LOCAL = 16;
/** A label of a host name; `_` is none by the book, but seen. */
export const LABEL = 32;
/** Base64url, and what keys are made of. */
export const KEY = 64;
export const LOWER = 128;
export const UPPER = 256;
/** RFC 9110, 11.2. */
export const TOKEN68 = 512;
export const ALNUM = DIGIT | ALPHA;

const CLASSES = classTable([
  ['0123456789', DIGIT | HEX | LOCAL | LABEL | KEY],
  ['abcdefABCDEF', HEX],
  ['abcdefghijklmnopqrstuvwxyz', ALPHA | LOWER | LOCAL | LABEL | KEY],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', ALPHA | UPPER | LOCAL | LABEL | KEY],
  ['-_', LOCAL | LABEL | KEY],
  [".+'!#$*^~", LOCAL],
  ['0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-._~+/=', TOKEN68],
  [String.fromCharCode(LETTER), WIDE | LOCAL | LABEL],
  [String.fromCharCode(MASK), ALPHA | LOCAL | LABEL | KEY | TOKEN68],
]);

/** The classes of the unit at `index`. */
export function classesAt(units: Units, index: number): number {
  return CLASSES[units[index] ?? 0] ?? 0;
}

export function isAt(units: Units, index: number, classes: number): boolean {
  return (classesAt(units, index) & classes) !== 0;
}

/** The end of the run of a class that begins at `index`. */
export function runEnd(units: Units, index: number, classes: number): number {
  let end = index;
  while ((classesAt(units, end) & classes) !== 0) end++;
  return end;
}

/** Units as text; meant for short pieces. */
export function textOf(units: Units, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(units[i] ?? 0);
  return text;
}

/** Whether the word stands at `index`, in this case of letters. */
export function isWordAt(units: Units, index: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    if (units[index + i] !== word.charCodeAt(i)) return false;
  }
  return true;
}

/** A table of 256 from rows of characters and the bits that each of them gets. */
export function classTable(rows: readonly (readonly [characters: string, bits: number])[]): Uint16Array {
  const table = new Uint16Array(256);
  for (const [characters, bits] of rows) {
    for (let i = 0; i < characters.length; i++) {
      const code = characters.charCodeAt(i);
      table[code] = (table[code] ?? 0) | bits;
    }
  }
  return table;
}
