// The context in which a clause is parsed, shared by all clause readers.
import type { LqlText } from './source.ts';
import type { FieldPath } from './tree.ts';

/** Where a clause reader stands: the source, and the offsets of the clause. */
export interface ClauseContext {
  readonly source: LqlText;
  /** Start offset of the clause, including its minus. */
  readonly start: number;
  /** Start offset after the minus. */
  readonly body: number;
  readonly negated: boolean;
}

/** A segment is a word, or text in double quotes, in which \" and \\ are escapes. */
const SEGMENT_SOURCE = String.raw`(?:\w+|"(?!")[^"\\]*(?:\\[^][^"\\]*)*")`;
export const PATH_SOURCE = String.raw`${SEGMENT_SOURCE}(?:\.${SEGMENT_SOURCE})*`;
const PATH = new RegExp(PATH_SOURCE, 'y');
const SEGMENTS = new RegExp(SEGMENT_SOURCE, 'g');

/** More than any log has, and few enough to resolve each segment. */
const MAX_SEGMENTS = 64;

/** The path at `start`; `m.` is short for `metadata.`. Reports a path with too many segments. */
export function readPath({ match, report }: LqlText, start: number): FieldPath | undefined {
  const text = match(PATH, start)?.[0];
  if (text === undefined) return undefined;
  const [first = '', ...rest] = text.match(SEGMENTS) ?? [];
  const segments = [first === 'm' && rest.length > 0 ? 'metadata' : first, ...rest].map(unquoted);
  const span = { start, end: start + text.length };
  if (segments.length > MAX_SEGMENTS) {
    report(span, { code: 'lql.path_invalid', message: `a path has at most ${MAX_SEGMENTS} parts` });
  }
  return { segments, span };
}

function unquoted(segment: string): string {
  return segment.startsWith('"') ? segment.slice(1, -1).replace(/\\(["\\])/g, '$1') : segment;
}
