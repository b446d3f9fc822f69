// One text searched by all chosen detectors: finds as ranges of bytes, apart from each other and in order.
import { createDecode } from './decode.ts';
import type { Detector, Match } from './detector.ts';
import { HAS_DIGIT, HAS_ESCAPE, HAS_WIDE } from './hints.ts';
import { MASK } from './text.ts';

export interface Scan {
  /** Hints of which a text with a match has at least one, unless escapes hide them. */
  readonly needs: number;
  /**
   * Searches bytes `from` to before `to`, whose hints are given: the inside of a JSON string with its quotes around it,
   * or (with the hint HAS_ESCAPE) any text. Matches are ranges of bytes, in order and apart from each other, and begin and
   * end between characters and between escapes.
   */
  find(bytes: Uint8Array, from: number, to: number, hints: number): readonly Match[];
}

/** What an escape may hide is written with digits: \u0040, %40. */
const HAS_ESCAPE_AND_DIGIT = HAS_ESCAPE | HAS_DIGIT;

/** Whether a text with these hints may have a match. */
export function mayFind(hints: number, needs: number): boolean {
  return (hints & needs) !== 0 || (hints & HAS_ESCAPE_AND_DIGIT) === HAS_ESCAPE_AND_DIGIT;
}

const NO_MATCHES: readonly Match[] = [];

export function createScan(detectors: readonly Detector[]): Scan {
  const needs = detectors.reduce((all, detector) => all | detector.needs, 0);
  const decode = createDecode();

  const findDecoded = (bytes: Uint8Array, from: number, to: number): readonly Match[] => {
    const { units, offsets, end, hints } = decode(bytes, from, to);
    const all: Match[] = [];
    for (const detector of detectors) {
      if ((hints & detector.needs) === 0 || end - 1 < detector.shortest) continue;
      const matches: Match[] = [];
      detector.find(units, 1, end, matches);
      for (const match of matches) {
        all.push({ start: offsets[match.start] ?? to, end: offsets[match.end] ?? to, name: match.name });
        units.fill(MASK, match.start, match.end);
      }
    }
    return settle(all);
  };

  /** Looks at the bytes themselves. Undefined where a find is to be masked before the next detector looks. */
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
    needs,
    find(bytes, from, to, hints) {
      const isPlain = (hints & (HAS_ESCAPE | HAS_WIDE)) === 0;
      return (isPlain ? findPlain(bytes, from, to, hints) : undefined) ?? findDecoded(bytes, from, to);
    },
  };
}

/** In order; matches that overlap become one, with the name of the wider. */
function settle(matches: Match[]): readonly Match[] {
  if (matches.length < 2) return matches;
  const settled: Match[] = [];
  for (const match of matches.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = settled.at(-1);
    if (last === undefined || match.start >= last.end) settled.push(match);
    else if (match.end > last.end) settled[settled.length - 1] = { ...union(last, match), end: match.end };
  }
  return settled;
}

function union(a: Match, b: Match): Match {
  return { start: a.start, end: b.end, name: b.end - b.start > a.end - a.start ? b.name : a.name };
}
