// Results in the engine's own formats, for ClickHouse clients: written by the engine, with its types and its defaults.
import { Problem } from '../core/problem.ts';
import type { Observe } from '../core/observation.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import type { EngineFormat } from '../format/clickhouse-formats.ts';
import { contentTypeOf } from '../format/formats.ts';
import { isRedacting } from '../redact/demand.ts';
import type { Bulkhead } from './bulkhead.ts';
import { BINARY, writeRedacted, writeRows } from './redacted-format.ts';
import { redactRows } from './redacted-rows.ts';
import type { Produced, Task } from './result.ts';
import { withoutRowsRead } from './rows-read.ts';
import { limitOf, reportsRowsBefore, withoutCap, withoutRowsBefore } from './rows-before-limit.ts';
import { runInFormat, type RunContext, type RunDeps, type WrittenResult } from './run.ts';

export interface EngineFormatDeps {
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  readonly clock: { readonly monotonic: () => number };
  readonly observe: Observe;
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
  const started = deps.clock.monotonic();
  const run = isRedacting(task.redactor) ? runRedacted : runOwn;
  const { bytes: written, rows, truncated, queueMs, encodeMs, read } = await run(deps, task, context);
  const bytes = withoutRowsRead(task.format, written, rows);
  const engineMs = deps.clock.monotonic() - started - queueMs - encodeMs;
  return {
    body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    rows,
    truncated,
    contentType: contentTypeOf(task.format),
    timing: { queue: queueMs, engine: engineMs, redact: 0, encode: encodeMs },
    read,
  };
}

/** TOO_MANY_ROWS_OR_BYTES. */
const TOO_MANY_ROWS = 396;

interface Counted extends WrittenResult {
  readonly rows: number;
  readonly truncated: boolean;
  /** Milliseconds spent redacting and writing the rows after the query. */
  readonly encodeMs: number;
}

/** The result of the engine, or, if that has types of other rows, one of its rows alone. */
async function runOwn(deps: EngineFormatDeps, task: EngineTask, context: RunContext): Promise<Counted> {
  const direct = await runDirect(deps, task, context);
  return mayListTypes(task.format, direct.bytes) ? runAlone(deps, task, context, direct) : direct;
}

const TYPES_IN_BINARY = 'output_format_native_encode_types_in_binary_format';

/** A `Dynamic` column in Native lists the types of all values that were stored with it, of other tenants as well. */
function mayListTypes({ engine, settings }: EngineFormat, bytes: Uint8Array): boolean {
  if (engine !== 'Native') return false;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return settings[TYPES_IN_BINARY] === '1' || body.includes('Dynamic');
}

/** The same rows from their values in binary. */
async function runAlone(
  { engine, bulkhead, clock }: EngineFormatDeps,
  task: EngineTask,
  context: RunContext,
  { queueMs, truncated, rows: most }: Counted,
): Promise<Counted> {
  const { format, plan } = task;
  const now = clock.monotonic;
  const rewrite = (sql: string): string => `SELECT * FROM (\n${sql}\n) LIMIT ${most}`;
  const result = await runInFormat({ engine, bulkhead, now }, task, context, { format: BINARY, rewrite });
  const ran = now();
  const { signal, spending } = context;
  const bytes = await writeRows({ engine, plan, format, signal, spending }, result.bytes);
  const rows = result.rows ?? most;
  const waitedMs = queueMs + result.queueMs;
  return { ...result, bytes, rows, truncated, queueMs: waitedMs, encodeMs: now() - ran };
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
  const cap = task.endpoint.maxRows;
  const limit = reportsRowsBefore(format.engine)
    ? limitOf(task.plan.consumerQuery?.canonicalSql ?? '')
    : 'unknown';
  const isOwn = typeof limit === 'number' && limit <= cap;
  const rewrite = (sql: string): string => inOneBlock(isOwn ? withoutCap(sql, cap + 1) : sql, format);
  const result = await runInFormat(deps, task, context, { format, rewrite });
  const rows = result.rows ?? (await countRows(deps, task, context));
  if (rows <= most) {
    const bytes = limit === 'none' ? withoutRowsBefore(result.bytes) : result.bytes;
    return { ...result, bytes, rows, truncated: false, encodeMs: 0 };
  }
  return runCut(deps, task, context, { ...result, rows });
}

/** The first rows of a result that has more of them than it may. */
async function runCut(
  deps: RunDeps,
  task: EngineTask,
  context: RunContext,
  { rows, queueMs }: Pick<Counted, 'rows' | 'queueMs'>,
): Promise<Counted> {
  const { format } = task;
  const most = mostRows(task);
  checkOverflow(format, rows);
  const rewrite = (sql: string): string => inOneBlock(`SELECT * FROM (\n${sql}\n) LIMIT ${most}`, format);
  const cut = await runInFormat(deps, task, context, { format, rewrite });
  const kept = cut.rows ?? most;
  return { ...cut, queueMs: queueMs + cut.queueMs, rows: kept, truncated: kept === most, encodeMs: 0 };
}

/** Formats that show how rows are split into blocks. */
const IN_BLOCKS = /^(?:Arrow|ArrowStream|Native|ORC|Parquet|Avro|Pretty)/;

/**
 * Rows come in blocks as they are stored, beside those of other tenants, which a result must not show. Sorting them by their position
 * keeps their order and returns one block.
 */
function inOneBlock(sql: string, { engine }: EngineFormat): string {
  return IN_BLOCKS.test(engine) ? `SELECT * FROM (\n${sql}\n) ORDER BY rowNumberInAllBlocks()` : sql;
}

/** With redaction, the second layer has to see the values whatever the format. */
async function runRedacted(
  { engine, bulkhead, clock, observe }: EngineFormatDeps,
  task: EngineTask,
  context: RunContext,
): Promise<Counted> {
  const { format, plan, redactor } = task;
  const now = clock.monotonic;
  const result = await runInFormat({ engine, bulkhead, now }, task, context, { format: BINARY });
  const ran = now();
  const writing = {
    engine,
    plan,
    format,
    most: mostRows(task),
    redact: (lines: Uint8Array) => redactRows({ observe }, task, lines),
    redactText: redactor.redactText,
    signal: context.signal,
    spending: context.spending,
  };
  const { body, rows, truncated } = await writeRedacted(writing, result.bytes);
  if (truncated) checkOverflow(format, rows + 1);
  return { ...result, bytes: body, rows, truncated, encodeMs: now() - ran };
}

/** For servers that do not report the number of rows of a result. */
async function countRows(deps: RunDeps, task: EngineTask, context: RunContext): Promise<number> {
  const output = { format: 'JSONCompactEachRow', rewrite: countOf } as const;
  const { bytes } = await runInFormat(deps, task, context, output);
  const [count] = JSON.parse(Buffer.from(bytes).toString()) as [number | string];
  return Number(count);
}

function countOf(sql: string): string {
  return `SELECT count() FROM (\n${sql}\n)`;
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
