// The smallest group that a consumer query may see: every SELECT over a table of the endpoint aggregates, leaves out groups of fewer
// rows, and cannot fail on a row or a group. What other SELECTs compute from its groups tells nothing more about fewer rows.
import { type TreeLine, headingOf } from '../../../sql/clickhouse/query-tree.ts';
import type { FunctionPolicy } from '../functions/policy.ts';
import type { ReadTable } from '../read-table.ts';
import type { ScanResult } from '../scan/scanner.ts';
import { aliasOf, callOf, constantOf, identifierOf } from './nodes.ts';
import { collectAliases, namesAround, isRejected, valueOf, type Rejection, type Select } from './values.ts';

export interface MinGroupContext {
  readonly minimum: number;
  readonly scanned: Pick<ScanResult, 'tables' | 'sets'>;
  readonly functions: FunctionPolicy;
  readonly tables: readonly ReadTable[];
}

/** Why a query, with what `withMinimum` added, may show fewer rows; `tree` is the engine's. */
export function minGroupRejection(tree: TreeLine, context: MinGroupContext): Rejection | undefined {
  const [set] = context.scanned.sets;
  if (set !== undefined)
    return { rejected: 'a table after IN', hint: "Write a list: IN ('a', 'b')", at: set };
  return visit(tree, { ...context, names: namesAround(tree) });
}

interface Walk extends MinGroupContext {
  readonly names: ReadonlySet<string>;
}

function visit(line: TreeLine, context: Walk): Rejection | undefined {
  const own = line.kind === 'QUERY' && readsTable(line, context) ? checkSelect(line, context) : undefined;
  if (own !== undefined) return own;
  for (const child of line.children) {
    const found = visit(child, context);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a table of the endpoint is in its FROM clause, at any depth of joins. */
function readsTable(query: TreeLine, { scanned }: MinGroupContext): boolean {
  const inFrom = (line: TreeLine): boolean => {
    if (line.kind === 'IDENTIFIER') {
      const name = identifierOf(line);
      return name === undefined || scanned.tables.has(name);
    }
    return line.kind !== 'QUERY' && line.kind !== 'UNION' && line.children.some(inFrom);
  };
  return query.children.some((part) => part.kind === 'JOIN TREE' && part.children.some(inFrom));
}

/** What a query's node may say besides its parts. */
const ATTRIBUTES =
  /^(?:, (?:alias: [^,:]+|is_subquery: 1|is_cte: 1|cte_name: [^,:]+|is_group_by_all: 1|is_order_by_all: 1))*$/;

function checkSelect(query: TreeLine, context: Walk): Rejection | undefined {
  const from = partOf(query, 'JOIN TREE')[0];
  const name = from && identifierOf(from);
  const table = context.tables.find((each) => each.name === name);
  if (from === undefined || name === undefined || table === undefined)
    return {
      rejected: 'a join or ARRAY JOIN of rows',
      hint: 'Aggregate each table in a subquery, and join the groups',
      at: 'JOIN',
    };
  const clause = query.children.find(({ kind }) => headingOf(kind)?.isOfGroups !== true);
  if (clause !== undefined || !ATTRIBUTES.test(query.attributes))
    return otherClause(clause?.kind, query.attributes);
  const limits = [...partOf(query, 'LIMIT'), ...partOf(query, 'OFFSET')];
  if (!hasMinimum(query, context.minimum) || limits.length === 0)
    return {
      rejected: 'this form of HAVING or LIMIT',
      hint: 'Write it in a query around this one',
      at: 'HAVING',
    };
  if (limits.some((limit) => constantOf(limit)?.kind !== 'number'))
    return { rejected: 'a LIMIT that is no number', hint: 'Write a number', at: 'LIMIT' };
  return checkParts(query, selectOf(query, context, { table, alias: aliasOf(from) }));
}

function otherClause(heading: string | undefined, attributes: string): Rejection {
  const hint = 'Write it in a query around this one, over the groups';
  if (heading !== undefined) return { rejected: heading, hint, at: heading.split(' ')[0] };
  if (attributes.includes('is_distinct'))
    return { rejected: 'DISTINCT', hint: 'Write GROUP BY', at: 'DISTINCT' };
  const rejected = 'WITH TOTALS, ROLLUP, CUBE, GROUPING SETS or WITH TIES';
  return { rejected, hint: 'Send one query for each grouping', at: 'WITH' };
}

interface Source {
  readonly table: ReadTable;
  readonly alias: string | undefined;
}

function selectOf(query: TreeLine, { names, functions }: Walk, { table, alias }: Source): Select {
  const aliases = new Map<string, TreeLine[]>();
  for (const part of query.children) if (part.kind !== 'JOIN TREE') collectAliases(part, aliases);
  return {
    typeOf: table.typeOf,
    columns: table.columns.map(({ name }) => name),
    qualifiers: new Set([alias ?? table.name]),
    aliases,
    names,
    isAggregate: (name) => functions.aggregates(name),
    known: new Map(),
    open: new Set(),
  };
}

function checkParts(query: TreeLine, select: Select): Rejection | undefined {
  let isGrouped = query.attributes.includes('is_group_by_all');
  for (const { kind, children } of query.children) {
    if (kind === 'JOIN TREE' || kind === 'LIMIT' || kind === 'OFFSET') continue;
    for (const node of children.flatMap((each) => (each.kind === 'LIST' ? each.children : [each]))) {
      if (kind === 'WITH' && node.attributes.includes(', is_cte: 1')) continue; // a query of its own
      const found = checkItem(select, node, kind);
      if (found !== undefined) return found;
    }
    isGrouped ||= kind === 'GROUP BY' || (kind !== 'HAVING' && hasAggregate(select, { kind, children }));
  }
  if (isGrouped) return undefined;
  return {
    rejected: 'a query of single rows',
    hint: 'Aggregate: SELECT …, count() FROM … GROUP BY …',
    at: 'SELECT',
  };
}

function checkItem(select: Select, item: TreeLine, clause: string): Rejection | undefined {
  const node = clause === 'ORDER BY' ? sorted(item) : item;
  if (node === undefined)
    return { rejected: 'this form of ORDER BY', hint: 'Sort in a query around this one', at: 'ORDER' };
  const value = valueOf(select, node);
  if (isRejected(value)) return value;
  if (value.kind !== 'dynamic' && value.kind !== 'interval') return undefined;
  const rejected = 'a value whose type depends on the row';
  return { rejected, hint: 'Convert it: toString(…)', at: identifierOf(node)?.split('.').at(-1) };
}

const SORT = /^, sort_direction: \w+(?:, nulls_sort_direction: \w+)?, with_fill: 0$/;

function sorted({ kind, attributes, children }: TreeLine): TreeLine | undefined {
  const [expression, ...others] = children;
  return kind === 'SORT' && SORT.test(attributes) && others.length === 0
    ? expression?.children[0]
    : undefined;
}

function hasAggregate(select: Select, line: Pick<TreeLine, 'kind' | 'children'>): boolean {
  if (line.kind === 'QUERY' || line.kind === 'UNION') return false;
  return line.children.some((child) => {
    const name = callOf(child)?.name;
    return (name !== undefined && select.isAggregate(name)) || hasAggregate(select, child);
  });
}

/** Returns whether HAVING is `count() >= minimum`, alone or with AND. */
function hasMinimum(query: TreeLine, minimum: number): boolean {
  const [condition] = partOf(query, 'HAVING');
  const call = condition && callOf(condition);
  const first = call?.name === 'and' ? call.list[0] : condition;
  const comparison = first && callOf(first);
  const [left, right] = comparison?.list ?? [];
  const counted = left && callOf(left);
  const isCount = counted?.name === 'count' && counted.list.length === 0;
  return (
    comparison?.name === 'greaterOrEquals' &&
    isCount &&
    right !== undefined &&
    constantOf(right)?.whole === minimum
  );
}

function partOf(query: TreeLine, kind: string): readonly TreeLine[] {
  return query.children.filter((part) => part.kind === kind).flatMap(({ children }) => children);
}
