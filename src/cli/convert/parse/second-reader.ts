// A second reader of the clauses: node-sql-parser, which was written independently, has to find the same parts in the same places.
import type { OutlinedQuery } from '../../../sql/dialects/read/outline.ts';
import type { FromItem, Query, Select } from '../../../sql/dialects/tree.ts';

/** Parses the outline of a query. It throws for what its grammar does not have. */
export type ParseOutline = (text: string) => unknown;

/** The queries that the second reader reads otherwise, or not at all, by their offset. */
export function disagreements(outlines: readonly OutlinedQuery[], parse: ParseOutline): readonly number[] {
  return outlines.filter((each) => !isReadSame(each, parse)).map(({ at }) => at);
}

function isReadSame({ text, query, names }: OutlinedQuery, parse: ParseOutline): boolean {
  const own = JSON.stringify(shapeOf(query, (node) => names.get(node) ?? '?'));
  try {
    const [only, ...more] = nodesOf(parse(text));
    return only !== undefined && more.length === 0 && JSON.stringify(shapeInTree(only)) === own;
  } catch {
    // The grammar's error is about the outline, which the author has not seen.
    return false;
  }
}

/** The names of the parts of a query, by clause. */
interface Shape {
  readonly tables: readonly (readonly string[])[];
  readonly members: readonly MemberShape[];
  readonly orderBy: readonly string[];
  readonly limits: readonly string[];
}

interface MemberShape {
  readonly operator: string;
  readonly items: readonly string[];
  readonly from: readonly string[];
  readonly where: string;
  readonly groupBy: readonly string[];
  readonly having: string;
}

const NOTHING: MemberShape = { operator: '', items: [], from: [], where: '', groupBy: [], having: '' };

type NameOf = (node: object) => string;

function shapeOf({ tables, body, orderBy, limit, offset }: Query, nameOf: NameOf): Shape {
  return {
    tables: tables.map((table) => [nameOf(table), nameOf(table.query)]),
    members: membersOf(body, nameOf),
    orderBy: orderBy.map(nameOf),
    limits: [...(limit === undefined ? [] : ['1']), ...(offset === undefined ? [] : ['2'])],
  };
}

/** Members in source order; those that were written in parentheses have names. */
function membersOf(body: Query['body'], nameOf: NameOf): readonly MemberShape[] {
  if (nameOf(body) !== '?') return [{ ...NOTHING, items: [nameOf(body)] }];
  switch (body.kind) {
    case 'select':
      return [selectShape(body, nameOf)];
    case 'set':
      return body.members.flatMap((member, index) => {
        const [first = NOTHING, ...more] = membersOf(member, nameOf);
        return index === 0
          ? [first, ...more]
          : [{ ...first, operator: body.operator.split(' ')[0] ?? '' }, ...more];
      });
    case 'query':
      return membersOf(body.body, nameOf);
    case 'rows':
      return [];
  }
}

function selectShape(select: Select, nameOf: NameOf): MemberShape {
  const { items, from, where, groupBy, groupings = [], having } = select;
  const keys = [
    ...(groupBy === 'ALL' ? [] : groupBy.map(nameOf)),
    ...groupings.flatMap((each) => (nameOf(each) === '?' ? each.sets.flat().map(nameOf) : [nameOf(each)])),
  ];
  return {
    operator: '',
    items: items.map(nameOf),
    from: from
      .flatMap((item) => tableShape(item, nameOf))
      .map((each, index) => (index === 0 ? each.replace(/^\w+ /, '') : each)),
    where: where === undefined ? '' : nameOf(where),
    groupBy: keys.toSorted(),
    having: having === undefined ? '' : nameOf(having),
  };
}

function tableShape(item: FromItem, nameOf: NameOf): readonly string[] {
  // Tables after a comma that an outer join follows.
  if (nameOf(item) === '?' && item.source.kind === 'group')
    return item.source.items.flatMap((each) => tableShape(each, nameOf));
  const condition = [...(item.on === undefined ? [] : [item.on]), ...(item.using ?? [])].map(nameOf);
  return [[item.join === 'CROSS' ? 'INNER' : item.join, nameOf(item), ...condition].join(' ')];
}

/** A node of the other tree, which has no reliable types. */
type Node = Readonly<Record<string, unknown>>;

function nodeOf(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : undefined; // an object
}

/** The nodes of a list; a single node is a list of one. */
function nodesOf(value: unknown): readonly Node[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map(nodeOf).filter((each) => each !== undefined);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** The name in a reference to a column; empty for other nodes. */
function columnOf(value: unknown): string {
  const column = nodeOf(nodeOf(value)?.['column'])?.['expr'];
  return textOf(nodeOf(column)?.['value']);
}

function shapeInTree(node: Node): Shape {
  const members: MemberShape[] = [];
  let [last, operator]: [Node, string] = [node, ''];
  for (let each: Node | undefined = node; each !== undefined; each = nodeOf(each['_next'])) {
    members.push(memberInTree(each, operator));
    operator = textOf(each['set_op']).toUpperCase();
    last = each;
  }
  return {
    tables: nodesOf(node['with']).map((each) => {
      const statement = nodeOf(each['stmt']) ?? {};
      const [inner] = nodesOf((nodeOf(statement['ast']) ?? statement)['columns']);
      return [textOf(nodeOf(each['name'])?.['value']), columnOf(inner?.['expr'])];
    }),
    members,
    orderBy: nodesOf(last['orderby']).map((each) => columnOf(each['expr'])),
    limits: nodesOf(nodeOf(last['limit'])?.['value']).map((each) => textOf(each['value'])),
  };
}

function memberInTree(node: Node, operator: string): MemberShape {
  return {
    operator,
    items: nodesOf(node['columns']).map((each) => columnOf(each['expr'])),
    from: nodesOf(node['from']).map(tableInTree),
    where: columnOf(node['where']),
    groupBy: nodesOf(nodeOf(node['groupby'])?.['columns']).map(columnOf).toSorted(),
    having: columnOf(node['having']),
  };
}

function tableInTree(node: Node): string {
  const join = textOf(node['join']).replace(/ JOIN$/, '');
  const using = nodesOf(node['using']).map((name) => textOf(name['value']));
  const on = columnOf(node['on']);
  return [join, textOf(node['table']), on, ...using].filter((each) => each !== '').join(' ');
}
