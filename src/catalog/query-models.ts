// Models of an endpoint's queries: the saved query, and each table of its WITH clause as consumers read it.
import { randomBytes } from 'node:crypto';
import { EngineError, type Engine, type Statement } from '../engine/engine.ts';
import {
  callsOf,
  hasAmbiguousName,
  markParameters,
  usesOf,
  type MarkedUse,
} from '../query-model/marked-query.ts';
import {
  createModel,
  type ModelOptions,
  type ModelParameter,
  type QueryModel,
} from '../query-model/model.ts';
import { UnreadableTree } from '../query-model/tree-lines.ts';
import { quoteIdentifier } from '../sql/literal.ts';
import type { Analysis } from './analysis.ts';
import type { Endpoint } from './endpoint.ts';
import type { SampleValues } from './samples.ts';

/** An endpoint and its file. */
export interface AnalysedEndpoint {
  readonly analysis: Analysis;
  readonly candidate: { readonly endpoint: Endpoint };
}

/** A query of an endpoint: the saved one, or one that reads a table of the WITH clause. */
export interface EndpointQuery {
  /** Name of the table; undefined: the saved query. */
  readonly table: string | undefined;
  readonly sql: string;
}

/** The model of a query, or why there is none. */
export type ModelResult = { readonly model: QueryModel } | { readonly fault: string };

/** The saved query, and each table that consumers can read. */
export function queriesOf({ candidate: { endpoint } }: AnalysedEndpoint): readonly EndpointQuery[] {
  const { query, outline, sandbox } = endpoint;
  const clause = query.slice(outline.withStart, outline.withEnd);
  const tables = sandbox.enabled ? outline.elements.filter(({ kind }) => kind === 'table') : [];
  return [
    ...tables.map(({ name }) => ({ table: name, sql: `${clause}\nSELECT * FROM ${quoteIdentifier(name)}` })),
    { table: undefined, sql: query },
  ];
}

/** A query of an endpoint and its model. */
export interface ModelledQuery {
  readonly query: EndpointQuery;
  readonly result: ModelResult;
}

/** The models of all queries of an endpoint. Rejects with EngineError if the engine could not be asked. */
export async function modelsOf(
  engine: Engine,
  inspected: AnalysedEndpoint,
  options: Parameters<typeof modelOf>[3] = {},
): Promise<readonly ModelledQuery[]> {
  const models: ModelledQuery[] = [];
  for (const query of queriesOf(inspected))
    models.push({ query, result: await modelOf(engine, inspected, query.sql, options) });
  return models;
}

/** Has the engine resolve a query, and builds its model. Rejects with EngineError if the engine could not be asked. */
export async function modelOf(
  engine: Engine,
  inspected: AnalysedEndpoint,
  sql: string,
  options: Omit<ModelOptions, 'marker' | 'parameters' | 'views' | 'calls'> = {},
): Promise<ModelResult> {
  if (hasAmbiguousName(sql))
    return { fault: 'a quoted name contains a backslash, a line break or ", name: "' };
  const marker = `millrace_${randomBytes(8).toString('hex')}`;
  const explained = await explainMarked(engine, inspected, sql, marker);
  if (explained === undefined) return { fault: 'the engine accepts none of the sample values' };
  const views = await viewTrees(engine, explained);
  const calls = callsOf(sql, views.keys());
  const parameters = parametersOf(inspected);
  try {
    return { model: createModel(explained, { ...options, marker, views, calls, parameters }) };
  } catch (error) {
    if (error instanceof UnreadableTree) return { fault: error.message };
    throw error;
  }
}

function parametersOf({ analysis: { file } }: AnalysedEndpoint): readonly ModelParameter[] {
  return Object.entries(file.parameters ?? {}).map(([name, { type, required, default: standard }]) => ({
    name,
    isNeverNull: (required === true || standard !== undefined) && !type.includes('Nullable('),
  }));
}

/** The engine's tree; undefined if it accepts the query with no sample values. */
async function explainMarked(
  engine: Engine,
  { candidate: { endpoint } }: AnalysedEndpoint,
  sql: string,
  marker: string,
): Promise<string | undefined> {
  const uses = usesOf(sql);
  const samples = endpoint.samples();
  const marked = markParameters(sql, uses, marker);
  for (const values of samples) {
    const tree = await explain(engine, marked, values);
    if (tree !== undefined) return tree;
  }
  // Somewhere only a plain parameter is allowed, such as in the arguments of a view.
  for (const values of samples) {
    if ((await explain(engine, sql, values)) === undefined) continue;
    const accepted: MarkedUse[] = [];
    for (const use of uses) {
      if ((await explain(engine, markParameters(sql, [use], marker), values)) !== undefined)
        accepted.push(use);
    }
    return explain(engine, markParameters(sql, accepted, marker), values);
  }
  return undefined;
}

const EXPLAIN = 'EXPLAIN QUERY TREE run_passes = 1, passes = 1 ';
const LIMITS = { time: 10, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 26 };

/** Views of one query, those that views read included. */
const MAX_VIEWS = 200;

const VIEWS = `SELECT * FROM (SELECT database || '.' || name, as_select FROM system.tables WHERE engine = 'View' AND database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA'))`;

/** The trees of the definitions of the views that a tree reads; undefined for those with parameters. */
async function viewTrees(engine: Engine, tree: string): Promise<ReadonlyMap<string, string | undefined>> {
  const definitions = await viewsOf(engine);
  const trees = new Map<string, string | undefined>();
  const waiting = [tree];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const [, name = ''] of text.matchAll(/, table_name: ([^,\n]+)/g)) {
      const definition = definitions.get(name);
      if (definition === undefined || trees.has(name)) continue;
      const isLeftOut = trees.size >= MAX_VIEWS || hasAmbiguousName(definition);
      const inner = isLeftOut ? undefined : await explain(engine, definition, {});
      trees.set(name, inner);
      if (inner !== undefined) waiting.push(inner);
    }
  }
  return trees;
}

const definitionsOf = new WeakMap<Engine, Promise<ReadonlyMap<string, string>>>();

/** The definitions of all views, read once per engine: the tables of a command do not change. */
function viewsOf(engine: Engine): Promise<ReadonlyMap<string, string>> {
  const known = definitionsOf.get(engine);
  if (known !== undefined) return known;
  const statement = { sql: VIEWS, parameters: {}, limits: LIMITS, origin: 'saved', int64: 'number' } as const;
  const views = rowsOf(engine, statement).then(
    (rows) => new Map(rows.map((row) => row as [string, string])), // the columns of the query above
  );
  definitionsOf.set(engine, views);
  return views;
}

async function rowsOf(engine: Engine, statement: Statement): Promise<readonly unknown[]> {
  const { chunks } = await engine.run(statement, { format: 'JSONCompactEachRow' });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const lines = Buffer.concat(parts).toString().split('\n');
  return lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line));
}

/** Undefined if the engine rejects the query with these values. */
async function explain(engine: Engine, sql: string, values: SampleValues): Promise<string | undefined> {
  const statement = {
    sql: `${EXPLAIN}${sql}`,
    parameters: values,
    limits: LIMITS,
    origin: 'saved',
    int64: 'number',
  } as const;
  try {
    const rows = await rowsOf(engine, statement);
    return rows.map((row) => (row as [string])[0]).join('\n'); // one string column
  } catch (error) {
    if (error instanceof EngineError && error.failure === 'rejected') return undefined;
    throw error;
  }
}
