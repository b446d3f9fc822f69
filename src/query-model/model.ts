// The model of a query: what it reads, what confines each source, and where its columns come from.
import { canonicalColumns, canonicalText } from './canonical.ts';
import { confinementOf } from './confinement.ts';
import { flowOf, type ColumnFlow } from './flow.ts';
import type { QueryNode, UnionNode } from './nodes.ts';
import { readTree } from './read-tree.ts';
import { sourcesOf, type Source } from './sources.ts';

/** What is known about the query apart from the engine's tree. */
export interface ModelOptions {
  /** The word that marks parameters in the tree (`markParameters`). */
  readonly marker: string;
  readonly parameters: readonly ModelParameter[];
  /** The trees of the definitions of views, by `database.view`; undefined for one whose definition is not known. */
  readonly views?: ReadonlyMap<string, string | undefined>;
  /** The arguments of views with parameters (`callsOf`), which the tree lacks. */
  readonly calls?: ReadonlyMap<string, string>;
  /** Columns that hold the tenant, such as `project` or `metadata.project`; undefined: any column. */
  readonly columns?: ReadonlySet<string> | undefined;
  /** Whether a table or dictionary is reference data, the same for every caller. */
  readonly isShared?: (name: string) => boolean;
}

export interface ModelParameter {
  readonly name: string;
  /** Whether calls always have a value for it. */
  readonly isNeverNull: boolean;
}

export interface SourceModel extends Source {
  readonly isShared: boolean;
  /** Names of the parameters that confine it: only its rows with such a value have any influence on the result. */
  readonly confinedBy: readonly string[];
}

export interface OutputColumn {
  readonly name: string;
  readonly type: string;
  /** The expression with aliases, subqueries and WITH tables resolved: equal texts have equal values. */
  readonly text: string;
  /** The stored columns that it depends on. */
  readonly flow: readonly ColumnFlow[];
}

/** Compares and describes queries. Two models with equal `text` return equal rows. */
export interface QueryModel {
  readonly root: QueryNode | UnionNode;
  readonly sources: readonly SourceModel[];
  readonly columns: readonly OutputColumn[];
  readonly text: string;
  readonly parameters: readonly ModelParameter[];
}

/** Builds the model from `EXPLAIN QUERY TREE run_passes = 1, passes = 1` of a marked query. Throws UnreadableTree. */
export function createModel(tree: string, options: ModelOptions): QueryModel {
  const { marker, parameters, columns, isShared = () => false } = options;
  const root = readTree(tree, marker, options.views, options.calls);
  const confined = parameters.map(({ name, isNeverNull }) => ({
    name,
    sources: confinementOf(root, { parameter: name, isNeverNull, columns, isShared }),
  }));
  const sources = sourcesOf(root).map((source) => ({
    ...source,
    isShared: isShared(source.name),
    confinedBy: confined.filter((each) => each.sources.get(source.id) === true).map(({ name }) => name),
  }));
  return { root, sources, columns: outputsOf(root), text: canonicalText(root), parameters };
}

function outputsOf(root: QueryNode | UnionNode): readonly OutputColumn[] {
  const first = firstQuery(root);
  const [texts, flows] = [canonicalColumns(root), flowOf(root)];
  return first.names.map((name, index) => ({
    name,
    type: first.types[index] ?? '',
    text: texts[index] ?? '',
    flow: flows[index] ?? [],
  }));
}

function firstQuery(root: QueryNode | UnionNode): QueryNode {
  if (root.kind === 'query') return root;
  const [first] = root.branches;
  if (first === undefined) throw new Error('a union without branches');
  return firstQuery(first);
}
