// Parses the value in parentheses of a field filter: several values, as in `(500|503)`, or text as it is written, as in `(sign up)`.
import type { TextSpan } from '../base/finding.ts';
import type { Fault } from './finding.ts';
import { HIDDEN, isWhite, type LqlText, type ReadUpTo, SPACES } from './source.ts';

/** One of several values as written: `isText` is true for a value in quotes, and for one that is not a list. */
export interface WrittenValue {
  readonly text: string;
  readonly isText: boolean;
  readonly span: TextSpan;
}

/** Values of one filter. A list of a facet has fewer, and the conditions of more would exceed the size of a consumer query. */
export const MAX_VALUES = 100;

/** Parentheses around text: no list, and no quotes, with which it could be misread as one. */
const TEXT = /\(([^)|"]*)\)/y;
const PIECE = new RegExp(`(?:\\\\"|[^${HIDDEN}"|()])+`, 'y');
/** Each character is read in one way only, so that no text takes long. */
const UP_TO_END = /(?:\\"|"(?:[^"\\]|\\[^])*"|\\(?!")|[^")\\])*\)/y;
const FOREIGN = /(?:OR|AND)(?![^\s)"])/y;
const OR = /[ \t\r\n]OR[ \t\r\n]/;

/** The values that open at `start`. Undefined if it is one bare value, such as `(?i)panic`. */
export function readGroup(source: LqlText, start: number): ReadUpTo<readonly WrittenValue[]> | undefined {
  const text = source.match(TEXT, start);
  const inside = text?.[1] ?? '';
  const end = start + (text?.[0].length ?? 0);
  const isFollowed = source.bareEnd(start) > end && !isEnd(source, end);
  if (text !== undefined && isFollowed && !source.text.slice(end, source.bareEnd(start)).includes('|'))
    return undefined;
  if (text === undefined || isFollowed || inside.trim() === '' || OR.test(inside))
    return readPieces(source, start);
  return { end, value: [{ text: inside, isText: true, span: { start, end } }] };
}

function isEnd(source: LqlText, at: number): boolean {
  return at >= source.text.length || isWhite(source.text.charAt(at));
}

function readPieces(source: LqlText, start: number): ReadUpTo<readonly WrittenValue[]> {
  const pieces: WrittenValue[] = [];
  for (let at = start + 1; ;) {
    at = afterSpaces(source, at);
    const piece = readPiece(source, at);
    if (piece === undefined) return failAt(source, start, { start: at, end: at }, PIECE_MISSING);
    if (piece.value === undefined) return { end: piece.end };
    if (pieces.length === MAX_VALUES) return failAt(source, start, piece.value.span, TOO_MANY);
    pieces.push(piece.value);
    at = afterSpaces(source, piece.end);
    const next = source.text.charAt(at);
    if (next === ')') return { end: at + 1, value: pieces };
    if (next !== '|') return failAt(source, start, { start: at, end: at + 1 }, notSeparated(source, at));
    at++;
  }
}

function readPiece(source: LqlText, start: number): ReadUpTo<WrittenValue> | undefined {
  if (source.text[start] === '"') {
    const { end, value } = source.quoted(start);
    return value === undefined
      ? { end }
      : { end, value: { text: value, isText: true, span: { start, end } } };
  }
  const length = source.match(PIECE, start)?.[0].length;
  if (length === undefined) return undefined;
  const end = start + length;
  return { end, value: { text: source.bare(start, end), isText: false, span: { start, end } } };
}

function afterSpaces(source: LqlText, at: number): number {
  return at + (source.match(SPACES, at)?.[0].length ?? 0);
}

/** Resumes after the closing parenthesis: what is left inside is no clause. */
function failAt(source: LqlText, open: number, span: TextSpan, fault: Fault): ReadUpTo<never> {
  const length = source.match(UP_TO_END, open)?.[0].length;
  const isUnclosed = length === undefined;
  const { length: all } = source.text;
  if (isUnclosed) source.report({ start: open, end: all }, PARENTHESIS_UNCLOSED);
  else source.report({ start: span.start, end: Math.min(span.end, all) }, fault);
  return { end: isUnclosed ? all : open + length };
}

function notSeparated(source: LqlText, at: number): Fault {
  const foreign = source.match(FOREIGN, at)?.[0];
  return foreign === undefined
    ? NOT_SEPARATED
    : {
        code: 'lql.operator_unknown',
        message: `values in parentheses are separated by |, not by ${foreign}`,
        hint: 'such as m.status:(500|503); put text that contains it in double quotes',
      };
}

export const PARENTHESIS_UNCLOSED: Fault = {
  code: 'lql.parenthesis_unclosed',
  message: 'unclosed parenthesis',
  hint: 'end the value with ), or put it in double quotes',
};

const PIECE_MISSING: Fault = {
  code: 'lql.value_missing',
  message: 'a value is missing in the parentheses',
  hint: 'write values with | between them, as in (500|503), and "" for an empty string',
};

const NOT_SEPARATED: Fault = {
  code: 'lql.value_invalid',
  message: 'expected | or ) after this value',
  hint: 'put a value with spaces, quotes, parentheses or | in double quotes',
};

const TOO_MANY: Fault = {
  code: 'lql.too_many_values',
  message: `a filter has at most ${MAX_VALUES} values`,
  hint: 'use a range, or a regular expression as in m.path:~"^/(a|b)/"',
};
