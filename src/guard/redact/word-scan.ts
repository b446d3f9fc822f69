// Runs all word detectors in one pass: most characters are inside a word and are examined once for all of them.
import type { Detector, Match, WordDetector } from './detector.ts';
import { ALNUM, isAt, type Units } from './text.ts';

/** Combines `detectors` into one; if two match at the same position, the first wins. */
export function joinWordDetectors(detectors: readonly WordDetector[]): readonly Detector[] {
  const [first, ...others] = detectors;
  if (first === undefined) return [];
  const needs = others.reduce((all, each) => all | each.needs, first.needs);
  const shortest = others.reduce((least, each) => Math.min(least, each.shortest), first.shortest);
  const byInitial = Array.from({ length: 256 }, (_, unit) =>
    detectors.filter(({ initials }) => initials.includes(String.fromCharCode(unit))),
  );
  const find = (units: Units, from: number, to: number, matches: Match[]): void => {
    let inWord = false;
    for (let i = from; i < to; i++) {
      const wasInWord = inWord;
      inWord = isAt(units, i, ALNUM);
      if (wasInWord || !inWord) continue;
      const match = readAny(byInitial[units[i] ?? 0] ?? [], units, i);
      if (match === undefined) continue;
      matches.push(match);
      i = match.end - 1;
    }
  };
  return [{ name: first.name, needs, shortest, find }];
}

function readAny(detectors: readonly WordDetector[], units: Units, start: number): Match | undefined {
  for (const detector of detectors) {
    const match = detector.read(units, start);
    if (match !== undefined) return match;
  }
  return undefined;
}
