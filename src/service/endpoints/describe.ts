// Column descriptions from the engine: requested once per compiled endpoint, on first use.
import type { Column, Engine } from '../engine/engine.ts';
import { createQueue } from '../engine/queue.ts';
import type { ComputedOnRead } from '../../guard/sandbox/sandbox.ts';
import { after, monotonic } from '../../sql/base/clock.ts';
import { analyseQuery } from './analyse-query.ts';
import type { Endpoint } from './endpoint.ts';
import { readComputed } from './computed-on-read.ts';
import { createReadTables, type Ask, type TableColumns } from './read-tables.ts';
import { readSourceQuery, type SourceQuery } from './source-query.ts';
import type { SampleValues } from './samples.ts';
import { findIdleRule } from './unknown-rules.ts';
import { createFindExposed, type FindExposed } from './unredacted-columns.ts';

/** Undefined results mean that the engine cannot describe them now; the next call asks again. */
export interface Describe {
  /** The result columns of the saved query, over redacted tables if that is where every response is redacted. */
  readonly result: (endpoint: Endpoint) => Promise<readonly Column[] | undefined>;
  /** Values for the parameters with which the engine can analyse the query, if it can with any. */
  readonly samples: (endpoint: Endpoint) => Promise<SampleValues>;
  /** The tables that consumer queries may read, in the order of the file. */
  readonly tables: (endpoint: Endpoint) => Promise<readonly TableColumns[] | undefined>;
  /** Why `tables` last returned undefined for an endpoint. */
  readonly tablesFailure: (endpoint: Endpoint) => unknown;
  /** What the engine computes when the endpoint's WITH clause reads stored tables. */
  readonly computed: (endpoint: Endpoint) => Promise<ComputedOnRead | undefined>;
  /** The saved query over redacted tables. */
  readonly source: (endpoint: Endpoint) => Promise<SourceQuery | undefined>;
  /** Why `source` last returned undefined for an endpoint. */
  readonly sourceFailure: (endpoint: Endpoint) => unknown;
  /** Why a redaction rule of the endpoint applies to nothing, in any variant; undefined if each applies, or if the engine cannot say. */
  readonly idleRule: (endpoint: Endpoint) => Promise<string | undefined>;
  /** Why a column of the result, or of a table for consumer queries, is a redacted one without its rule; undefined if none is known to be one. */
  readonly exposed: FindExposed;
  /**
   * For lists of all endpoints: what could not be described stays undefined for ten seconds, so that lists do not ask the engine
   * each time about endpoints without tables.
   */
  readonly lists: Pick<Describe, 'result' | 'tables'>;
}

const AT_ONCE = 4;
const PATIENCE_MS = 60_000;
const REST_MS = 10_000;

/** Results are kept for the lifetime of the compiled endpoint. `now` is in monotonic milliseconds. */
export function createDescribe(engine: Engine, now: () => number = monotonic): Describe {
  // Describing thousands of endpoints at once would fill the engine's queue, which calls use too.
  const accepted = new WeakMap<Endpoint, SampleValues>();
  const queue = createQueue({ places: AT_ONCE, waiting: Infinity, timeoutMs: PATIENCE_MS, after });
  const ask: Ask = async (endpoint, sql) => {
    const leave = await queue.enter();
    return describe(engine, endpoint, sql, accepted).finally(leave);
  };
  const tables = remember(createReadTables(ask), now);
  const plain = remember((endpoint) => ask(endpoint, endpoint.query), now);
  const computed = remember(async (endpoint) => {
    const leave = await queue.enter();
    return readComputed(engine, endpoint).finally(leave);
  }, now);
  const samples = async (endpoint: Endpoint): Promise<SampleValues> => {
    await plain.known(endpoint);
    return accepted.get(endpoint) ?? endpoint.samples()[0] ?? {};
  };
  const source = remember(async (endpoint) => {
    const values = await samples(endpoint);
    const leave = await queue.enter();
    return readSourceQuery(engine, endpoint, values).finally(leave);
  }, now);
  const resultBy =
    (by: 'known' | 'lately'): Describe['result'] =>
    async (endpoint) => {
      const { always, at } = endpoint.redaction;
      return always && at === 'source' ? (await source[by](endpoint))?.result : plain[by](endpoint);
    };
  const described = { result: resultBy('known'), source: source.known, tables: tables.known };
  return {
    ...described,
    idleRule: createIdleRule(described),
    exposed: createFindExposed(engine),
    lists: { result: resultBy('lately'), tables: tables.lately },
    computed: computed.known,
    samples,
    sourceFailure: source.failure,
    tablesFailure: tables.failure,
  };
}

/** It keeps what it finds with the rules of the compiled endpoint, which its variants share, so that calls do not compare them again. */
function createIdleRule(describe: Pick<Describe, 'result' | 'source' | 'tables'>): Describe['idleRule'] {
  const known = new WeakMap<object, { readonly reason: string | undefined }>();
  return async (endpoint) => {
    const { columns: rules } = endpoint.redaction;
    const paths = Object.keys(rules);
    const found = known.get(rules);
    if (found !== undefined) return found.reason;
    const idle = await findIdleRule(describe, endpoint, paths);
    if (idle !== undefined) known.set(rules, idle);
    return idle?.reason;
  };
}

/** The columns, with the first sample values that the engine accepts; those of an earlier query of the endpoint come first. */
async function describe(
  engine: Engine,
  endpoint: Endpoint,
  sql: string,
  accepted: WeakMap<Endpoint, SampleValues>,
): Promise<readonly Column[]> {
  const { limits, int64 } = endpoint;
  const known = accepted.get(endpoint);
  const samples = [...(known === undefined ? [] : [known]), ...endpoint.samples()];
  const analysis = await analyseQuery(sql, samples, (text, parameters) =>
    engine.describe({ sql: text, parameters, limits, origin: 'saved', int64 }),
  );
  if (analysis.kind === 'described') {
    accepted.set(endpoint, analysis.values);
    return analysis.columns;
  }
  if (analysis.kind === 'rejected' || analysis.columns === undefined) throw analysis.failure;
  return analysis.columns;
}

interface Remembered<T> {
  readonly known: (endpoint: Endpoint) => Promise<T | undefined>;
  /** The same, and undefined if it has failed lately. */
  readonly lately: (endpoint: Endpoint) => Promise<T | undefined>;
  readonly failure: (endpoint: Endpoint) => unknown;
}

function remember<T>(ask: (endpoint: Endpoint) => Promise<T>, now: () => number): Remembered<T> {
  const answers = new WeakMap<Endpoint, Promise<T | undefined>>();
  const failures = new WeakMap<Endpoint, { readonly cause: unknown; readonly at: number }>();
  const known = (endpoint: Endpoint): Promise<T | undefined> => {
    const found = answers.get(endpoint);
    if (found !== undefined) return found;
    const asked = ask(endpoint).catch((cause: unknown) => {
      answers.delete(endpoint);
      failures.set(endpoint, { cause, at: now() });
      return undefined;
    });
    answers.set(endpoint, asked);
    return asked;
  };
  return {
    known,
    lately: async (endpoint) => {
      const failed = failures.get(endpoint);
      const isResting = failed !== undefined && !answers.has(endpoint) && now() - failed.at < REST_MS;
      return isResting ? undefined : known(endpoint);
    },
    failure: (endpoint) => failures.get(endpoint)?.cause,
  };
}
