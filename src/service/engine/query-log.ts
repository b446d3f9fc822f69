// Reads what a ClickHouse server has logged of the statements of a request: `system.query_log`, and `system.processors_profile_log`.
import { EngineError, type Engine } from './engine.ts';
import { readRows } from './rows.ts';

/** How the server ran a statement. Durations are milliseconds. */
export interface LoggedStatement {
  readonly ms: number;
  readonly readRows: number;
  readonly readBytes: number;
  readonly resultRows: number;
  readonly memory: number;
  /** ClickHouse's code of the error; 0: none. */
  readonly error: number;
  /** Processor time, waits and so on, by a name of `EVENTS`. */
  readonly times: Readonly<Record<string, number>>;
  /** Counts, by a name of `EVENTS`. */
  readonly counts: Readonly<Record<string, number>>;
  /** The steps of the plan that took the most time, if the server logs them. */
  readonly steps: readonly LoggedStep[];
}

export interface LoggedStep {
  readonly step: string;
  readonly ms: number;
  readonly inputRows: number;
  readonly outputRows: number;
}

/** These profile events (https://clickhouse.com/docs/operations/system-tables/query_log) are reported by these names. */
const EVENTS: readonly (readonly [event: string, name: string, kind: 'microseconds' | 'count'])[] = [
  ['OSCPUVirtualTimeMicroseconds', 'processor', 'microseconds'],
  ['OSCPUWaitMicroseconds', 'waiting for a processor', 'microseconds'],
  ['OSIOWaitMicroseconds', 'waiting for disks', 'microseconds'],
  ['DiskReadElapsedMicroseconds', 'reading from disks', 'microseconds'],
  ['ReadBufferFromS3Microseconds', 'reading from object storage', 'microseconds'],
  ['NetworkReceiveElapsedMicroseconds', 'waiting for the network', 'microseconds'],
  ['ConcurrencyControlWaitMicroseconds', 'waiting for threads', 'microseconds'],
  ['SelectedParts', 'parts', 'count'],
  ['SelectedMarks', 'granules', 'count'],
  ['SelectedRows', 'rows', 'count'],
  ['MarkCacheMisses', 'marks that were not cached', 'count'],
  ['ExternalSortWritePart', 'sorts on disk', 'count'],
  ['ExternalAggregationWritePart', 'aggregations on disk', 'count'],
  ['QueryConditionCacheHits', 'hits of the query condition cache', 'count'],
];

/** The names of the events in ClickHouse. */
export const LOGGED_EVENTS: readonly string[] = EVENTS.map(([event]) => event);

const MOST_STATEMENTS = 10;
const MOST_STEPS = 20;

/** The columns are those of `statementOf`. The server may have replaced the statement by others, which have the same comment. */
const STATEMENTS = `SELECT query_id, query_duration_ms, read_rows, read_bytes, result_rows, memory_usage, exception_code, mapFilter((k, v) -> has(${eventNames()}, k), ProfileEvents)
FROM system.query_log
WHERE event_date >= today() - 1 AND type != 'QueryStart' AND is_initial_query AND JSONExtractString(log_comment, 'request') = {request:String}
ORDER BY event_time_microseconds DESC LIMIT ${MOST_STATEMENTS}`;

const STEPS = `SELECT query_id, plan_step_name, intDiv(sum(elapsed_us), 1000), sum(input_rows), sum(output_rows)
FROM system.processors_profile_log
WHERE event_date >= today() - 1 AND has({ids:Array(String)}, query_id) AND plan_step_name != ''
GROUP BY query_id, plan_step_name ORDER BY 3 DESC LIMIT ${MOST_STATEMENTS * MOST_STEPS}`;

function eventNames(): string {
  return `[${LOGGED_EVENTS.map((event) => `'${event}'`).join(', ')}]`;
}

export type QueryLog =
  | { readonly statements: readonly LoggedStatement[] }
  /** It says why the log cannot be read. */
  | { readonly reason: string };

/** Reads at most the last two days, for at most ten seconds. Rejects with EngineError only if the server is lost. */
export async function readQueryLog(
  engine: Engine,
  requestId: string,
  signal: AbortSignal,
): Promise<QueryLog> {
  try {
    const rows = await readRows(engine, STATEMENTS, { parameters: { request: requestId } }, { signal });
    const ids = `[${rows.map((row) => `'${idOf(row)}'`).join(',')}]`;
    const steps =
      rows.length === 0
        ? []
        : await readRows(engine, STEPS, { parameters: { ids } }, { signal }).catch(noSteps);
    return { statements: rows.map((row) => statementOf(row, steps)) };
  } catch (error) {
    if (error instanceof EngineError && error.failure === 'aborted')
      return { reason: 'the server takes too long' };
    if (!(error instanceof EngineError) || error.engineCode === undefined) throw error;
    return { reason: REASONS[error.engineCode] ?? `the server rejects it with code ${error.engineCode}` };
  }
}

/** Not every server logs them. */
function noSteps(error: unknown): readonly [] {
  if (error instanceof EngineError && error.engineCode !== undefined) return [];
  throw error;
}

const REASONS: Readonly<Record<number, string>> = {
  60: 'the server has no system.query_log',
  497: 'the service needs GRANT SELECT ON system.query_log and ON system.processors_profile_log',
};

function idOf(row: unknown): string {
  const [id] = row as readonly unknown[]; // as STATEMENTS selects it
  return String(id).replaceAll(/[^\w-]/g, '');
}

/** Numbers of 64 bits may be strings. */
function statementOf(row: unknown, steps: readonly unknown[]): LoggedStatement {
  const [, ms, readRows, readBytes, resultRows, memory, error, events] = row as readonly unknown[]; // as above
  const profile = (events ?? {}) as Readonly<Record<string, unknown>>; // a map
  const own = steps.filter((step) => idOf(step) === idOf(row)).slice(0, MOST_STEPS);
  return {
    ms: Number(ms),
    readRows: Number(readRows),
    readBytes: Number(readBytes),
    resultRows: Number(resultRows),
    memory: Number(memory),
    error: Number(error),
    times: eventsOf(profile, 'microseconds', 1000),
    counts: eventsOf(profile, 'count', 1),
    steps: own.map((step) => {
      const [, name, elapsed, inputRows, outputRows] = step as readonly unknown[]; // as STEPS selects them
      return {
        step: String(name),
        ms: Number(elapsed),
        inputRows: Number(inputRows),
        outputRows: Number(outputRows),
      };
    }),
  };
}

function eventsOf(
  profile: Readonly<Record<string, unknown>>,
  wanted: (typeof EVENTS)[number][2],
  divisor: number,
): Readonly<Record<string, number>> {
  const known = EVENTS.filter(([event, , kind]) => kind === wanted && Number(profile[event] ?? 0) > 0);
  return Object.fromEntries(known.map(([event, name]) => [name, Number(profile[event]) / divisor]));
}
