// `millrace new --page`: an endpoint with pages, whose keys are the order of the query unless they are given.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';
import { sourceOf, spanOf } from '../../../sql/clickhouse/tree/visit.ts';
import { CommandError } from '../../kit/command-error.ts';

/** A query without its last ORDER BY and LIMIT, and the keys of its pages. */
export interface PagedQuery {
  readonly query: string;
  readonly by: readonly string[];
}

const KEY = /^[A-Za-z_][A-Za-z0-9_]*(?: (?:ASC|DESC))?$/;
const MAX_KEYS = 8;

/** `keys` is a list such as `timestamp DESC, id`; true: the order of the query. Throws CommandError (exit 2). */
export function pagedQuery(sql: string, keys: string | true): PagedQuery {
  const tree = parseSavedText(sql);
  const order = lastOrder(tree);
  const query = order === undefined ? sql : sql.slice(0, spanOf(tree, order).start).trimEnd();
  const text = keys === true ? order && sourceOf(tree, { from: order.from + 2, to: order.to }) : keys;
  const by = (text ?? '').split(',').map((each) => each.trim().replace(/\s+/g, ' '));
  const written = by.map((each) => each.replace(/ (?:asc|desc)$/i, (way) => way.toUpperCase()));
  if (written.every((each) => KEY.test(each)) && written.length <= MAX_KEYS) return { query, by: written };
  throw new CommandError(
    keys === true
      ? 'Pages need keys: the query has no ORDER BY of columns of its result. Name them: --page "timestamp DESC, id DESC"'
      : `Invalid --page "${keys}": use at most ${MAX_KEYS} columns of the result, each with ASC or DESC, such as "timestamp DESC, id DESC"`,
    { exitCode: 2 },
  );
}

/** The ORDER BY of the whole query, if nothing but a LIMIT follows. */
function lastOrder({ root, fault }: Tree): Node | undefined {
  const clauses = root.kind === 'select' && fault === undefined ? root.parts : [];
  const last = clauses.findLast(({ kind }) => kind !== 'limit');
  return last?.kind === 'order-by' ? last : undefined;
}
