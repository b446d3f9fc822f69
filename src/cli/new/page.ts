// `millrace new --page`: an endpoint with pages, whose keys are the order of the query unless they are given.
import { createCursor, type Cursor } from '../../sql/cursor.ts';
import { CommandError } from '../command-error.ts';

/** A query without its last ORDER BY and LIMIT, and the keys of its pages. */
export interface PagedQuery {
  readonly query: string;
  readonly by: readonly string[];
}

const KEY = /^[A-Za-z_][A-Za-z0-9_]*(?: (?:ASC|DESC))?$/;
const MAX_KEYS = 8;

/** `keys` is a list such as `timestamp DESC, id`; true: the order of the query. Throws CommandError (exit 2). */
export function pagedQuery(sql: string, keys: string | true): PagedQuery {
  const cursor = createCursor(sql);
  const order = lastOrder(cursor);
  const query = order === undefined ? sql : sql.slice(0, cursor.start(order.from)).trimEnd();
  const end = order?.end === undefined ? sql.length : cursor.start(order.end);
  const text = keys === true ? order && sql.slice(cursor.start(order.from + 2), end) : keys;
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

/** The ORDER BY of the whole query, if nothing but a LIMIT follows; `end` is the token after its keys. */
function lastOrder(cursor: Cursor): { readonly from: number; readonly end: number | undefined } | undefined {
  let depth = 0;
  let from: number | undefined;
  let end: number | undefined;
  for (let index = 0; index < cursor.length; index++) {
    const kind = cursor.kind(index);
    if (kind === '(') depth++;
    if (kind === ')') depth--;
    if (depth > 0) continue;
    const word = cursor.word(index);
    if (word === 'ORDER' && cursor.word(index + 1) === 'BY') [from, end] = [index, undefined];
    if (word === 'LIMIT' && from !== undefined) end ??= index;
    if (word === 'UNION' || word === 'SETTINGS') return undefined;
  }
  return from === undefined ? undefined : { from, end };
}
