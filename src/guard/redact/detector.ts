// The detector interface, and the detector names used in endpoint files.
import { isWordAt, runEnd, type Units } from './text.ts';

/** Names as in endpoint files and in replacements. */
export type DetectorName = 'ip' | 'email' | 'token' | 'api_key' | 'card' | 'iban' | 'phone';

/** A match: from `start` (inclusive) to `end` (exclusive). */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly name: DetectorName;
}

/** Finds one kind of personal data. */
export interface Detector {
  readonly name: DetectorName;
  /** Character flags of which every text with a match has at least one; see `character-flags.ts`. */
  readonly needs: number;
  /** The length of the shortest possible match, in units. */
  readonly shortest: number;
  /**
   * Adds the matches in `units` from `from` to `to` (exclusive), in order and without overlap. Linear in the length for any
   * input: each unit is read at most a constant number of times.
   */
  readonly find: (units: Units, from: number, to: number, matches: Match[]) => void;
}

/** A detector whose matches start at the start of a word. Such detectors share one pass; see `word-scan.ts`. */
export interface WordDetector {
  readonly name: DetectorName;
  readonly needs: number;
  readonly shortest: number;
  /** Characters that a match can start with. */
  readonly initials: string;
  /** The match that starts at `start`. Over all words of a text, each unit is read at most a constant number of times. */
  readonly read: (units: Units, start: number) => Match | undefined;
}

/** The replacement for a match. */
export const REDACTED = 'REDACTED';

/** What replaces an address in a column of type IPv4, in which only an address can. */
export const NEUTRAL_ADDRESS = '0.0.0.0';

const FIRST = REDACTED.charCodeAt(0);

/** Like `runEnd`, but stops at REDACTED, so that text that was already redacted is not matched again. */
export function freshEnd(units: Units, index: number, classes: number): number {
  const end = runEnd(units, index, classes);
  for (let i = index; i < end; i++) {
    if (units[i] === FIRST && isWordAt(units, i, REDACTED)) return i;
  }
  return end;
}
