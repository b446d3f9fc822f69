// The model of a query: what it reads, what confines each source, and where its columns come from.
import { canonicalColumns, canonicalText } from './comparison/canonical.ts';
import { confinementOf } from './confinement/confinement.ts';
import { flowOf, type ColumnFlow } from './flow/flow.ts';
import type { NodeId, QueryNode, TableFunctionNode, UnionNode } from './tree/nodes.ts';
import { readTree, type ReadOptions } from './tree/read-tree.ts';
import { NO_SCHEMA, type Schema } from './schema.ts';
import { sourcesOf, type QuerySource } from './sources.ts';

/** What is known about the query apart from the engine's tree. */
export interface ModelOptions extends ReadOptions {
  readonly parameters: readonly ModelParameter[];
  /** What the tables say; by default nothing, so that less is confined. */
  readonly schema?: Schema;
  /** Columns that hold the tenant, such as `project` or `metadata.project`; undefined: any column. */
  readonly columns?: ReadonlySet<string> | undefined;
  /** Returns whether a table or dictionary is reference data, the same for every caller. */
  readonly isShared?: (name: string) => boolean;
}

export interface ModelParameter {
  readonly name: string;
  /** It is true if calls always have a value for it. */
  readonly isNeverNull: boolean;
}

export interface SourceModel extends QuerySource {
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
  /** Returns whether each source is confined by a parameter through these columns; undefined: through any. */
  readonly confine: (
    parameter: ModelParameter,
    columns: ReadonlySet<string> | undefined,
  ) => ReadonlyMap<NodeId, boolean>;
}

/** Builds the model from `EXPLAIN QUERY TREE run_passes = 1, passes = 1` of a marked query. Throws UnreadableTree. */
export function createModel(tree: string, options: ModelOptions): QueryModel {
  const { parameters, columns, schema = NO_SCHEMA, isShared = () => false } = options;
  const root = readTree(tree, { ...options, ambiguous: schema.ambiguous, tenants: columns });
  const tables = {
    isKeyed: schema.isKeyed,
    sortingKey: (name: string) => schema.sortingKeys.get(name),
    mayReadViews: (table: TableFunctionNode) => mayReadViews(table, schema),
  };
  const confine: QueryModel['confine'] = ({ name, isNeverNull }, by) =>
    confinementOf(root, { parameter: name, isNeverNull, columns: by, isShared, ...tables });
  const confined = parameters.map((parameter) => ({
    name: parameter.name,
    sources: confine(parameter, columns),
  }));
  const known = once(() => ({ columns: outputsOf(root), text: canonicalText(root) }));
  const sources = sourcesOf(root).map((source) => ({
    ...source,
    isShared: isShared(source.name),
    confinedBy: confined.filter((each) => each.sources.get(source.id) === true).map(({ name }) => name),
  }));
  return {
    root,
    sources,
    parameters,
    confine,
    get columns() {
      return known().columns;
    },
    get text() {
      return known().text;
    },
  };
}

/** The model for calls that have values for these parameters. */
export function withGiven(model: QueryModel, given: ReadonlySet<string>): QueryModel {
  const parameters = model.parameters.map((each) =>
    given.has(each.name) ? { ...each, isNeverNull: true } : each,
  );
  const changed = parameters.filter((each) => !model.parameters.includes(each));
  if (changed.length === 0) return model;
  const confined = changed.map((each) => [each.name, model.confine(each, undefined)] as const);
  const sources = model.sources.map((source) => {
    const more = confined.filter(([, sourcesOf]) => sourcesOf.get(source.id) === true).map(([name]) => name);
    return { ...source, confinedBy: [...new Set([...source.confinedBy, ...more])] };
  });
  return { ...model, parameters, sources };
}

/** Texts grow with the nesting of queries, and not every use needs them. */
function once<T>(compute: () => T): () => T {
  let value: { readonly value: T } | undefined;
  return () => (value ??= { value: compute() }).value;
}

/** A table function that may have a view's columns, whatever stored rows say. */
function mayReadViews({ name, arguments: list }: TableFunctionNode, { views }: Schema): boolean {
  if (name !== 'merge') return name !== 'dictionary';
  const [first] = list;
  const database =
    list.length > 1 && first?.kind === 'constant' ? /^'(\w+)'$/.exec(first.text)?.[1] : undefined;
  return [...views.keys()].some((view) => database === undefined || view.startsWith(`${database}.`));
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
