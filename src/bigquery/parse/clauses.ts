// Clauses shared by many forms: aliases, counts, ORDER BY and windows.
import type { Reader } from './reader.ts';
import type { Expression, Name, Order, Window } from '../../sql/syntax-tree.ts';

/** Whether a query comes next, after an opening parenthesis that was already read. */
export function isQueryAhead(reader: Reader): boolean {
  return reader.word() === 'SELECT' || reader.word() === 'WITH';
}

/** `AS name` or a bare name. */
export function parseAlias(reader: Reader): Name | undefined {
  if (reader.take('AS')) return reader.name('a name');
  return reader.isName() ? reader.name('a name') : undefined;
}

/** An integer such as `5`. */
export function parseCount(reader: Reader): string {
  const { kind, text } = reader.peek();
  if (kind !== 'number' || !/^\d{1,18}$/.test(text)) reader.reject('a whole number');
  return reader.next().text;
}

/** The list after ORDER BY. */
export function parseOrders(reader: Reader): readonly Order[] {
  const orders: Order[] = [];
  do {
    const value = reader.grammar.expression(reader);
    const isDescending = reader.take('DESC');
    if (!isDescending) reader.take('ASC');
    const nulls = (['FIRST', 'LAST'] as const).find((place) => reader.take('NULLS', place));
    orders.push({ value, isDescending, ...(nulls === undefined ? {} : { nulls }) });
  } while (reader.takeSymbol(','));
  return orders;
}

/** `([name] [PARTITION BY …] [ORDER BY …] [frame])`. */
export function parseWindow(reader: Reader): Window {
  reader.expectSymbol('(');
  const base = reader.isName() ? reader.name('a window') : undefined;
  const partitionBy: Expression[] = [];
  if (reader.take('PARTITION', 'BY')) {
    do partitionBy.push(reader.grammar.expression(reader));
    while (reader.takeSymbol(','));
  }
  const orderBy = reader.take('ORDER', 'BY') ? parseOrders(reader) : [];
  const frame = parseFrame(reader);
  reader.expectSymbol(')');
  return {
    partitionBy,
    orderBy,
    ...(base === undefined ? {} : { base }),
    ...(frame === undefined ? {} : { frame }),
  };
}

function parseFrame(reader: Reader): string | undefined {
  const kind = (['ROWS', 'RANGE'] as const).find((word) => reader.take(word));
  if (kind === undefined) return undefined;
  if (!reader.take('BETWEEN')) return `${kind} ${parseBound(reader)}`;
  const from = parseBound(reader);
  reader.expect('AND');
  return `${kind} BETWEEN ${from} AND ${parseBound(reader)}`;
}

function parseBound(reader: Reader): string {
  if (reader.take('CURRENT', 'ROW')) return 'CURRENT ROW';
  const count = reader.take('UNBOUNDED') ? 'UNBOUNDED' : parseCount(reader);
  const side = (['PRECEDING', 'FOLLOWING'] as const).find((word) => reader.take(word));
  return `${count} ${side ?? reader.reject('PRECEDING or FOLLOWING')}`;
}

/** `COALESCE(array, [])` without its default: a missing array has no elements either. */
export function withoutEmptyDefault(array: Expression): Expression {
  if (array.kind !== 'call' || !['coalesce', 'ifnull'].includes(array.name)) return array;
  const [only, ...more] = array.args;
  const areEmpty = more.every((each) => each.kind === 'array' && each.items.length === 0);
  return only !== undefined && more.length > 0 && areEmpty ? only : array;
}
