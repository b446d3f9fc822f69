// Models of an endpoint's queries: the saved query, and each table of its WITH clause as consumers read it.
import { EngineError, type Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import type { ModelOptions, ModelParameter } from '../../guard/query/model.ts';
import { resolveModel, type ModelResult } from '../../guard/query/resolve.ts';
import { NO_SCHEMA, readSchema, type SendQuery, type Schema } from '../../guard/query/schema.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';
import { costOf } from './not-analysed.ts';
import type { Analysis } from './analysis.ts';
import type { Endpoint } from './endpoint.ts';
import { hasType, isNullable } from '../../sql/types/traits.ts';
import { parseType } from '../../sql/types/type.ts';

/** An endpoint and its file. */
export interface AnalysedEndpoint {
  readonly analysis: Analysis;
  readonly candidate: { readonly endpoint: Endpoint };
}

/** What models are made of: no more of the file than its parameters. */
interface ModelledEndpoint {
  readonly analysis: {
    readonly file: Pick<Analysis['file'], 'parameters'>;
    readonly selection: Pick<Analysis['selection'], 'given'>;
  };
  readonly candidate: AnalysedEndpoint['candidate'];
}

/** A query of an endpoint: the saved one, or one that reads a table of the WITH clause. */
export interface EndpointQuery {
  /** Name of the table; undefined: the saved query. */
  readonly table: string | undefined;
  readonly sql: string;
}

/** The saved query, and each table that consumers can read. */
function queriesOf({
  candidate: { endpoint },
}: Pick<ModelledEndpoint, 'candidate'>): readonly EndpointQuery[] {
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

/** The models of all queries of an endpoint, or those in `known`, by query. Rejects with EngineError if the engine could not be asked. */
export async function modelsOf(
  engine: Engine,
  inspected: ModelledEndpoint,
  { known, ...options }: Parameters<typeof modelOf>[3] & { readonly known?: Map<string, ModelResult> } = {},
): Promise<readonly ModelledQuery[]> {
  const models: ModelledQuery[] = [];
  for (const query of queriesOf(inspected)) {
    const key = `${query.sql} ${[...inspected.analysis.selection.given].join()}`;
    const result = known?.get(key) ?? (await modelOf(engine, inspected, query.sql, options));
    known?.set(key, result);
    models.push({ query, result });
  }
  return models;
}

/** Has the engine resolve a query, and builds its model; one that takes too much has a fault. Rejects with EngineError if the engine could not be asked. */
export async function modelOf(
  engine: Engine,
  inspected: ModelledEndpoint,
  sql: string,
  options: Pick<ModelOptions, 'columns' | 'isShared'> & {
    readonly parameter?: string;
    readonly schema?: Schema;
  } = {},
): Promise<ModelResult> {
  const parameters = parametersOf(inspected).filter(({ name }) => name === (options.parameter ?? name));
  const samples = inspected.candidate.endpoint.samples();
  const schema = options.schema ?? (await schemaOf(engine));
  const asked = resolveModel({ ask: askOf(engine), schema }, { sql, samples }, { ...options, parameters });
  return asked.catch((cause: unknown) => ({ fault: `its analysis ${costOf(cause)}` }));
}

/** The model of a statement without a schema: columns of tables need not be known. Rejects with EngineError if the engine could not be asked. */
export function modelOfStatement(
  engine: Engine,
  statement: Parameters<typeof resolveModel>[1],
): Promise<ModelResult> {
  return resolveModel({ ask: askOf(engine), schema: NO_SCHEMA }, statement, { parameters: [] });
}

function parametersOf({
  analysis: { file, selection },
}: Pick<ModelledEndpoint, 'analysis'>): readonly ModelParameter[] {
  return Object.entries(file.parameters ?? {}).map(([name, { type, required, default: standard }]) => ({
    name,
    isNeverNull:
      selection.given.has(name) ||
      ((required === true || standard !== undefined) && !hasType(parseType(type), isNullable)),
  }));
}

const LIMITS = { time: 10, memory: 2 ** 29, readRows: 0, resultBytes: 2 ** 26 };

const schemas = new WeakMap<Engine, Promise<Schema>>();

/** Read once per engine: the tables of a command do not change. */
function schemaOf(engine: Engine): Promise<Schema> {
  const known = schemas.get(engine);
  if (known !== undefined) return known;
  const schema = readSchema(askOf(engine));
  schemas.set(engine, schema);
  return schema;
}

/** Sends queries about tables; undefined for one that the engine rejects. */
export function askOf(engine: Engine): SendQuery {
  return async (sql, parameters) => {
    try {
      const rows = await readRows(engine, sql, { parameters, limits: LIMITS });
      return rows as readonly (readonly unknown[])[]; // arrays in this format
    } catch (error) {
      if (error instanceof EngineError && error.failure === 'rejected') return undefined;
      throw error;
    }
  };
}
