// Buffer for decoded text: consecutive units, each with the offset of the byte that it came from.
import { HAS_ESCAPE, flagsOf } from './character-flags.ts';
import { DROPPED, foldOf, isTellingFold } from './fold.ts';
import { ALNUM, isAt, LETTER, OTHER, type Units } from './text.ts';
import { isWordCharacter } from './utf8.ts';

/** Reused between texts: only `begin` resets it. */
export interface Draft {
  readonly units: Uint8Array;
  readonly offsets: Uint32Array;
  end: number;
  hints: number;
  /** It is true if characters are folded to their ASCII equivalents. */
  isFolded: boolean;
  /** It is true if folding would change the text. */
  canFold: boolean;
  /** It is true if decoding it as quoted-printable could change the text. */
  canQuote: boolean;
}

/** A draft with room for `room` units; it does not grow. */
export function newDraft(room: number): Draft {
  const [units, offsets] = [new Uint8Array(room), new Uint32Array(room)];
  return { units, offsets, end: 1, hints: 0, isFolded: false, canFold: false, canQuote: false };
}

/** Empties the draft; the unit before the first stays the sentinel. */
export function begin(draft: Draft, isFolded: boolean): void {
  draft.end = 1;
  draft.isFolded = isFolded;
  draft.canFold = false;
  draft.canQuote = false;
}

/** Sets the sentinel after the last unit. */
export function finish(draft: Draft, to: number): void {
  draft.units[draft.end] = 0;
  draft.offsets[draft.end] = to;
  draft.hints = flagsOf(draft.units, 1, draft.end);
}

/** Adds a unit that came from the byte at `offset`; the caller ensures that there is room. */
export function put(draft: Draft, unit: number, offset: number): void {
  draft.units[draft.end] = unit;
  draft.offsets[draft.end] = offset;
  draft.end++;
}

/** Adds a character, folded if the draft is; an invisible character then adds nothing. */
export function putCodePoint(draft: Draft, codePoint: number, offset: number): void {
  if (codePoint < 0x80) return put(draft, codePoint, offset);
  const fold = foldOf(codePoint);
  if (fold === 0 || !draft.isFolded) {
    draft.canFold ||= fold !== 0 && isTellingFold(fold, isAt(draft.units, draft.end - 1, ALNUM));
    return put(draft, isWordCharacter(codePoint) ? LETTER : OTHER, offset);
  }
  if (fold !== DROPPED) put(draft, fold, offset);
}

/**
 * Rewrites the units in place: `read` adds the decoded form of what starts at a unit and returns where to continue, or returns
 * -1, and adds nothing, for a unit that stays unchanged. It must not add more units than it reads.
 */
export function rewrite(draft: Draft, to: number, read: (index: number, end: number) => number): void {
  const { units, offsets, end } = draft;
  draft.end = 1;
  for (let i = 1; i < end;) {
    const next = read(i, end);
    if (next === -1) put(draft, units[i] ?? 0, offsets[i] ?? to);
    i = next === -1 ? i + 1 : next;
  }
  finish(draft, to);
}

/** Returns whether the units contain a backslash or a percent sign. */
export function hasEscape(draft: Draft): boolean {
  return (draft.hints & HAS_ESCAPE) !== 0;
}

/** The value of `count` hexadecimal digits, or -1. */
export function readHex(units: Units, start: number, count: number): number {
  let value = 0;
  for (let i = start; i < start + count; i++) {
    const digit = i < units.length ? hexValue(units[i] ?? 0) : -1;
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** The value of a hexadecimal digit, or -1. */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
