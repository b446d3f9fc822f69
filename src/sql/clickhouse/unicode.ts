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
