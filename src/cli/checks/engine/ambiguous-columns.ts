// Columns that two tables of a JOIN have, named without a table: of a single join, the engine reads that of the left side.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import type { Analysis } from '../../../service/endpoints/analysis.ts';
import { nodesOf, nameOf, namesOf, partOf, spanOf } from '../../../sql/clickhouse/tree/visit.ts';
import { nameTokens } from '../../../sql/clickhouse/tree/tokens.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';
import { overVariants } from '../../../service/endpoints/variant-findings.ts';

export const AMBIGUOUS_CODES: Codes = {
  'lint.ambiguous_column': {
    title: 'A column that two tables of a JOIN have',
    help: 'Without the name of a table, ClickHouse reads the column of the left side of a single join, and rejects the query if there are more joins. Write table.column.',
  },
};

/** Warnings about names that could mean columns of several tables; none for queries of tables that are not known. */
export function findAmbiguous(
  analysis: Analysis,
  columns: TablesOnEngine['columns'],
): readonly PathFinding[] {
  return overVariants(analysis, (variant) => {
    const { tree } = variant;
    if (tree.fault !== undefined) return [];
    return nodesOf(tree.root, 'select').flatMap((select) => ambiguousIn(tree, select, columns).map(({ node, name, sources }) => ({
      code: 'lint.ambiguous_column',
      severity: 'warning' as const,
      ...variant.inBound(spanOf(tree, node).start),
      message: `${sources.join(' and ')} have a column ${name}, and the engine reads that of ${sources[0]}`,
      hint: `Write ${sources.map((source) => `${source}.${name}`).join(' or ')}`,
    })));
  });
} // prettier-ignore

interface Ambiguous {
  readonly node: Node;
  readonly name: string;
  /** The names that qualify columns of the tables. */
  readonly sources: readonly string[];
}

function ambiguousIn(
  tree: Tree,
  select: Node,
  columns: TablesOnEngine['columns'],
): readonly Ambiguous[] {
  const from = partOf(select, 'from');
  const sources = from === undefined ? [] : nodesIn(from, 'source');
  const tables = sources.map((source) => [nameOf(tree, source), columnsOf(tree, source, columns)] as const);
  if (from === undefined || tables.length < 2 || tables.some(([, known]) => known === undefined)) return [];
  const using = nodesIn(from, 'using').flatMap((each) => nameTokens(tree, each).map(({ name }) => name));
  const aliases = nodesIn(select, 'alias').map((each) => nameOf(tree, each));
  const other = new Set([...using, ...aliases]);
  return nodesIn(select, 'column').flatMap((node) => {
    const name = node.to === node.from + 1 ? nameOf(tree, node) : '';
    if (name === '' || other.has(name)) return [];
    const owners = tables.flatMap(([source, known]) => (known?.has(name) === true ? [source] : []));
    return owners.length < 2 ? [] : [{ node, name, sources: owners }];
  });
} // prettier-ignore

/** The names of the columns of a table, of a table of the WITH clause, or of a subquery; undefined if they are not known. */
function columnsOf(
  tree: Tree,
  source: Node,
  columns: TablesOnEngine['columns'],
): ReadonlySet<string> | undefined {
  const [first] = source.parts;
  if (first?.kind === 'subquery') return namesOfResult(tree, first);
  if (first?.kind !== 'table') return undefined;
  const name = namesOf(tree, first).join('.');
  const known = columns.get(name);
  if (known !== undefined) return new Set(known.keys());
  const defined = nodesOf(tree.root, 'with-table').filter((each) => nameOf(tree, each) === name);
  const [query] = defined[0]?.parts ?? [];
  return query === undefined || defined.length > 1 ? undefined : namesOfResult(tree, query);
}

/** The names of the result of a subquery that names all of its columns. */
function namesOfResult(tree: Tree, subquery: Node): ReadonlySet<string> | undefined {
  const [select] = nodesOf(subquery, 'select');
  const items = select && partOf(select, 'list')?.parts;
  const names = items?.map((item) => {
    if (item.kind === 'alias') return nameOf(tree, item);
    return item.kind === 'column' ? namesOf(tree, item).at(-1) : undefined;
  });
  const known = names?.filter((name) => name !== undefined);
  return known === undefined || known.length !== items?.length ? undefined : new Set(known);
}

/** Nodes of a kind below a node, those of other queries excluded. */
function nodesIn(node: Node, kind: Node['kind']): readonly Node[] {
  return node.parts.flatMap((part) => {
    if (part.kind === 'select' || part.kind === 'lambda') return [];
    return [...(part.kind === kind ? [part] : []), ...nodesIn(part, kind)];
  });
}
