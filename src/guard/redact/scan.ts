// Searches one text with all chosen detectors; returns ordered, non-overlapping byte ranges.
import { createDecode, type TextReading } from './decode.ts';
import type { Detector, Match } from './detector.ts';
import { hasEntity } from './entities.ts';
import { HAS_DIGIT, HAS_ENTITY, HAS_EQUALS, HAS_ESCAPE, HAS_FOLD, HAS_WIDE } from './character-flags.ts';
import { hasQuoted } from './quoted-printable.ts';
import { MASK } from './text.ts';

/** A search for all chosen detectors. */
export interface Scan {
  /** Character flags of which a text with a match has at least one, unless escapes hide them. */
  readonly needs: number;
  /**
   * Searches bytes `from` to `to` (exclusive) with the given character flags: the inside of a JSON string that is enclosed in
   * quotes, or (with the flag HAS_ESCAPE) any text. Matches are ordered, non-overlapping byte ranges that never split a
   * character or an escape.
   */
  find(bytes: Uint8Array, from: number, to: number, hints: number): readonly Match[];
}

/** Escapes that can hide a match contain digits: \u0040, %40. */
const HAS_ESCAPE_AND_DIGIT = HAS_ESCAPE | HAS_DIGIT;
/** The same in quoted-printable: =40. */
const HAS_QUOTED = HAS_EQUALS | HAS_DIGIT;

/** Returns whether a text with these character flags may have a match. */
export function mayFind(hints: number, needs: number): boolean {
  return (
    (hints & needs) !== 0 ||
    (hints & HAS_ESCAPE_AND_DIGIT) === HAS_ESCAPE_AND_DIGIT ||
    (hints & HAS_ENTITY) === HAS_ENTITY ||
    (hints & HAS_QUOTED) === HAS_QUOTED
  );
}

/** Returns whether a text that is pure ASCII without escapes still has another reading. */
function hasOtherReading(bytes: Uint8Array, from: number, to: number, hints: number): boolean {
  return (
    ((hints & HAS_ENTITY) === HAS_ENTITY && hasEntity(bytes, from, to)) ||
    ((hints & HAS_QUOTED) === HAS_QUOTED && hasQuoted(bytes, from, to))
  );
}

const NO_MATCHES: readonly Match[] = [];

/** Compiles the detectors to one search. */
export function createScan(detectors: readonly Detector[]): Scan {
  const needs = detectors.reduce((all, detector) => all | detector.needs, 0);
  const decode = createDecode();

  const findDecoded = (bytes: Uint8Array, from: number, to: number): readonly Match[] => {
    const all: Match[] = [];
    const { canFold, canQuote } = findRead(bytes, from, to, { reading: 'written', all });
    if (canFold) findRead(bytes, from, to, { reading: 'folded', all });
    if (canQuote) findRead(bytes, from, to, { reading: 'quoted', all });
    return settle(all);
  };

  const findRead = (
    bytes: Uint8Array,
    from: number,
    to: number,
    { reading, all }: { readonly reading: TextReading; readonly all: Match[] },
  ): { readonly canFold: boolean; readonly canQuote: boolean } => {
    const { units, offsets, end, hints, canFold, canQuote } = decode(bytes, from, to, reading);
    for (const detector of detectors) {
      if ((hints & detector.needs) === 0 || end - 1 < detector.shortest) continue;
      const matches: Match[] = [];
      detector.find(units, 1, end, matches);
      for (const match of matches) {
        all.push({ start: offsets[match.start] ?? to, end: offsets[match.end] ?? to, name: match.name });
        units.fill(MASK, match.start, match.end);
      }
    }
    return { canFold, canQuote };
  };

  /** Searches the raw bytes. Undefined if a match must be masked before the next detector runs. */
  const findPlain = (bytes: Uint8Array, from: number, to: number, hints: number) => {
    let matches = NO_MATCHES;
    for (const detector of detectors) {
      if ((hints & detector.needs) === 0 || to - from < detector.shortest) continue;
      if (matches.length > 0) return undefined;
      const found: Match[] = [];
      detector.find(bytes, from, to, found);
      matches = found;
    }
    return matches;
  };

  return {
    needs: needs === 0 ? 0 : needs | HAS_FOLD, // such a character may fold to any other
    find(bytes, from, to, hints) {
      const isPlain = (hints & (HAS_ESCAPE | HAS_WIDE)) === 0 && !hasOtherReading(bytes, from, to, hints);
      return (isPlain ? findPlain(bytes, from, to, hints) : undefined) ?? findDecoded(bytes, from, to);
    },
  };
}

/** Sorts matches; overlapping ones are merged and take the name of the first: how long each is written depends on escapes. */
function settle(matches: Match[]): readonly Match[] {
  if (matches.length < 2) return matches;
  const settled: Match[] = [];
  for (const match of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = settled.at(-1);
    if (last === undefined || match.start >= last.end) settled.push(match);
    else if (match.end > last.end) settled[settled.length - 1] = { ...last, end: match.end };
  }
  return settled;
}
