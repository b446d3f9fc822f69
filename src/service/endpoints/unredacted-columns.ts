// Finds endpoints whose result has a redacted column a second time, without a rule, from the models of all variants of their queries.
import { EngineError, type Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { readSchema, type Schema } from '../../guard/query/schema.ts';
import { monotonic } from '../../sql/base/clock.ts';
import type { Endpoint } from './endpoint.ts';
import { exposedColumn } from './pii-flow.ts';
import { modelsOf, type ModelledQuery } from './query-models.ts';

/** Resolves to why the endpoint returns a redacted column, in any variant; undefined if it is not known to, or the engine cannot say now. */
export type FindExposed = (endpoint: Endpoint) => Promise<string | undefined>;

/** Files that are compiled together are asked about with one reading of the tables. */
const FRESH_MS = 1000;

/** What was found is kept with the rules of the compiled endpoint, which its variants share. */
export function createFindExposed(engine: Engine): FindExposed {
  const known = new WeakMap<object, Promise<string | undefined>>();
  const freshSchema = createFreshSchema(engine);
  return (endpoint) => {
    const { columns: rules } = endpoint.redaction;
    const found = known.get(rules);
    if (found !== undefined) return found;
    const asked = findExposed(engine, endpoint, freshSchema).catch((cause: unknown) => {
      known.delete(rules);
      if (cause instanceof EngineError) return undefined;
      throw cause;
    });
    known.set(rules, asked);
    return asked;
  };
}

async function findExposed(
  engine: Engine,
  endpoint: Endpoint,
  freshSchema: () => Promise<Schema>,
): Promise<string | undefined> {
  const schema = await freshSchema();
  const models: ModelledQuery[] = [];
  const known = new Map<string, ModelledQuery['result']>(); // queries that variants have in common
  for (const variant of endpoint.variants()) {
    const analysis = { file: { parameters: variant.parameters }, selection: { given: new Set<string>() } };
    models.push(
      ...(await modelsOf(engine, { analysis, candidate: { endpoint: variant } }, { known, schema })),
    );
  }
  return exposedColumn(endpoint.redaction, models);
}

function createFreshSchema(engine: Engine): () => Promise<Schema> {
  let read: { readonly at: number; readonly schema: Promise<Schema> } | undefined;
  const ask = async (sql: string): Promise<readonly (readonly unknown[])[]> =>
    (await readRows(engine, sql)) as readonly (readonly unknown[])[]; // arrays in this format
  return () => {
    if (read === undefined || monotonic() - read.at > FRESH_MS)
      read = { at: monotonic(), schema: readSchema(ask) };
    return read.schema;
  };
}
