// The input of detectors: text as units, one per character, with the character classes they use.

/**
 * Units of a text between sentinels. An ASCII character is its code, any other letter is LETTER, anything else OTHER.
 * The units before the first and after the last exist and belong to no class, so loops over a class need no bounds checks.
 */
export type Units = ArrayLike<number>;

export const LETTER = 0x80;
export const OTHER = 0x81;
/** Replaces the units of a match before later detectors run: counts as letters, as the final replacement will. */
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
export const APOSTROPHE = 0x27;
export const EQUALS = 0x3d;
export const UNDERSCORE = 0x5f;
export const SPACE = 0x20;

/** Classes, as bits. */
export const DIGIT = 1;
export const HEX = 2;
export const ALPHA = 4;
export const WIDE = 8;
/**
 * Characters of the local part of an e-mail address in practice. RFC 5322 allows more, such as `=` and `/`, which are far more often
 * around an address than in one.
 */
export const LOCAL = 16;
/** A label of a host name; `_` is not valid, but occurs. */
export const LABEL = 32;
/** Base64url, the alphabet of most keys. */
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

/** Returns whether the unit at `index` is in one of the classes. */
export function isAt(units: Units, index: number, classes: number): boolean {
  return (classesAt(units, index) & classes) !== 0;
}

/** The end of the run of a class that starts at `index`. */
export function runEnd(units: Units, index: number, classes: number): number {
  let end = index;
  while ((classesAt(units, end) & classes) !== 0) end++;
  return end;
}

/** Units as a string; only for short ranges. */
export function textOf(units: Units, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i++) text += String.fromCharCode(units[i] ?? 0);
  return text;
}

/** Returns whether the word is at `index`, case-sensitive. */
export function isWordAt(units: Units, index: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    if (units[index + i] !== word.charCodeAt(i)) return false;
  }
  return true;
}

/** A 256-entry table from rows of characters and the bits for each of them. */
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
