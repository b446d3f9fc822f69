// The problem for a query that may show fewer rows than the smallest group, at the place in the consumer's text.
import type { Problem } from '../../core/problem.ts';
import { nameTokens } from '../../sql/tree/tokens.ts';
import { spanOf, wordOf } from '../../sql/tree/visit.ts';
import { findInQuery } from '../find-in-query.ts';
import { rejection, type LexedQuery } from '../lexed-query.ts';
import type { Rejection } from './values.ts';

/** The Problem, at the first place of the query that has the rejected name. */
export function rejected(query: LexedQuery, { rejected: what, hint, at }: Rejection): Problem {
  const keyword = nameTokens(query).find((each) => wordOf(query, each) === at?.toUpperCase())?.at;
  const named = at === undefined ? undefined : findInQuery(query.cursor, at)?.start;
  const offset =
    named ?? (keyword === undefined ? 0 : spanOf(query, { from: keyword, to: keyword + 1 }).start);
  const subject = `${what[0]?.toUpperCase() ?? ''}${what.slice(1)}`;
  return rejection(query.cursor.sql, offset, {
    code: 'sandbox.min_group',
    message: `${subject} is not allowed: the endpoint returns groups of rows only`,
    hint,
  });
}

/** The engine prints names in its tree as they are, where others cannot be separated from what is beside them. */
export function unreadableName(query: LexedQuery): Rejection | undefined {
  const found = nameTokens(query).find(({ name }) => !/^[\w -]+$/.test(name));
  if (found === undefined) return undefined;
  const hint = 'Use letters, digits, spaces, _ and -';
  return { rejected: 'a quoted name with other characters', hint, at: found.name };
}
