// Correlated subqueries of aggregates. ClickHouse repeats their rows for each outer row with the same columns, unless the columns of an
// equality have the same type: so the aggregates are computed by the inner columns first, and only one of their values is read.
import type { Expression, Name, Query, Select } from '../tree.ts';
import type { Context } from '../context.ts';
import { conjunctsOf, writeNested } from './nested.ts';

/** An equality of a column of the subquery and one of the query around it. */
interface KeyPair {
  readonly inner: Expression;
  readonly outer: Expression;
  readonly alias: Name;
}

/** An expression as a subquery that selects it by key; undefined if it is correlated by anything but equalities of columns. */
export function byKeys(query: Query, value: Expression, context: Context): Query | undefined {
  const { body, at } = query;
  if (body.kind !== 'select') return undefined;
  const named = (prefix: string): Name => ({ name: context.shared.fresh(prefix), at });
  const conjuncts = conjunctsOf(body.where);
  const pairs = conjuncts.flatMap((each) => pairOf(each, body, context, named('key')) ?? []);
  if (pairs.length === 0) return undefined;
  const values = conjuncts.filter((each) => !pairs.some(({ of }) => of === each));
  const result = named('value');
  const grouped: Query = {
    ...query,
    orderBy: [],
    limit: undefined,
    offset: undefined,
    body: {
      ...body,
      items: [
        ...pairs.map(({ inner, alias }) => ({ kind: 'value', value: inner, alias }) as const),
        { kind: 'value', value, alias: result },
      ],
      where: allOf(values, at),
      groupBy: pairs.map(({ inner }) => inner),
    },
  };
  if (writeNested(grouped, context).isCorrelated) return undefined;
  return selectedBy(pairs, { grouped, result, alias: named('t') });
}

interface Grouped {
  readonly grouped: Query;
  readonly result: Name;
  readonly alias: Name;
}

function selectedBy(pairs: readonly KeyPair[], { grouped, result, alias }: Grouped): Query {
  const { at } = grouped;
  const column = (name: Name): Expression => ({ kind: 'path', at, parts: [alias, name] });
  const value: Expression = {
    kind: 'call',
    at,
    name: 'any_value',
    args: [column(result)],
    isStar: false,
    isSafe: false,
    isDistinct: false,
    orderBy: [],
  };
  const equalities = pairs.map((pair): Expression => ({
    kind: 'binary',
    at: pair.outer.at,
    operator: '=',
    left: column(pair.alias),
    right: pair.outer,
  }));
  const body: Select = {
    kind: 'select',
    at,
    isDistinct: false,
    items: [{ kind: 'value', value }],
    from: [{ at, join: 'CROSS', source: { kind: 'query', query: grouped }, alias }],
    where: allOf(equalities, at),
    groupBy: [],
    windows: [],
  };
  return { kind: 'query', at, tables: [], body, orderBy: [] };
}

function allOf(values: readonly Expression[], at: number): Expression | undefined {
  const [only, more] = values;
  return more === undefined ? only : { kind: 'chain', at, operator: 'AND', values };
}

function pairOf(
  of: Expression,
  body: Select,
  context: Context,
  alias: Name,
): (KeyPair & { readonly of: Expression }) | undefined {
  if (of.kind !== 'binary' || of.operator !== '=') return undefined;
  if (of.left.kind !== 'path' || of.right.kind !== 'path') return undefined;
  const [isLeft, isRight] = [of.left, of.right].map((each) => isOuter(each, body, context));
  if (isLeft === isRight) return undefined;
  const [outer, inner] = isLeft === true ? [of.left, of.right] : [of.right, of.left];
  return { of, outer, inner, alias };
}

/** Returns whether a column is one of the query around the subquery. */
function isOuter(value: Expression, { from, at }: Select, context: Context): boolean {
  const body: Select = {
    kind: 'select',
    at,
    isDistinct: false,
    items: [{ kind: 'value', value }],
    from,
    groupBy: [],
    windows: [],
  };
  return writeNested({ kind: 'query', at, tables: [], body, orderBy: [] }, context).isCorrelated;
}
