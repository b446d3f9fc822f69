// Redacts JSONEachRow rows in one pass: strings are searched, columns are handled by name.
import { rulesBelow, type ColumnAction, type ColumnRules } from './columns.ts';
import type { DetectorName, Match } from './detector.ts';
import { createEdits, type Edits } from './edits.ts';
import { ENDS_STRING, ESCAPES_NEXT, HINTS } from './character-flags.ts';
import * as json from './json-bytes.ts';
import type { Replacements } from './replacements.ts';
import { mayFind, type Scan } from './scan.ts';
import * as codes from './text.ts';

// Local copies for the loop over all bytes: V8 folds constants of this module, but looks up imported ones on each access.
const LF = json.LF;
const QUOTE = codes.QUOTE;
const ENDS = ENDS_STRING;
const ESCAPES = ESCAPES_NEXT;
const TABLE = HINTS;

/** A compiled redactor's parts. */
export interface LineOptions {
  readonly scan: Scan;
  readonly rules: ColumnRules | undefined;
  readonly replacements: Replacements;
  /** A text that is left as it is. */
  readonly neutral?: string;
  /** Called for each match in a string. */
  readonly onMatch?: OnMatch | undefined;
}

export type OnMatch = (name: DetectorName) => void;

/** State while reading rows. */
interface LinesReading extends LineOptions {
  readonly bytes: Uint8Array;
  readonly edits: Edits;
  readonly outer: Frame[];
  frame: Frame;
}

/** An open object or array. */
interface Frame {
  /** Rules for the keys of an object, or for the elements of an array. */
  readonly rules: ColumnRules | undefined;
  /** Rules for the container that opens next. */
  next: ColumnRules | undefined;
  /** Number of members kept. */
  kept: number;
  /** Number of keys changed. */
  changedKeys: number;
}

/**
 * Returns `lines` without personal data: whole rows, each a JSON value ended by LF. Returns the same array if nothing is
 * found. Throws SyntaxError if a key to look up in the rules, or a string to hash, is invalid JSON.
 */
export function redactLines(lines: Uint8Array, options: LineOptions): Uint8Array {
  const bytes = new Uint8Array(lines.buffer, lines.byteOffset, lines.length);
  const frame = newFrame(options.rules);
  const reading: LinesReading = { ...options, bytes, edits: createEdits(), outer: [], frame };
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte !== QUOTE) {
      // In ASCII, brackets and braces follow the letters; everything else between strings precedes them.
      if (byte > 0x5a || byte === LF) readBracket(reading, byte);
      continue;
    }
    let hints = 0;
    const open = i++;
    for (let hint = 0; i < bytes.length; i++) {
      hint = TABLE[bytes[i] ?? 0] ?? 0;
      if (hint === ENDS) break;
      hints |= hint;
      if (hint >= ESCAPES) i++;
    }
    const isPlain = reading.frame.rules === undefined && !mayFind(hints, options.scan.needs);
    if (!isPlain) i = readString(reading, open, Math.min(i, bytes.length), hints);
  }
  const redacted = reading.edits.apply(bytes);
  return redacted === bytes ? lines : redacted;
}

function readBracket(reading: LinesReading, byte: number): void {
  const { outer, frame } = reading;
  if (byte === json.OPEN_BRACE || byte === json.OPEN_BRACKET) {
    outer.push(frame);
    reading.frame = newFrame(frame.next);
  } else if (byte === json.CLOSE_BRACE || byte === json.CLOSE_BRACKET) {
    reading.frame = outer.pop() ?? newFrame(undefined);
  } else if (byte === LF) {
    outer.length = 0;
    reading.frame = newFrame(reading.rules);
  }
}

function newFrame(rules: ColumnRules | undefined): Frame {
  return { rules, next: rules, kept: 0, changedKeys: 0 };
}

/**
 * Reads the string between the quotes at `open` and `close` and, for a key with a rule, its value; returns the offset of the
 * last byte read.
 */
function readString(reading: LinesReading, open: number, close: number, hints: number): number {
  const { bytes, edits, frame, replacements, scan } = reading;
  const colon = json.skipSpaces(bytes, close + 1);
  const isKey = bytes[colon] === codes.COLON;
  if (isKey && frame.rules !== undefined) {
    frame.next = rulesBelow(frame.rules, json.stringOf(bytes, open + 1, close));
    if (frame.next?.action !== undefined) return treatMember(reading, { open, colon }, frame.next.action) - 1;
  }
  if (isKey) frame.kept++;
  const found = mayFind(hints, scan.needs) ? scan.find(bytes, open + 1, close, hints) : [];
  const matches = found.length === 0 ? found : withoutNeutral(reading, found);
  for (const { start, end, name } of matches) {
    edits.replace(start, end, replacements.of(name));
    reading.onMatch?.(name);
  }
  if (isKey && matches.length > 0) keepApart(reading, close);
  return close;
}

function withoutNeutral({ bytes, neutral }: LinesReading, matches: readonly Match[]): readonly Match[] {
  if (neutral === undefined) return matches;
  return matches.filter(
    ({ start, end }) => Buffer.from(bytes.subarray(start, end)).toString('latin1') !== neutral,
  );
}

/** Keys of one object that are redacted to the same text would collide, so all but the first get a number. */
function keepApart({ frame, edits }: LinesReading, close: number): void {
  frame.changedKeys++;
  if (frame.changedKeys > 1) edits.replace(close, close, Buffer.from(`_${frame.changedKeys}`));
}

/** Masks, hashes or drops a member; returns where to continue. */
function treatMember(
  reading: LinesReading,
  key: { open: number; colon: number },
  action: ColumnAction,
): number {
  const { bytes, edits, frame, replacements } = reading;
  const start = json.skipSpaces(bytes, key.colon + 1);
  const end = json.valueEnd(bytes, start);
  if (action === 'drop') return dropMember(reading, key.open, end);
  frame.kept++;
  const isNull = bytes[start] === NULL;
  if (!isNull) edits.replace(start, end, replacements.ofColumn(bytes.subarray(start, end), action));
  return end;
}

/** The first byte of null, and of no other value. */
const NULL = 'n'.charCodeAt(0);
const NOTHING = new Uint8Array(0);

/** Also drops the preceding comma, or the following one as long as no earlier member is kept. */
function dropMember({ bytes, edits, frame }: LinesReading, key: number, end: number): number {
  const comma = json.skipSpaces(bytes, end);
  const dropEnd = frame.kept === 0 && bytes[comma] === json.COMMA ? comma + 1 : end;
  edits.replace(frame.kept === 0 ? key : bytes.lastIndexOf(json.COMMA, key), dropEnd, NOTHING);
  return dropEnd;
}
