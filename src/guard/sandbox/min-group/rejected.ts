// The problem for a query that may show fewer rows than the smallest group, at the place in the consumer's text.
import type { Problem } from '../../../sql/base/problem.ts';
import type { TreeLine } from '../../../sql/clickhouse/query-tree.ts';
import { nameTokens } from '../../../sql/clickhouse/tree/tokens.ts';
import { spanOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import { findInQuery } from '../find-in-query.ts';
import { rejection, type LexedQuery } from '../lexed-query.ts';
import { NO_TREE } from '../query-tree/agreement.ts';
import { minGroupRejection, type MinGroupContext } from './selects.ts';
import type { Rejection } from './values.ts';

/** The Problem, at the first place of the query that has the rejected name. */
function rejected(query: LexedQuery, { rejected: what, hint, at }: Rejection): Problem {
  const word = nameTokens(query).find((token) => wordOf(query, token) === at?.toUpperCase())?.at;
  const named = at === undefined ? undefined : findInQuery(query, at)?.start;
  const offset = named ?? (word === undefined ? 0 : spanOf(query, { from: word, to: word + 1 }).start);
  const subject = `${what[0]?.toUpperCase() ?? ''}${what.slice(1)}`;
  return rejection(query.cursor.sql, offset, {
    code: 'sandbox.min_group',
    message: `${subject} is not allowed: the endpoint returns groups of rows only`,
    hint,
  });
}

/** The engine prints names in its tree as they are, where others cannot be separated from what is beside them. */
function unreadableName(query: LexedQuery): Rejection | undefined {
  const found = nameTokens(query).find(({ name }) => !/^[\w -]+$/.test(name));
  const hint = 'Use letters, digits, spaces, _ and -';
  return found && { rejected: 'a quoted name with other characters', hint, at: found.name };
}

/** @throws Problem if the query may show fewer rows than the smallest group. */
export function checkGroups(sent: LexedQuery, tree: TreeLine | undefined, context: MinGroupContext): void {
  if (tree === undefined) throw rejection(sent.cursor.sql, 0, NO_TREE);
  const found = unreadableName(sent) ?? minGroupRejection(tree, context);
  if (found !== undefined) throw rejected(sent, found);
}
