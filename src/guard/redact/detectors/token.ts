// Detector of access tokens: JSON Web Tokens by their shape, others by a preceding `Bearer`.
import { freshEnd, type Match, type WordDetector } from '../detector.ts';
import { HAS_ALPHA } from '../character-flags.ts';
import {
  APOSTROPHE,
  COLON,
  DIGIT,
  DOT,
  EQUALS,
  isAt,
  isWordAt,
  KEY,
  PLUS,
  QUOTE,
  SPACE,
  TOKEN68,
  type Units,
} from '../text.ts';

export const tokenDetector: WordDetector = {
  name: 'token',
  needs: HAS_ALPHA,
  shortest: 15,
  initials: 'ebB',
  read: (units, start) => readJwt(units, start) ?? readBearer(units, start),
};

/** `{"` in base64url. */
const JSON_START = 'eyJ';
const MOST_PARTS = 5;
const SHORTEST_HEADER = 10;
const SHORTEST_PART = 8;

/**
 * A header, a dot and a second part, up to five parts (RFC 7515, RFC 7516). Not after a dash, which may be part of a header,
 * so that a run is read as a header only once.
 */
function readJwt(units: Units, start: number): Match | undefined {
  if (!isWordAt(units, start, JSON_START) || isAt(units, start - 1, KEY)) return undefined;
  const header = freshEnd(units, start, KEY);
  if (header - start < SHORTEST_HEADER || units[header] !== DOT) return undefined;
  const second = freshEnd(units, header + 1, KEY);
  const keyless = second === header + 1 && units[second] === DOT; // RFC 7516, 3: no encrypted key
  const content = keyless ? second + 1 : header + 1;
  if (freshEnd(units, content, KEY) - content < SHORTEST_PART) return undefined;
  let end = second;
  for (let part = 2; part < MOST_PARTS && units[end] === DOT; part++) end = freshEnd(units, end + 1, KEY);
  return { start, end: units[end - 1] === DOT ? end - 1 : end, name: 'token' };
}

const BEARER = 'bearer';
const SHORTEST_WITH_DIGIT = 8;
const SHORTEST_WITHOUT = 24;

/** A token68 (RFC 9110, 11.2) of a minimum length after the word, so that `Bearer authentication failed` does not match. */
function readBearer(units: Units, word: number): Match | undefined {
  for (let i = 0; i < BEARER.length; i++) {
    if (((units[word + i] ?? 0) | 0x20) !== BEARER.charCodeAt(i)) return undefined;
  }
  let start = word + BEARER.length;
  while (BETWEEN.has(units[start])) start++;
  if (start === word + BEARER.length) return undefined;
  const end = freshEnd(units, start, TOKEN68);
  if (end - start < SHORTEST_WITH_DIGIT) return undefined;
  const isLong = end - start >= SHORTEST_WITHOUT;
  return isLong || hasDigit(units, start, end) ? { start, end, name: 'token' } : undefined;
}

/** Spaces, including `+` in a query string, the separators in `bearer=` and `bearer:`, and quotes. */
const BETWEEN: ReadonlySet<number | undefined> = new Set([SPACE, COLON, EQUALS, PLUS, QUOTE, APOSTROPHE]);

function hasDigit(units: Units, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (isAt(units, i, DIGIT)) return true;
  }
  return false;
}
