// Detector of telephone numbers in international form (ITU-T E.164): a plus sign and 8 to 15 digits.
import type { Detector, Match } from '../detector.ts';
import { HAS_PLUS } from '../character-flags.ts';
import { ALNUM, DIGIT, isAt, PLUS, runEnd, type Units } from '../text.ts';

export const phoneDetector: Detector = { name: 'phone', needs: HAS_PLUS, shortest: 9, find: findPhones };

const ZERO = 0x30;
const FEWEST = 8;
const MOST = 15;
/** A group of this length is the whole subscriber number: digits after it are something else. */
const WHOLE_NUMBER = 8;

function findPhones(units: Units, from: number, to: number, matches: Match[]): void {
  for (let i = from; i < to; i++) {
    if (units[i] !== PLUS || isAt(units, i - 1, ALNUM) || units[i + 1] === ZERO) continue;
    const end = phoneEnd(units, i + 1);
    if (end === -1) continue;
    matches.push({ start: i, end, name: 'phone' });
    i = end - 1;
  }
}

/** The end of the number whose first digit is at `start`, or -1. */
function phoneEnd(units: Units, start: number): number {
  let end = runEnd(units, start, DIGIT);
  let digits = end - start;
  let group = digits;
  while (digits > 0 && group < WHOLE_NUMBER) {
    const next = afterSeparator(units, end);
    const nextEnd = runEnd(units, next, DIGIT);
    group = nextEnd - next;
    if (next === end || group === 0 || digits + group > MOST) break;
    digits += group;
    end = nextEnd;
  }
  return digits >= FEWEST && digits <= MOST ? end : -1;
}

const SEPARATORS: ReadonlySet<number> = new Set(Buffer.from(' -.()'));

/** After one or two separators, as in `+49 (0)30 1234567`; `+` is an encoded space in a form. */
function afterSeparator(units: Units, start: number): number {
  if (units[start] === PLUS) return start + 1;
  let end = start;
  while (end - start < 2 && SEPARATORS.has(units[end] ?? 0)) end++;
  return end;
}
