// Detector of payment card numbers (ISO/IEC 7812-1): 13 to 19 digits, the last a check digit.
import type { WordDetector } from '../detector.ts';
import { HAS_DIGIT } from '../character-flags.ts';
import { ALNUM, DASH, DIGIT, DOT, isAt, KEY, PLUS, runEnd, SPACE, type Units } from '../text.ts';

/** Card numbers start with 2 to 6. */
export const cardDetector: WordDetector = {
  name: 'card',
  needs: HAS_DIGIT,
  shortest: 13,
  initials: '23456',
  read(units, start) {
    const end = startsNumber(units, start) ? cardEnd(units, start) : -1;
    return end === -1 ? undefined : { start, end, name: 'card' };
  },
};

const FEWEST = 13;
const MOST = 19;
const SHORTEST_GROUP = 3;

/**
 * Rejects parts of something with dots or dashes (a decimal fraction, an identifier such as a UUID, a file name), and
 * telephone numbers. A plus sign after a word is an encoded space in a query string.
 */
function startsNumber(units: Units, start: number): boolean {
  const before = units[start - 1] ?? 0;
  if (before === PLUS) return isAt(units, start - 2, KEY);
  return !JOINTS.has(before) || !isAt(units, start - 2, ALNUM);
}

function endsNumber(units: Units, end: number): boolean {
  return !isAt(units, end, ALNUM) && (!JOINTS.has(units[end] ?? 0) || !isAt(units, end + 1, ALNUM));
}

const JOINTS: ReadonlySet<number> = new Set([DOT, DASH]);

/** The end of the longest card number at `start`, or -1. Groups are separated by one space, `+` (in a form) or dash. */
function cardEnd(units: Units, start: number): number {
  let best = -1;
  let digits = 0;
  const separator = units[runEnd(units, start, DIGIT)];
  for (let group = start; ;) {
    const end = runEnd(units, group, DIGIT);
    digits += end - group;
    if (digits > MOST) return best;
    if (digits >= FEWEST && endsNumber(units, end) && passesLuhn(units, start, end)) best = end;
    const goesOn = separator === SPACE || separator === DASH || separator === PLUS;
    if (!goesOn || end - group < SHORTEST_GROUP || units[end] !== separator) return best;
    if (!isAt(units, end + 1, DIGIT)) return best;
    group = end + 1;
  }
}

/** The Luhn check (ISO/IEC 7812-1, annex B) over the digits among the units. */
function passesLuhn(units: Units, start: number, end: number): boolean {
  let sum = 0;
  let double = false;
  for (let i = end - 1; i >= start; i--) {
    if (!isAt(units, i, DIGIT)) continue;
    const digit = (units[i] ?? 0) - 0x30;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += double ? doubled : digit;
    double = !double;
  }
  return sum % 10 === 0;
}
