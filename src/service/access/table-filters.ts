// Which tables the WITH clause of an endpoint reads, and the conditions `column = @parameter` that restrict each read.
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../sql/clickhouse/tree/parse.ts';
import {
  conjunctsOf,
  elementsOf,
  nameOf,
  namesOf,
  partOf,
  sourceOf,
  walk,
  wordOf,
} from '../../sql/clickhouse/tree/visit.ts';

/** `column = @parameter`, in a WHERE or PREWHERE of the SELECT that reads the table. */
export interface TableFilter {
  readonly column: string;
  readonly parameter: string;
}

/** One SELECT from a table: it returns no row that fails one of the filters. */
export interface TableRead {
  /** `database.table`, or `table`; a table function with its arguments. */
  readonly table: string;
  /** Empty if no condition has that form. */
  readonly filters: readonly TableFilter[];
}

/** Every read of the WITH clause, which is all that consumer queries of the endpoint can read. */
export function tableReads({ query }: Pick<Endpoint, 'query'>): readonly TableRead[] {
  const tree = parseSavedText(query);
  const elements = elementsOf(tree);
  const tables = new Set(tableElements(elements).map((element) => nameOf(tree, element)));
  const reads = elements.flatMap((element) =>
    readsIn(element, { tree, tables, values: valuesIn(tree, element) }),
  );
  // A part that is not read may read a table without the conditions of the others.
  return tree.fault === undefined ? reads : reads.map(({ table }) => ({ table, filters: [] }));
}

function tableElements(elements: readonly Node[]): readonly Node[] {
  return elements.filter(({ kind }) => kind === 'with-table');
}

/** The parameters that some read of the WITH clause is filtered by. */
export function filterParameters(endpoint: Pick<Endpoint, 'query'>): readonly string[] {
  const all = tableReads(endpoint).flatMap(({ filters }) => filters.map(({ parameter }) => parameter));
  return [...new Set(all)].toSorted();
}

/** Says what names mean in an element of the WITH clause. */
interface Scope {
  readonly tree: Tree;
  /** Names of the tables in WITH clauses. */
  readonly tables: ReadonlySet<string>;
  /** The expressions that have a name, by that: in WHERE, ClickHouse resolves it before a column of the same name. */
  readonly values: ReadonlyMap<string, readonly Node[]>;
}

function valuesIn(tree: Tree, element: Node): Scope['values'] {
  const values = new Map<string, Node[]>();
  walk(element, (node) => {
    const [value] = node.kind === 'alias' || node.kind === 'with-value' ? node.parts : [];
    const name = nameOf(tree, node);
    if (value !== undefined) values.set(name, [...(values.get(name) ?? []), value]);
  });
  return values;
}

/** The reads of every SELECT in a node, outer before inner. */
function readsIn(node: Node, scope: Scope): readonly TableRead[] {
  if (node.kind !== 'select') return node.parts.flatMap((part) => readsIn(part, scope));
  const own = tableElements(partOf(node, 'with')?.parts ?? []).map((element) => nameOf(scope.tree, element));
  const known = { ...scope, tables: new Set([...scope.tables, ...own]) };
  return [...readsOf(node, known), ...node.parts.flatMap((part) => readsIn(part, known))];
}

/** A table or table function as written, and the name that the SELECT gives it. */
interface SourceAlias {
  readonly source: string;
  readonly alias: string | undefined;
}

function readsOf(select: Node, scope: Scope): readonly TableRead[] {
  const from = partOf(select, 'from');
  const all = from === undefined ? [] : sourcesIn(from);
  const conditions = select.parts
    .filter(({ kind }) => kind === 'where' || kind === 'prewhere')
    .flatMap(({ parts }) => parts.flatMap(conjunctsOf));
  return all.flatMap((node) => {
    const source = readSource(node, scope);
    if (source === undefined) return [];
    const filters = conditions.flatMap(
      (each) => equalityOn(each, { source, isSole: all.length === 1, scope }) ?? [],
    );
    return [{ table: source.source, filters }];
  });
}

/** The sources of FROM and JOIN, those in parentheses included. */
function sourcesIn({ parts }: Node): readonly Node[] {
  return parts.flatMap((part) => {
    if (part.kind === 'join') return sourcesIn(part);
    const joined = part.kind === 'source' ? partOf(part, 'from') : undefined;
    if (joined !== undefined) return sourcesIn(joined);
    return part.kind === 'source' ? [part] : [];
  });
}

/** Undefined for subqueries and tables of a WITH clause. */
function readSource(node: Node, { tree, tables }: Scope): SourceAlias | undefined {
  const [read] = node.parts;
  const alias = read !== undefined && node.at >= read.to ? nameOf(tree, node) : undefined;
  if (read === undefined || read.kind === 'subquery') return undefined;
  // A function, a placeholder and the name of a file are left as written.
  const isNamed = read.kind === 'table' && read.parts.length === 0;
  const source = isNamed ? namesOf(tree, read).join('.') : sourceOf(tree, read);
  return tables.has(source) ? undefined : { source, alias };
}

interface EqualityContext {
  readonly source: SourceAlias;
  /** It is true if the SELECT reads nothing else. */
  readonly isSole: boolean;
  readonly scope: Scope;
}

/**
 * The condition as a filter of a source: its column must be qualified by the source's name or alias, unless that is the
 * only source, and must not be the alias of an expression.
 */
function equalityOn(
  condition: Node,
  { source: { source, alias }, isSole, scope: { tree, values } }: EqualityContext,
): TableFilter | undefined {
  const isEquality = condition.kind === 'binary' && ['=', '=='].includes(wordOf(tree, condition));
  const compared = isEquality ? partOf(condition, 'column') : undefined;
  const parameter = isEquality ? partOf(condition, 'placeholder') : undefined;
  if (compared === undefined || parameter === undefined) return undefined;
  const path = namesOf(tree, compared);
  const [column = '', ...qualifiers] = path.toReversed();
  const qualifier = qualifiers.toReversed().join('.');
  const isOwn = qualifier === '' ? isSole : [alias, source, source.split('.').at(-1)].includes(qualifier);
  const isNamed = qualifier !== '' && values.has(path[0] ?? '');
  // An alias that changes nothing is that of the column itself (`e.project AS project`).
  const isPlain = (values.get(column) ?? []).every(
    (value) =>
      value.kind === 'column' && [column, `${qualifier}.${column}`].includes(namesOf(tree, value).join('.')),
  );
  return isOwn && !isNamed && isPlain ? { column, parameter: nameOf(tree, parameter) } : undefined;
}
