// The context in which a clause is parsed, shared by all clause readers.
import type { Source } from './source.ts';
import type { Path } from './tree.ts';

/** Where a clause reader stands: the source, and the offsets of the clause. */
export interface ClauseContext {
  readonly source: Source;
  /** Start offset of the clause, including its minus. */
  readonly start: number;
  /** Start offset after the minus. */
  readonly body: number;
  readonly negated: boolean;
}

const PATH = /\w+(?:\.\w+)*/y;

/** More than any log has, and few enough to resolve each segment. */
const MAX_SEGMENTS = 64;

/** The path at `start`; `m.` is short for `metadata.`. Reports a path with too many segments. */
export function readPath({ match, report }: Source, start: number): Path | undefined {
  const text = match(PATH, start)?.[0];
  if (text === undefined) return undefined;
  const [first = '', ...rest] = text.split('.');
  const segments = first === 'm' && rest.length > 0 ? ['metadata', ...rest] : [first, ...rest];
  const span = { start, end: start + text.length };
  if (segments.length > MAX_SEGMENTS) {
    report(span, { code: 'lql.path_invalid', message: `a path has at most ${MAX_SEGMENTS} parts` });
  }
  return { segments, span };
}
