// The problem for a query that may show fewer rows than the smallest group, at the place in the consumer's text.
import type { Problem } from '../../core/problem.ts';
import type { Cursor } from '../../sql/cursor.ts';
import { findInQuery } from '../find-in-query.ts';
import { rejection } from '../lexed-query.ts';
import type { Rejection } from './values.ts';

/** The Problem, at the first place of the query that has the rejected name. */
export function rejected(query: Cursor, { rejected: what, hint, at }: Rejection): Problem {
  const word = query.tokens.findIndex(
    (_, index) => at !== undefined && query.word(index) === at.toUpperCase(),
  );
  const named = at === undefined ? undefined : findInQuery(query, at)?.start;
  const offset = named ?? (word < 0 ? 0 : query.start(word));
  const subject = `${what[0]?.toUpperCase() ?? ''}${what.slice(1)}`;
  return rejection(query.sql, offset, {
    code: 'sandbox.min_group',
    message: `${subject} is not allowed: the endpoint returns groups of rows only`,
    hint,
  });
}

/** The engine prints names in its tree as they are, where others cannot be separated from what is beside them. */
export function unreadableName(query: Cursor): Rejection | undefined {
  const found = query.tokens.findIndex(
    ({ kind }, at) => kind === 'quoted' && !/^[\w -]+$/.test(query.name(at) ?? ''),
  );
  if (found < 0) return undefined;
  const hint = 'Use letters, digits, spaces, _ and -';
  return { rejected: 'a quoted name with other characters', hint, at: query.name(found) };
}
