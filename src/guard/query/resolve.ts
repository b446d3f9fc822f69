// Has the engine resolve a query, and builds the query's model.
import { createHmac, randomBytes } from 'node:crypto';
import { outlineQuery } from '../../sql/clickhouse/outline.ts';
import { callsOf, hasAmbiguousName, markParameters, usesOf } from './tree/marked-query.ts';
import { createModel, type ModelOptions, type QueryModel } from './model.ts';
import { neededUses } from './tree/needed-uses.ts';
import type { ViewTree } from './tree/read-tree.ts';
import type { SendQuery, Schema } from './schema.ts';
import { SCALAR_SETTING } from './tree/tree-grammar.ts';
import { tablesIn, UnreadableTree } from './tree/tree-lines.ts';

/** The model of a query, or why there is none. */
export type ModelResult = { readonly model: QueryModel } | { readonly fault: string };

/** A query with typed placeholders, and values of its parameters with which the engine may accept it. */
export interface ResolvedQuery {
  readonly sql: string;
  readonly samples: readonly Readonly<Record<string, string>>[];
}

/** What the engine and its tables say. */
export interface ModelEngine {
  readonly ask: SendQuery;
  readonly schema: Schema;
}

/** The model of a query. Rejects as `ask` does. */
export async function resolveModel(
  { ask, schema }: ModelEngine,
  { sql, samples }: ResolvedQuery,
  options: Omit<ModelOptions, 'marker' | 'uses' | 'views' | 'calls' | 'schema'>,
): Promise<ModelResult> {
  if (hasAmbiguousName(sql))
    return { fault: 'a quoted name contains a backslash, a line break or ", name: "' };
  const uses = usesOf(sql);
  const marker = markerOf(sql);
  const marked = withScalars(markParameters(sql, uses, marker));
  const needed = neededUses(sql, uses);
  let fault = 'the engine accepts none of the sample values';
  for (const values of samples) {
    const tree = await explain(ask, marked, values);
    if (tree === undefined) continue;
    try {
      if (tree === 'ambiguous') throw new UnreadableTree('a name contains a line break');
      const views = await viewTrees({ ask, schema }, tree);
      const calls = callsOf(sql, views.keys());
      return { model: createModel(tree, { ...options, marker, uses: needed, views, calls, schema }) };
    } catch (error) {
      if (!(error instanceof UnreadableTree)) throw error;
      fault = error.message;
      if (!error.isOfSample) break;
    }
  }
  const [first] = samples;
  const isPlain = fault.startsWith('the engine accepts') && first !== undefined && (await ask(`${TREE} ${sql}`, first)) !== undefined; // prettier-ignore
  return {
    fault: isPlain
      ? 'a parameter is where only a plain one is allowed, such as an argument of a view'
      : fault,
  };
}

const MARKER_KEY = randomBytes(16);

/** No author of a query can know it, and the same query has the same one, so that the engine is asked the same. */
function markerOf(sql: string): string {
  return `millrace_${createHmac('sha256', MARKER_KEY).update(sql).digest('hex').slice(0, 16)}`;
}

const TREE = 'EXPLAIN QUERY TREE run_passes = 1, passes = 1';
const TREE_AND_QUERY = `${TREE}, dump_ast = 1`;

/** The query with scalar subqueries in the tree: by default the engine replaces some by a hash. */
function withScalars(sql: string): string {
  const hasSettings = outlineQuery(sql).outline?.settings !== undefined;
  return `${sql}\n${hasSettings ? ',' : 'SETTINGS'} ${SCALAR_SETTING} = 0`;
}

/**
 * The engine's tree; undefined if it rejects the query with these values. `ambiguous`: a name, which the tree prints as it is,
 * contains a line break or what separates attributes; the same query as SQL has it quoted.
 */
async function explain(
  ask: SendQuery,
  sql: string,
  values: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const rows = await ask(`${TREE_AND_QUERY} ${sql}`, values);
  if (rows === undefined) return undefined;
  const lines = rows.map(([line]) => String(line));
  // The tree, an empty line and the query, which has line breaks of names and strings escaped.
  const end = lines.lastIndexOf('');
  if (end === -1) return 'ambiguous';
  return hasAmbiguousName(lines.slice(end).join('\n')) ? 'ambiguous' : lines.slice(0, end).join('\n');
}

/** Views of one query, those that views read included. */
const MAX_VIEWS = 200;

/** The trees of the definitions of the views that a tree reads; undefined for those that are not replaced by them. */
async function viewTrees(
  { ask, schema }: ModelEngine,
  tree: string,
): Promise<ReadonlyMap<string, ViewTree | undefined>> {
  const trees = new Map<string, ViewTree | undefined>();
  const waiting = [tree];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const name of tablesIn(text)) {
      if (!schema.views.has(name) || trees.has(name)) continue;
      const view = schema.views.get(name);
      const isLeftOut = view === undefined || trees.size >= MAX_VIEWS || hasAmbiguousName(view.definition);
      const inner = isLeftOut ? undefined : await explain(ask, withScalars(view.definition), {});
      if (view === undefined || inner === undefined || inner === 'ambiguous') {
        trees.set(name, undefined);
        continue;
      }
      trees.set(name, { tree: inner, columns: view.columns });
      waiting.push(inner);
    }
  }
  return trees;
}
