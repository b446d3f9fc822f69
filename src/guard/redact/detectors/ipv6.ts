// IPv6 addresses in text form (RFC 4291, 2.2), distinguished from times, MAC addresses, fingerprints and `::` in code.
import {
  ALNUM,
  ALPHA,
  classesAt,
  COLON,
  DIGIT,
  HEX,
  isAt,
  LOWER,
  runEnd,
  UPPER,
  type Units,
} from '../text.ts';

/** A run of hexadecimal digits with at least one colon, from `start` to `end` (exclusive). */
export interface ColonRun {
  readonly start: number;
  readonly end: number;
  /** Start of the last group. */
  readonly last: number;
  /** The end of the four octets that start at the last group, as in `::ffff:192.0.2.1`, or -1. */
  readonly octets: number;
}

/** The groups found in a run. */
interface Groups {
  readonly start: number;
  end: number;
  count: number;
  /** Number of two-digit groups. */
  pairs: number;
  /** Start of the last group. */
  last: number;
  /** Position of `::`, or -1. */
  double: number;
  /** Three consecutive colons, or `::` twice. */
  malformed: boolean;
}

const LONGEST_GROUP = 4;
const GROUPS = 8;

/**
 * The address in a run, without a preceding key (`ipv6:2001:db8::1`) or a trailing port or word; undefined if there is none.
 */
export function findIpv6(units: Units, run: ColonRun): { start: number; end: number } | undefined {
  const whole = readAddress(units, run);
  if (whole !== undefined || (run.octets === -1 && !isAt(units, run.end, ALPHA))) return whole;
  return readAddress(units, { ...run, end: run.last, octets: -1 });
}

function readAddress(units: Units, run: ColonRun): { start: number; end: number } | undefined {
  const groups = readGroups(units, run);
  const { start, end, last, double, malformed } = groups;
  const hasOctets = run.octets !== -1;
  const size = groups.count + (hasOctets ? 1 : 0);
  const hasPort = size === GROUPS + 1 && !hasOctets && runEnd(units, last, DIGIT) === end;
  const isWhole = double === -1 ? size === GROUPS || hasPort : size < GROUPS;
  if (malformed || !isWhole) return undefined;
  if (hasOctets) return { start, end: run.octets };
  if (!isPlausible(units, groups)) return undefined;
  return { start, end: double === -1 && hasPort ? last - 1 : end };
}

/** Reads group after group; restarts after a key and its colons. */
function readGroups(units: Units, run: ColonRun): Groups {
  let groups = newGroups(run.start);
  let at = run.start;
  const wordBefore = isAt(units, run.start - 1, ALNUM);
  for (;;) {
    const end = Math.min(runEnd(units, at, HEX), run.end);
    if (end === run.end) return closeGroups(groups, at, end);
    const isDouble = units[end + 1] === COLON;
    const isKey = end - at > LONGEST_GROUP || (wordBefore && at === run.start);
    if (isKey || (end === groups.start && !isDouble)) {
      at = end;
      while (units[at] === COLON) at++;
      groups = newGroups(at);
      continue;
    }
    if (end > at) addGroup(groups, at, end);
    groups.malformed ||= isDouble ? groups.double !== -1 : end === at;
    if (isDouble) groups.double = end;
    at = isDouble ? end + 2 : end + 1;
  }
}

function newGroups(start: number): Groups {
  return { start, end: start, count: 0, pairs: 0, last: start, double: -1, malformed: false };
}

function addGroup(groups: Groups, start: number, end: number): void {
  groups.count++;
  if (end - start === 2) groups.pairs++;
  groups.last = start;
  groups.end = end;
}

/** At the end of a run, a single colon is punctuation, and a group that is too long is a port. */
function closeGroups(groups: Groups, at: number, end: number): Groups {
  const isDouble = groups.double !== -1 && groups.double + 2 === at;
  const isTooLong = end - at > LONGEST_GROUP;
  if (end > at && !isTooLong) addGroup(groups, at, end);
  else if (isDouble) groups.end = at;
  groups.malformed ||= isDouble && isTooLong;
  return groups;
}

/**
 * Returns whether something well-formed is really an address. Eight two-digit groups are an EUI-64. A compressed form must have a
 * decimal digit; with at most two groups, it must not look like a scope in code nor end in the middle of a word.
 */
function isPlausible(units: Units, groups: Groups): boolean {
  if (groups.double === -1) return groups.pairs < GROUPS;
  let classes = 0;
  for (let i = groups.start; i < groups.end; i++) classes |= classesAt(units, i);
  if ((classes & DIGIT) === 0) return false;
  if (groups.count > 2) return true;
  const mixedCase = (classes & UPPER) !== 0 && (classes & LOWER) !== 0;
  return !isAt(units, groups.end, ALNUM) && !mixedCase && !isScope(units, groups);
}

/** Matches `f64::add`, `1::dec`, `::a`, `A1::`; but not `fe80::abc`, `1::8`, `::1`, `::ffff:1`. */
function isScope(units: Units, { start, count, double }: Groups): boolean {
  const tailHasDigit = isAt(units, double + 2, DIGIT);
  if (double === start) return count === 1 && !tailHasDigit;
  if (runEnd(units, start, HEX) - start === LONGEST_GROUP) return false;
  return !tailHasDigit || !isAt(units, start, DIGIT);
}
