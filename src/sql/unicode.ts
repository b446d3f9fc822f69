// The character classes of ClickHouse's lexer, by UTF-16 code unit. NaN (beyond the end) is in none.

export function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

/** ASCII only. */
export function isHexDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 70) || (unit >= 97 && unit <= 102);
}

/** A letter, digit or underscore; ASCII only. */
export function isWordUnit(unit: number): boolean {
  return isDigit(unit) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 95;
}

const WIDE_BLANKS: ReadonlySet<number> = new Set([
  0x85, 0xa0, 0x180e, 0x2028, 0x2029, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff,
]);

/** What the engine skips between tokens: ASCII whitespace, and Unicode spaces that occur in text pasted from documents. */
export function isSpaceUnit(unit: number): boolean {
  if (unit < 128) return unit === 32 || (unit >= 9 && unit <= 13);
  return (unit >= 0x2000 && unit <= 0x200d) || WIDE_BLANKS.has(unit);
}
