// Detector of IP addresses: both versions, in one pass over the separators.
import type { Detector, Match } from '../detector.ts';
import { HAS_COLON, HAS_DOT } from '../character-flags.ts';
import {
  ALNUM,
  COLON,
  DASH,
  DIGIT,
  DOT,
  HEX,
  isAt,
  PERCENT,
  runEnd,
  UNDERSCORE,
  type Units,
} from '../text.ts';
import { dottedEnd, isVersion, octetsEnd } from './ipv4.ts';
import { findIpv6 } from './ipv6.ts';

export const ipDetector: Detector = {
  name: 'ip',
  needs: HAS_DOT | HAS_COLON,
  shortest: 3,
  find: findAddresses,
};

function findAddresses(units: Units, from: number, to: number, matches: Match[]): void {
  let floor = from; // everything before is already processed
  let i = from;
  while (i < to) {
    const unit = units[i];
    if (unit !== DOT && unit !== COLON) {
      i++;
      continue;
    }
    i = unit === DOT ? readDotted(units, i, floor, matches) : readColons(units, i, floor, matches);
    floor = i;
  }
}

/** Reads the dotted numbers around a first dot, not before `floor`; returns where to continue. */
function readDotted(units: Units, separator: number, floor: number, matches: Match[]): number {
  let start = separator;
  while (start > floor && separator - start < 4 && isAt(units, start - 1, DIGIT)) start--;
  if (start === separator || !isAt(units, separator + 1, DIGIT)) return separator + 1;
  const end = dottedEnd(units, start);
  if (octetsEnd(units, start) !== end) return end;
  if (!isVersion(units, start, end, matches.at(-1)?.end ?? 0)) matches.push({ start, end, name: 'ip' });
  return end;
}

/** Reads the groups around a first colon, not before `floor`; returns where to continue. */
function readColons(units: Units, separator: number, floor: number, matches: Match[]): number {
  let start = separator;
  while (start > floor && separator - start < 5 && isAt(units, start - 1, HEX)) start--;
  const { end, colons, double } = readRun(units, separator);
  const last = lastGroup(units, separator, end);
  const octets = units[end] === DOT ? octetsEnd(units, last) : -1;
  const address = double || colons > 5 ? findIpv6(units, { start, end, last, octets }) : undefined;
  if (address !== undefined) {
    const close = zoneEnd(units, address.end);
    matches.push({ start: address.start, end: close, name: 'ip' });
    if (close >= end) return close;
  }
  const isIpv4 = octets !== -1 && dottedEnd(units, last) === octets && (address?.end ?? last) <= last;
  if (!isIpv4) return end;
  matches.push({ start: last, end: octets, name: 'ip' });
  return octets;
}

/** A run of hexadecimal digits and colons, starting at its first colon. */
function readRun(units: Units, separator: number): { end: number; colons: number; double: boolean } {
  let end = separator;
  let colons = 0;
  let double = false;
  while (units[end] === COLON || isAt(units, end, HEX)) {
    if (units[end] === COLON) {
      colons++;
      double ||= units[end + 1] === COLON;
    }
    end++;
  }
  return { end, colons, double };
}

function lastGroup(units: Units, separator: number, end: number): number {
  let start = end;
  while (start > separator && units[start - 1] !== COLON) start--;
  return start;
}

/** `%eth0` after an address belongs to it (RFC 4007, 11); a zone name is made of words joined by `.`, `-` or `_`. */
function zoneEnd(units: Units, end: number): number {
  if (units[end] !== PERCENT || !isAt(units, end + 1, ALNUM)) return end;
  let zone = runEnd(units, end + 1, ALNUM);
  while (isZoneSign(units[zone]) && isAt(units, zone + 1, ALNUM)) zone = runEnd(units, zone + 1, ALNUM);
  return zone;
}

function isZoneSign(unit: number | undefined): boolean {
  return unit === DOT || unit === DASH || unit === UNDERSCORE;
}
