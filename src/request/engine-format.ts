// Results in the engine's own formats, for ClickHouse clients: written by the engine, with its types and its defaults.
import { Problem } from '../core/problem.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import type { EngineFormat } from '../format/clickhouse-formats.ts';
import { contentTypeOf } from '../format/formats.ts';
import { isRedacting } from '../redact/demand.ts';
import type { Bulkhead } from './bulkhead.ts';
import type { Produced, Task } from './result.ts';
import { runInFormat, type RunContext, type RunDeps, type WrittenResult } from './run.ts';

export interface EngineFormatDeps {
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  readonly clock: { readonly monotonic: () => number };
}

/** A task whose result the engine writes. */
export interface EngineTask extends Task {
  readonly format: EngineFormat;
}

/** Runs a task and encodes its result. Throws Problem. */
export async function produceEngineFormat(
  deps: EngineFormatDeps,
  task: EngineTask,
  context: RunContext,
): Promise<Produced> {
  const { format, redactor } = task;
  const started = deps.clock.monotonic();
  if (isRedacting(redactor)) throw new Problem('format.not_acceptable');
  const { bytes, rows, truncated, queueMs, read } = await runDirect(deps, task, context);
  const engineMs = deps.clock.monotonic() - started - queueMs;
  return {
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    rows,
    truncated,
    contentType: contentTypeOf(format),
    timing: { queue: queueMs, engine: engineMs, redact: 0, encode: 0 },
    read,
  };
}

/** TOO_MANY_ROWS_OR_BYTES. */
const TOO_MANY_ROWS = 396;

interface Counted extends WrittenResult {
  readonly rows: number;
  readonly truncated: boolean;
}

/** The statement returns a row more than the endpoint allows, so only a result with that row is run again without it. */
async function runDirect(
  { engine, bulkhead, clock }: EngineFormatDeps,
  task: EngineTask,
  context: RunContext,
): Promise<Counted> {
  const deps = { engine, bulkhead, now: clock.monotonic };
  const { format } = task;
  const most = mostRows(task);
  const result = await runInFormat(deps, task, context, { format });
  const rows = result.rows ?? (await countRows(deps, task, context));
  if (rows <= most) return { ...result, rows, truncated: false };
  checkOverflow(format, rows);
  const rewrite = (sql: string): string => `SELECT * FROM (\n${sql}\n) LIMIT ${most}`;
  const cut = await runInFormat(deps, task, context, { format, rewrite });
  const kept = cut.rows ?? most;
  return { ...cut, queueMs: result.queueMs + cut.queueMs, rows: kept, truncated: kept === most };
}

/** For servers that do not report the number of rows of a result. */
async function countRows(deps: RunDeps, task: EngineTask, context: RunContext): Promise<number> {
  const rewrite = (sql: string): string => `SELECT count() FROM (\n${sql}\n)`;
  const { bytes } = await runInFormat(deps, task, context, { format: 'JSONCompactEachRow', rewrite });
  const [count] = JSON.parse(Buffer.from(bytes).toString()) as [number | string];
  return Number(count);
}

/** Throws Problem, with ClickHouse's own code as the cause, if the caller wants no result rather than a part of it. */
function checkOverflow({ resultRows }: EngineFormat, rows: number): void {
  if (resultRows?.overflow !== 'throw' || rows <= resultRows.max) return;
  const detail = `The result exceeds the limit max_result_rows: more than ${resultRows.max} rows`;
  const cause = new EngineError('limit', detail, { engineCode: TOO_MANY_ROWS });
  throw new Problem('query.too_expensive', {
    detail,
    hint: 'Add a LIMIT, or set result_overflow_mode to break.',
    cause,
  });
}

function mostRows({ endpoint, format: { resultRows } }: EngineTask): number {
  return Math.min(endpoint.maxRows, resultRows?.max ?? endpoint.maxRows);
}
