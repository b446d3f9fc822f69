// Non-ASCII characters that look like an ASCII character, or are invisible (Unicode Technical Standard 39).

/** Returned by `foldOf` for an invisible character. */
export const DROPPED = 1;

/** Ranges with compatibility decompositions to one ASCII character (NFKC), such as ＠, １, ①, ², ℂ, no-break spaces. */
const COMPATIBLE: readonly (readonly [first: number, last: number])[] = [
  [0xa0, 0xbe],
  [0x2000, 0x209c],
  [0x2100, 0x214e],
  [0x2460, 0x24ea],
  [0x3000, 0x3000],
  [0xfe10, 0xfe6b],
  [0xff01, 0xff5e],
];
/** Decimal digits of other scripts: the zero of each. */
const ZEROS: readonly number[] = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810,
];
/** Hyphens, the dashes used between digits, and the minus sign. Longer dashes separate words. */
const DASHES: readonly number[] = [0x2010, 0x2011, 0x2012, 0x2013, 0x2212];
/** Soft hyphen, joiners, zero-width spaces, direction marks, invisible operators, variation selectors. */
const INVISIBLE: readonly (readonly [first: number, last: number])[] = [
  [0xad, 0xad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180e],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
];

const FOLDS = foldTable();

function foldTable(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (const [first, last] of COMPATIBLE) {
    for (let code = first; code <= last; code++) table[code] = compatibleOf(code);
  }
  for (const zero of ZEROS) {
    for (let digit = 0; digit < 10; digit++) table[zero + digit] = 0x30 + digit;
  }
  for (const dash of DASHES) table[dash] = 0x2d;
  for (const [first, last] of INVISIBLE) table.fill(DROPPED, first, last + 1);
  return table;
}

function compatibleOf(code: number): number {
  const plain = String.fromCharCode(code).normalize('NFKC');
  return plain.length === 1 && plain.charCodeAt(0) < 0x80 ? plain.charCodeAt(0) : 0;
}

/**
 * Returns whether a fold is a reason to scan the text again. Others, such as full-width parentheses, cannot be part of a match on
 * their own.
 */
export function isTellingFold(fold: number, isBehindWord: boolean): boolean {
  return TELLING[fold] === 1 || (isBehindWord && TELLING[fold] === 2);
}

/** 1: always; 2: after a letter or a digit, where it may separate groups. */
const TELLING = tellingTable();

function tellingTable(): Uint8Array {
  const table = new Uint8Array(0x80);
  for (const character of '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@.+')
    table[character.charCodeAt(0)] = 1;
  for (const character of ' -:') table[character.charCodeAt(0)] = 2;
  table[DROPPED] = 1;
  return table;
}

/** The ASCII character that a code point folds to, DROPPED for an invisible one, 0 for any other. */
export function foldOf(codePoint: number): number {
  return codePoint > 0xffff ? 0 : (FOLDS[codePoint] ?? 0);
}

/**
 * The characters whose fold is not their compatibility decomposition, as ranges of code points: those of which `isWanted` accepts the
 * fold, which is empty for invisible ones.
 */
export function foldRanges(
  isWanted: (fold: string) => boolean,
): readonly (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = [];
  for (const [code, fold] of FOLDS.entries()) {
    const to = fold === DROPPED ? '' : String.fromCharCode(fold);
    if (fold === 0 || String.fromCharCode(code).normalize('NFKC') === to || !isWanted(to)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges;
}
