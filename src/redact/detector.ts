// What a detector is, and the names that endpoint files choose them by.
import { isWordAt, runEnd, type Units } from './text.ts';

export type DetectorName = 'ip' | 'email' | 'token' | 'api_key' | 'card' | 'iban' | 'phone';

/** A find: from `start` to before `end`. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly name: DetectorName;
}

export interface Detector {
  readonly name: DetectorName;
  /** Hints of which every text with a find has at least one; see `hints.ts`. */
  readonly needs: number;
  /** The length of the shortest find, in units. */
  readonly shortest: number;
  /**
   * Adds the finds in `units` from `from` to before `to`, in order and apart from each other. Takes time linear in the
   * length, whatever the text: no unit is read more often than a constant says.
   */
  readonly find: (units: Units, from: number, to: number, matches: Match[]) => void;
}

/** A detector of what begins where a word does. Such detectors share one walk; see `words.ts`. */
export interface WordDetector {
  readonly name: DetectorName;
  readonly needs: number;
  readonly shortest: number;
  /** Characters that its words begin with. */
  readonly initials: string;
  /** The find whose word begins at `start`. Over all words of a text, no unit is read more often than a constant says. */
  readonly read: (units: Units, start: number) => Match | undefined;
}

/** What stands in the place of a find. */
export const REDACTED = 'REDACTED';

const FIRST = REDACTED.charCodeAt(0);

/** As `runEnd`, but up to the word REDACTED: it is no part of a find, or what was redacted once would be found again. */
export function freshEnd(units: Units, index: number, classes: number): number {
  const end = runEnd(units, index, classes);
  for (let i = index; i < end; i++) {
    if (units[i] === FIRST && isWordAt(units, i, REDACTED)) return i;
  }
  return end;
}
