// Where a clause is read: what all of its readers need to know.
import type { Source } from './source.ts';
import type { Path } from './tree.ts';

export interface Place {
  readonly source: Source;
  /** Where the clause begins, its minus included. */
  readonly start: number;
  /** Where it begins behind the minus. */
  readonly body: number;
  readonly negated: boolean;
}

const PATH = /\w+(?:\.\w+)*/y;

/** Deeper than any log, and few enough to look up each part. */
const MAX_SEGMENTS = 64;

/** A path at this place; `m.` is short for `metadata.`. Reports one that is too deep. */
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
