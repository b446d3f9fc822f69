// The tables and columns that a query reads.
import type { Expression, FromItem, Name, Order, Query, Select, Window } from '../../sql/dialects/tree.ts';
import type { Reads } from '../../sql/dialects/conversion.ts';
import { isUnitName } from '../../sql/dialects/read/types.ts';

/** One table in scope: undefined parts for subqueries, functions and tables of WITH. */
interface Relation {
  readonly alias: string;
  readonly table: readonly string[] | undefined;
  /** A parameter of a lambda. */
  readonly isVariable?: boolean;
}

interface Scope {
  readonly relations: readonly Relation[];
  /** Names of the select list, in lower case: in ORDER BY, GROUP BY and HAVING they hide columns. */
  readonly aliases: ReadonlySet<string>;
  readonly parent: Scope | undefined;
  /** Names of WITH, in lower case. */
  readonly tables: ReadonlySet<string>;
}

type Column = Reads['columns'][number];

interface Found {
  readonly tables: Map<string, readonly string[]>;
  readonly columns: Map<string, Column>;
  readonly comparisons: Comparison[];
}

/** A parameter and a column that it is compared with. */
export interface Comparison {
  readonly parameter: string;
  readonly column: Column;
}

/** Without names of WITH, aliases and derived columns, as far as the text shows them. */
export function readsOf(query: Query): {
  readonly reads: Reads;
  readonly comparisons: readonly Comparison[];
} {
  const found: Found = { tables: new Map(), columns: new Map(), comparisons: [] };
  visitQuery(query, { relations: [], aliases: new Set(), parent: undefined, tables: new Set() }, found);
  const reads = { tables: [...found.tables.values()], columns: [...found.columns.values()] };
  return { reads, comparisons: found.comparisons };
}

const fold = ({ name }: Name): string => name.toLowerCase();

function visitQuery(query: Query, outer: Scope, found: Found): void {
  let scope = outer;
  for (const { name, query: own, isRecursive } of query.tables) {
    const inside = { ...scope, tables: new Set([...scope.tables, fold(name)]) };
    visitQuery(own, isRecursive === true ? inside : scope, found);
    scope = inside;
  }
  const { body, orderBy } = query;
  switch (body.kind) {
    case 'select':
      visitSelect(body, orderBy, { scope, found });
      break;
    case 'set':
      for (const member of body.members) {
        if (member.kind === 'query') visitQuery(member, scope, found);
        else visitSelect(member, [], { scope, found });
      }
      break;
    case 'query':
      visitQuery(body, scope, found);
      break;
    case 'rows':
      for (const value of body.rows.flat()) visit(value, scope, found);
      break;
  }
}

interface Visit {
  readonly scope: Scope;
  readonly found: Found;
}

function visitSelect(select: Select, orderBy: readonly Order[], { scope: outer, found }: Visit): void {
  const relations: Relation[] = [];
  const scope: Scope = { ...outer, relations, aliases: new Set(), parent: outer };
  visitFrom(select.from, { relations, visit: { scope, found } });
  for (const item of select.items) {
    if (item.kind === 'value') visit(item.value, scope, found);
    else {
      addStar(item.of, { scope, found });
      for (const { value } of item.replace) visit(value, scope, found);
    }
  }
  for (const value of select.distinctOn ?? []) visit(value, scope, found);
  if (select.where !== undefined) visit(select.where, scope, found);
  const aliases = new Set(
    select.items.flatMap((item) =>
      item.kind === 'value' && item.alias !== undefined ? [fold(item.alias)] : [],
    ),
  );
  const late: Scope = { ...scope, aliases };
  const rest = [
    ...(select.groupBy === 'ALL' ? [] : select.groupBy),
    ...(select.groupings ?? []).flatMap(({ sets }) => sets.flat()),
    select.having,
    select.qualify,
    ...orderBy.map(({ value }) => value),
  ];
  for (const value of rest) if (value !== undefined) visit(value, late, found);
  for (const { window } of select.windows) visitWindow(window, scope, found);
}

interface FromVisit {
  readonly relations: Relation[];
  readonly visit: Visit;
}

function visitFrom(items: readonly FromItem[], from: FromVisit): void {
  const { relations, visit: own } = from;
  const { scope, found } = own;
  for (const { source, alias, on, using } of items) {
    const name = alias === undefined ? undefined : fold(alias);
    switch (source.kind) {
      case 'table':
        relations.push(tableRelation(source.parts, name, own));
        break;
      case 'query':
        visitQuery(source.query, scope, found);
        relations.push({ alias: name ?? '', table: undefined });
        break;
      case 'unnest':
        for (const value of [source.array, ...(source.more ?? [])]) visit(value, scope, found);
        relations.push({ alias: name ?? '', table: undefined });
        break;
      case 'function':
        visit(source.call, scope, found);
        relations.push({ alias: name ?? '', table: undefined });
        break;
      case 'group':
        visitFrom(source.items, from);
        break;
    }
    if (on !== undefined) visit(on, scope, found);
    for (const column of using ?? []) addUsing(column, own);
  }
}

/** A table, or in BigQuery an array of a preceding one. */
function tableRelation(parts: readonly Name[], alias: string | undefined, { scope, found }: Visit): Relation {
  const [first] = parts;
  const name = alias ?? parts.at(-1)?.name.toLowerCase() ?? '';
  if (first === undefined) return { alias: name, table: undefined };
  if (parts.length === 1 && scope.tables.has(fold(first))) return { alias: name, table: undefined };
  if (parts.length > 1 && scope.relations.some((each) => each.alias === fold(first))) {
    visit({ kind: 'path', at: first.at, parts }, scope, found);
    return { alias: name, table: undefined };
  }
  const table = parts.map((part) => part.name);
  found.tables.set(table.join('.').toLowerCase(), table);
  return { alias: name, table };
}

function addUsing({ name }: Name, { scope, found }: Visit): void {
  for (const { table } of scope.relations) if (table !== undefined) add({ table, path: [name] }, found);
}

function add(column: Column, { columns }: Found): void {
  columns.set(JSON.stringify([column.table ?? null, column.path]), column);
}

function addStar(of: Expression | undefined, { scope, found }: Visit): void {
  const alias = of?.kind === 'path' ? of.parts.at(-1)?.name.toLowerCase() : undefined;
  for (const { alias: own, table } of scope.relations)
    if (table !== undefined && (alias === undefined || alias === own)) add({ table, path: ['*'] }, found);
}

function visitWindow(window: Window | Name, scope: Scope, found: Found): void {
  if ('name' in window) return;
  for (const value of [...window.partitionBy, ...window.orderBy.map((order) => order.value)])
    visit(value, scope, found);
}

/** Every expression inside `part`, in any position. */
function visit(part: unknown, scope: Scope, found: Found): void {
  if (typeof part !== 'object' || part === null) return;
  // Objects of the tree with a kind are expressions or queries.
  const node = part as Expression | Query;
  if (node.kind === 'query' && 'tables' in node) return visitQuery(node, scope, found);
  if (node.kind === 'path')
    return addColumn(
      node.parts.map(({ name }) => name),
      scope,
      found,
    );
  addComparisons(node, scope, found);
  const path = pathOf(node);
  if (path !== undefined) return addColumn(path, scope, found);
  if (node.kind === 'call' && TIME_FUNCTION.test(node.name)) {
    const isFirst = UNIT_FIRST.test(node.name) && (node.args.length === 3 || node.name.endsWith('part'));
    const args = node.args.filter(
      (each, index) => !isUnit(each) && !(isFirst && index === 0 && each.kind === 'path'),
    );
    for (const each of Object.values({ ...node, args })) visit(each, scope, found);
    return;
  }
  if (node.kind === 'lambda') {
    const hidden: Relation[] = node.parameters.map((name) => ({
      alias: fold(name),
      table: undefined,
      isVariable: true,
    }));
    return visit(
      node.body,
      {
        ...scope,
        relations: [...scope.relations, ...hidden],
        aliases: new Set([...scope.aliases, ...node.parameters.map(fold)]),
      },
      found,
    );
  }
  for (const each of Array.isArray(part) ? (part as readonly unknown[]) : Object.values(part))
    visit(each, scope, found);
}

/** Functions with units of time among their arguments: `DATEADD(month, 1, x)`, `TIMESTAMP_TRUNC(x, WEEK(MONDAY))`. */
const TIME_FUNCTION = /date|time|trunc|last_day|month/;
const UNIT_FIRST = /^(?:(?:date|time|timestamp)(?:add|diff)|date_?part)$/;

function isUnit(argument: Expression): boolean {
  if (argument.kind === 'call')
    return argument.name === 'week' && argument.args.every(({ kind }) => kind === 'path');
  const [name, more] = argument.kind === 'path' ? argument.parts : [];
  return name !== undefined && more === undefined && isUnitName(name.name);
}

/** A column and the members that are read from it: `data->'a'->>'b'`, `v:a.b`; undefined for other expressions. */
function pathOf(node: unknown): readonly string[] | undefined {
  if (typeof node !== 'object' || node === null || !('kind' in node)) return undefined;
  const expression = node as Expression; // nodes with a kind are expressions
  if (expression.kind === 'path') return expression.parts.map(({ name }) => name);
  if (expression.kind === 'field') {
    const inner = pathOf(expression.of);
    return inner === undefined ? undefined : [...inner, expression.name.name];
  }
  if (expression.kind !== 'binary' || (expression.operator !== '->' && expression.operator !== '->>'))
    return undefined;
  const inner = pathOf(expression.left);
  if (inner === undefined || expression.right.kind !== 'string') return undefined;
  const members = expression.right.value.replace(/^\$\.?/, '').split('.');
  return [...inner, ...members.filter((member) => member !== '')];
}

function addColumn(parts: readonly string[], scope: Scope, found: Found): void {
  const column = columnOf(parts, scope);
  if (column !== undefined) add(column, found);
}

/** The column that a name means; undefined for aliases and columns of derived tables. */
function columnOf(parts: readonly string[], scope: Scope): Column | undefined {
  const [first = '', ...rest] = parts;
  const folded = first.toLowerCase();
  if (scope.aliases.has(folded) && rest.length === 0) return undefined;
  for (let each: Scope | undefined = scope; each !== undefined; each = each.parent) {
    const named = each.relations.find(({ alias }) => alias === folded);
    if (named === undefined) continue;
    return named.table !== undefined && rest.length > 0 ? { table: named.table, path: rest } : undefined;
  }
  const qualified = scope.relations.find(({ table }) => isPrefix(table, parts))?.table;
  if (qualified !== undefined) return { table: qualified, path: parts.slice(qualified.length) };
  const relations = scope.relations.filter(({ isVariable }) => isVariable !== true);
  const [only] = relations.flatMap(({ table }) => (table === undefined ? [] : [table]));
  if (relations.length > 0 && only === undefined && isOutermost(scope)) return undefined; // of a derived table
  const isCertain = only !== undefined && relations.length === 1 && isOutermost(scope);
  return isCertain ? { table: only, path: parts } : { path: parts };
}

const COMPARISONS: ReadonlySet<string> = new Set([
  '=',
  '<>',
  '<',
  '>',
  '<=',
  '>=',
  '<=>',
  'IS DISTINCT FROM',
  'IS NOT DISTINCT FROM',
]);

/** The expressions that one is compared with. */
function comparedOf(node: Expression): readonly Expression[] {
  if (node.kind === 'binary') return COMPARISONS.has(node.operator) ? [node.left, node.right] : [];
  if (node.kind === 'between') return [node.value, node.low, node.high];
  if (node.kind === 'like') return [node.value, node.pattern];
  return node.kind === 'in' && node.among.kind === 'list' ? [node.value, ...node.among.values] : [];
}

function addComparisons(node: Expression, scope: Scope, { comparisons }: Found): void {
  const compared = comparedOf(node);
  const columns = compared.flatMap((each) => columnOf(pathOf(each) ?? [], scope) ?? []);
  for (const each of compared) {
    if (each.kind !== 'parameter') continue;
    for (const column of columns) comparisons.push({ parameter: each.name, column });
  }
}

/** Returns whether no enclosing query has tables whose columns could be meant. */
function isOutermost({ parent }: Scope): boolean {
  return parent === undefined || (parent.relations.length === 0 && isOutermost(parent));
}

/** Returns whether a path starts with the qualified name of a table. */
function isPrefix(table: readonly string[] | undefined, parts: readonly string[]): boolean {
  if (table === undefined || table.length >= parts.length) return false;
  return table.every((part, index) => part.toLowerCase() === parts[index]?.toLowerCase());
}
