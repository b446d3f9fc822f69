// Reads queries: their skeleton is parsed by node-sql-parser, and its tree filled with what the names in it mean.
import type { FromItem, Query, Select, SetOperation, WithTable, Name } from '../../sql/syntax-tree.ts';
import { ReadError } from './read-error.ts';
import { readFromClause } from './from.ts';
import type { Leaf, Member, Skeleton } from './leaf.ts';
import { readSkeleton } from './skeleton.ts';
import { nested, peek, type Source } from './source.ts';
import { nodeOf, nodesOf, nothingElse, textOf, type Node } from './node.ts';

/** Parses a skeleton with node-sql-parser. */
export type ParseSkeleton = (skeleton: string) => unknown;

/** Reads the query at the next token. @throws ReadError */
export function createReadQuery(parse: ParseSkeleton): Pick<Source, 'query' | 'from'> {
  const tree = ({ pieces, leaves }: Skeleton, start: number): Node => {
    try {
      const [only, ...more] = nodesOf(parse(pieces.join(' ')));
      if (only !== undefined && more.length === 0) return only;
    } catch {
      // The grammar's error is about the skeleton, which the author has not seen.
    }
    const last = leaves.length;
    throw new ReadError(start, `The clauses of this query could not be read (${last} expressions)`);
  };
  return {
    query: (source) => {
      const skeleton: Skeleton = { pieces: [], leaves: [] };
      const { start } = peek(source);
      nested(source, () => readSkeleton(source, skeleton));
      return queryOf(tree(skeleton, start), skeleton.leaves, start);
    },
    from: (source) => {
      const skeleton: Skeleton = { pieces: ['SELECT 1 FROM'], leaves: [] };
      const { start } = peek(source);
      nested(source, () => readFromClause(source, skeleton));
      return fromOf(tree(skeleton, start), skeleton.leaves);
    },
  };
}

type LeafOf<K extends Leaf['kind']> = Extract<Leaf, { kind: K }>;

function leafOf<K extends Leaf['kind']>(leaves: readonly Leaf[], name: string, kind: K): LeafOf<K> {
  const leaf = leaves[Number(name.replace(/^x/, ''))];
  if (leaf?.kind !== kind)
    throw new ReadError(0, `The clauses of this query could not be read: no ${kind} at ${name}`);
  return leaf as LeafOf<K>; // its kind has just been compared
}

/** A query from the tree of its skeleton. */
function queryOf(node: Node, leaves: readonly Leaf[], at: number): Query {
  const members: { readonly member: Member; readonly body: Select | Query }[] = [];
  let last = node;
  for (let each: Node | undefined = node; each !== undefined; each = nodeOf(each['_next'])) {
    members.push(memberOf(each, leaves));
    last = each;
  }
  const { member } = members.at(-1) ?? { member: undefined };
  const limits = nodesOf(nodeOf(last['limit'])?.['value']).map(
    (each) => leafOf(leaves, textOf(each['value']), 'limit').text,
  );
  const isOffset = textOf(nodeOf(last['limit'])?.['seperator']) === 'offset';
  const [limit = members.length === 1 ? member?.top : undefined, offset] =
    isOffset && limits.length === 1 ? [undefined, limits[0]] : limits;
  const orderBy = nodesOf(last['orderby']).map(
    (each) => leafOf(leaves, columnOf(each['expr']), 'order').order,
  );
  return {
    kind: 'query',
    at,
    tables: nodesOf(node['with']).map((each) => tableOf(each, leaves)),
    body: bodyOf(combined(members)),
    orderBy,
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(member?.hasTies === true ? { hasTies: true } : {}),
  };
}

function tableOf(node: Node, leaves: readonly Leaf[]): WithTable {
  const { name, columns, isRecursive } = leafOf(leaves, textOf(nodeOf(node['name'])?.['value']), 'with');
  const statement = nodeOf(node['stmt']) ?? {};
  const query = queryOf(nodeOf(statement['ast']) ?? statement, leaves, name.at);
  const isSelf = isRecursive && hasTable(query, name.name.toLowerCase());
  return {
    name,
    query,
    ...(columns.length === 0 ? {} : { columns }),
    ...(isSelf ? { isRecursive: true } : {}),
  };
}

/** Whether FROM names a table, anywhere in a part of a query. */
function hasTable(part: unknown, name: string): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if ('kind' in part && part.kind === 'table' && 'parts' in part) {
    const [table, more] = part.parts as readonly Name[]; // of a table in FROM
    return more === undefined && table?.name.toLowerCase() === name;
  }
  return Object.values(part).some((each) => hasTable(each, name));
}

/** The name in a reference to a column. */
function columnOf(value: unknown): string {
  const column = nodeOf(nodeOf(value)?.['column'])?.['expr'];
  return textOf(nodeOf(column)?.['value']);
}

const KNOWN = [
  'type',
  'with',
  'columns',
  'from',
  'where',
  'groupby',
  'having',
  'orderby',
  'limit',
  '_next',
  'set_op',
  'into',
  'distinct',
  'options',
];

function memberOf(node: Node, leaves: readonly Leaf[]) {
  nothingElse(node, KNOWN);
  const [first, ...items] = nodesOf(node['columns']).map((each) => columnOf(each['expr']));
  const { member } = leafOf(leaves, first ?? '', 'member');
  if (member.top !== undefined && (member.operator !== undefined || node['_next'] !== undefined))
    throw new ReadError(
      member.at,
      'TOP in a set operation is not supported: write LIMIT at the end of the query',
    );
  if (member.query !== undefined) return { member, body: member.query };
  const expression = (value: unknown) => leafOf(leaves, columnOf(value), 'expression').value;
  const groupBy = nodesOf(nodeOf(node['groupby'])?.['columns']).map(expression);
  const body: Select = {
    kind: 'select',
    at: member.at,
    isDistinct: member.isDistinct,
    ...(member.distinctOn === undefined ? {} : { distinctOn: member.distinctOn }),
    items: items.map((name) => leafOf(leaves, name, 'item').item),
    from: fromOf(node, leaves),
    ...(nodeOf(node['where']) === undefined ? {} : { where: expression(node['where']) }),
    groupBy: member.isGroupAll === true ? 'ALL' : groupBy,
    ...(member.groupings === undefined ? {} : { groupings: member.groupings }),
    ...(nodeOf(node['having']) === undefined ? {} : { having: expression(node['having']) }),
    ...(member.qualify === undefined ? {} : { qualify: member.qualify }),
    windows: member.windows ?? [],
  };
  return { member, body };
}

/** The tables in order. RIGHT and FULL joins after a comma do not apply to the tables before it. */
function fromOf(node: Node, leaves: readonly Leaf[]): readonly FromItem[] {
  const groups: FromItem[][] = [];
  for (const each of nodesOf(node['from'])) {
    nothingElse(each, ['table', 'join', 'on', 'using', 'as', 'db', 'type', 'operator']);
    const { item, isComma } = leafOf(leaves, textOf(each['table']), 'table');
    const using = nodesOf(each['using']).map((name) => leafOf(leaves, textOf(name['value']), 'column').name);
    const on = nodeOf(each['on']);
    const joined: FromItem = {
      ...item,
      ...(on === undefined ? {} : { on: leafOf(leaves, columnOf(on), 'expression').value }),
      ...(using.length === 0 ? {} : { using }),
    };
    if (isComma || groups.length === 0) groups.push([joined]);
    else groups.at(-1)?.push(joined);
  }
  return groups.flatMap((items, index) => {
    const isOuter = items.some(({ join }) => join === 'RIGHT' || join === 'FULL');
    return isOuter && index > 0
      ? [{ at: items[0]?.at ?? 0, join: 'CROSS' as const, source: { kind: 'group' as const, items } }]
      : items;
  });
}

/** Set operations from left to right; those that bind tighter first. */
function combined(
  members: readonly { readonly member: Member; readonly body: Select | Query }[],
): Query['body'] {
  const terms: { readonly operator: Member['operator']; readonly body: Select | Query }[] = [];
  for (const { member, body } of members) {
    const previous = terms.at(-1);
    if (member.isTight === true && member.operator !== undefined && previous !== undefined)
      terms[terms.length - 1] = {
        operator: previous.operator,
        body: joined(previous.body, member.operator, body),
      };
    else terms.push({ operator: member.operator, body });
  }
  return terms
    .slice(1)
    .reduce<Select | Query>(
      (left, { operator, body }) => joined(left, operator ?? 'UNION ALL', body),
      terms[0]?.body ?? EMPTY,
    );
}

const EMPTY: Query = {
  kind: 'query',
  at: 0,
  tables: [],
  body: { kind: 'rows', at: 0, rows: [] },
  orderBy: [],
};

/** Without a query that has nothing but a body. */
function bodyOf(body: Query['body']): Query['body'] {
  return body.kind === 'query' && isBare(body) ? body.body : body;
}

/** One operation, as a query; more members of the same operator are added to it if it is associative. */
function joined(left: Select | Query, operator: SetOperation['operator'], right: Select | Query): Query {
  const { at } = left;
  const body = left.kind === 'query' && isBare(left) ? left.body : undefined;
  const isSame = body?.kind === 'set' && body.operator === operator && !operator.startsWith('EXCEPT');
  const members = isSame ? [...body.members, right] : [left, right];
  return { kind: 'query', at, tables: [], body: { kind: 'set', at, operator, members }, orderBy: [] };
}

function isBare({ tables, orderBy, limit, offset }: Query): boolean {
  return tables.length === 0 && orderBy.length === 0 && limit === undefined && offset === undefined;
}
