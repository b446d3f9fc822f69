// The white space of SQL, exactly that of ClickHouse's lexer, for every reader of SQL, whatever its dialect.

/** A test compares them with the engine over all code points. None is beyond U+FFFF, so each is one UTF-16 code unit. */
const CODES: readonly number[] = [
  0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x180e, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
  0x2008, 0x2009, 0x200a, 0x200b, 0x200c, 0x200d, 0x2028, 0x2029, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff,
]; // prettier-ignore

const SPACES: ReadonlySet<number> = new Set(CODES);

/** By UTF-16 code unit. NaN (beyond the end) is none. */
export function isSpaceUnit(unit: number): boolean {
  if (unit < 128) return unit === 32 || (unit >= 9 && unit <= 13);
  return SPACES.has(unit);
}

/** The same set for the class of a regular expression, to be written in its brackets. */
export const WHITE_SPACE = CODES.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('');

/** Without white space at its ends; `String.trim` removes another set of characters. */
export function trimSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpaceUnit(text.charCodeAt(start))) start++;
  while (end > start && isSpaceUnit(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const ODD_SPACE = new RegExp(`(?![\\t\\n\\r ])[${WHITE_SPACE}]`, 'g');

/** The same text with a space in place of white space that is not a space, a tab or a line break; all offsets stay. */
export function plainSpaces(text: string): string {
  return text.replace(ODD_SPACE, ' ');
}
