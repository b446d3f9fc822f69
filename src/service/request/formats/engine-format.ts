// Results in the engine's own formats, for ClickHouse clients: written by the engine, with its types and its defaults.
import { Problem } from '../../../sql/base/problem.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { EngineError, type Column, type Engine } from '../../engine/engine.ts';
import { mayHaveDictionaries } from '../../formats/arrow-messages.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import { contentTypeOf } from '../../formats/formats.ts';
import { isRedacting } from '../../../guard/redact/demand.ts';
import { hasDocuments, isShared, selectBuiltAgain } from '../../../guard/sandbox/shared-columns.ts';
import type { Bulkhead } from '../limits/bulkhead.ts';
import { asDeclared } from './native/blocks.ts';
import { BINARY, writeRedacted } from './redacted-format.ts';
import { observeFound, redactionOf } from './redacted-rows.ts';
import { reportsInLines, withoutRowsRead } from './rows-read.ts';
import { hasLimit, reportsRowsBefore, withRowsBefore } from './rows-before-limit.ts';
import type { NamedType } from '../transform/redacted-columns.ts';
import { joined } from '../transform/parts.ts';
import type { Pause } from '../transform/pause.ts';
import type { Transformer } from '../transform/transformer.ts';
import {
  runInFormat,
  type RunContext,
  type RunDeps,
  type WrittenResult,
  type Produced,
} from '../run-statement.ts';
import type { Plan } from '../plan.ts';
import { describeResult } from '../describe-result.ts';

export interface EngineFormatDeps {
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  readonly clock: { readonly monotonic: () => number };
  readonly observe: Observe;
  readonly transformer: Pick<Transformer, 'whole' | 'pause'>;
}

/** A plan whose result the engine writes. */
export interface EnginePlan extends Plan {
  readonly format: EngineFormat;
}

/** Runs a plan and encodes its result. Throws Problem. */
export async function produceEngineFormat(
  deps: EngineFormatDeps,
  plan: EnginePlan,
  context: RunContext,
): Promise<Produced> {
  const started = deps.clock.monotonic();
  const run = isRedacting(plan.redactor) ? runRedacted : runOwn;
  const {
    bytes: written,
    rows,
    truncated,
    queueMs,
    encodeMs,
    read,
    rollup,
    columns,
  } = await run(deps, plan, context).catch((error: unknown) => {
    throw notWritable(error, plan.format) ?? error;
  });
  const { pause } = deps.transformer;
  const bytes = await withTail({ format: plan.format, written, pause }, (end) => {
    if (!reportsRowsBefore(plan.format.engine)) return withoutRowsRead(plan.format, end, rows);
    const { consumerQuery } = plan.query;
    const isCut = truncated || (consumerQuery !== undefined && hasLimit(consumerQuery.canonicalSql));
    return withoutRowsRead(plan.format, withRowsBefore(end, isCut ? rows : undefined), rows);
  });
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const columnsOf = async () => columns ?? (await columnsRun(deps, plan, context));
  const engineMs = deps.clock.monotonic() - started - queueMs - encodeMs;
  return {
    body: await asDeclared(body, plan.format, columnsOf),
    rows,
    truncated,
    contentType: contentTypeOf(plan.format),
    timing: { queue: queueMs, engine: engineMs, redact: 0, encode: encodeMs },
    read,
    rollup,
  };
}

/** More than what follows the data of a result. */
const TAIL = 4096;

interface Written {
  readonly format: EngineFormat;
  readonly written: Uint8Array;
  readonly pause: Pause;
}

/** The result with its end changed, or all of it if the format reports progress in between; copied in parts. */
async function withTail(
  { format, written, pause }: Written,
  change: (end: Uint8Array) => Uint8Array,
): Promise<Uint8Array> {
  const from = reportsInLines(format) ? 0 : Math.max(0, written.length - TAIL);
  const end = written.subarray(from);
  const changed = change(end);
  if (changed === end) return written;
  return from === 0 ? changed : joined([written.subarray(0, from), changed], pause);
}

/** The engine's messages about a type that a format does not support. */
const UNSUPPORTED_TYPE =
  /not supported (?:for|in) (?:Avro|BSON|MsgPack|ORC) output|not supported for conversion into Parquet|Parquet doesn't support empty tuples/;

/** The problem if a failure is the format's, which the query would not have in others. */
function notWritable(error: unknown, { engine }: EngineFormat): Problem | undefined {
  const cause = error instanceof Problem ? error.cause : error;
  if (!(cause instanceof EngineError)) return undefined;
  if (UNSUPPORTED_TYPE.test(cause.message))
    return new Problem('format.not_acceptable', {
      detail: `${engine} does not support the type of one of the columns`,
      hint: 'Convert the column in the query, for example with toString, or use another FORMAT.',
      cause,
    });
  if (engine === 'Avro' && /avro::Exception.* Invalid name/.test(cause.message))
    return new Problem('format.not_acceptable', {
      detail: 'In Avro, names of columns have only letters, digits and _, and begin with no digit',
      hint: 'Give the column another name, with AS, or use another FORMAT.',
      cause,
    });
  return undefined;
}

/** TOO_MANY_ROWS_OR_BYTES. */
const TOO_MANY_ROWS = 396;

interface Counted extends WrittenResult {
  readonly rows: number;
  readonly truncated: boolean;
  /** Milliseconds spent redacting and writing the rows after the query. */
  readonly encodeMs: number;
  /** Undefined: they have not been described. */
  readonly columns?: readonly Column[];
}

/** The columns of a statement that has run. */
function columnsRun(
  { engine }: EngineFormatDeps,
  plan: EnginePlan,
  { key, spending, signal }: RunContext,
): Promise<readonly Column[]> {
  return describeResult(engine, { ...plan, key, spending, signal: () => signal });
}

/** The result of the engine; columns of which the format shows how they are stored, among other rows, are built again. */
async function runOwn(deps: EngineFormatDeps, plan: EnginePlan, context: RunContext): Promise<Counted> {
  const direct = await runDirect(deps, plan, context);
  if (!mayShowStorage(plan.format, direct.bytes)) return direct;
  const columns = await columnsRun(deps, plan, context);
  const shown = columns.filter(plan.format.engine.startsWith('RowBinary') ? hasDocuments : isShared);
  if (shown.length === 0) return { ...direct, columns };
  checkNames(columns);
  return { ...(await runAlone(deps, plan, context, { shown, direct })), columns };
}

/**
 * Whether a result can have more of a column than its values: the types of `Dynamic` in Native, the order of the paths of documents in
 * RowBinary, the dictionary of LowCardinality in a Variant in Arrow.
 */
function mayShowStorage({ engine, settings }: EngineFormat, bytes: Uint8Array): boolean {
  if (engine === 'Arrow' || engine === 'ArrowStream') return mayHaveDictionaries(bytes);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (engine.startsWith('RowBinary')) {
    if (settings[DOCUMENTS_AS_TEXT] === '1') return false;
    const namesTypes = engine === 'RowBinaryWithNamesAndTypes' && settings[ROW_TYPES_IN_BINARY] !== '1';
    return !namesTypes || body.includes('JSON') || body.includes('Object');
  }
  if (engine !== 'Native') return false;
  return settings[TYPES_IN_BINARY] === '1' || body.includes('Dynamic');
}

const TYPES_IN_BINARY = 'output_format_native_encode_types_in_binary_format';
const ROW_TYPES_IN_BINARY = 'output_format_binary_encode_types_in_binary_format';
const DOCUMENTS_AS_TEXT = 'output_format_binary_write_json_as_string';

/** Throws Problem: columns are built again by their names. */
function checkNames(columns: readonly Column[]): void {
  if (new Set(columns.map(({ name }) => name)).size < columns.length)
    throw new Problem('format.not_acceptable', SAME_NAMES);
}

const SAME_NAMES = {
  detail:
    'Two columns of the result have the same name, and this format would show how one of them is stored',
  hint: 'Give each column of the result another name, with AS, or use another FORMAT.',
};

interface ShownStorage {
  /** The columns of which the format shows how they are stored. */
  readonly shown: readonly Column[];
  readonly direct: Counted;
}

/** The same rows, with columns that have nothing but their values. */
async function runAlone(
  { engine, bulkhead, clock }: EngineFormatDeps,
  plan: EnginePlan,
  context: RunContext,
  { shown, direct }: ShownStorage,
): Promise<Counted> {
  const { format } = plan;
  const rewrite = (sql: string): string =>
    inOneBlock(`SELECT ${selectBuiltAgain(shown)} FROM (\n${sql}\n) LIMIT ${direct.rows}`, format);
  const deps = { engine, bulkhead, now: clock.monotonic };
  const { queueMs, ...result } = await runInFormat(deps, plan, context, { format, rewrite });
  return {
    ...result,
    rows: direct.rows,
    truncated: direct.truncated,
    queueMs: direct.queueMs + queueMs,
    encodeMs: 0,
  };
}

/** The statement returns a row more than the endpoint allows, so only a result with that row is run again without it. */
async function runDirect(
  { engine, bulkhead, clock }: EngineFormatDeps,
  plan: EnginePlan,
  context: RunContext,
): Promise<Counted> {
  const deps = { engine, bulkhead, now: clock.monotonic };
  const { format } = plan;
  const rewrite = (sql: string): string => inOneBlock(sql, format);
  const result = await runInFormat(deps, plan, context, { format, rewrite });
  const rows = result.rows ?? (await countRows(deps, plan, context));
  if (rows <= mostRows(plan)) return { ...result, rows, truncated: false, encodeMs: 0 };
  return runCut(deps, plan, context, { ...result, rows });
}

/** The first rows of a result that has more of them than it may. */
async function runCut(
  deps: RunDeps,
  plan: EnginePlan,
  context: RunContext,
  { rows, queueMs }: Pick<Counted, 'rows' | 'queueMs'>,
): Promise<Counted> {
  const { format } = plan;
  const most = mostRows(plan);
  checkOverflow(format, rows);
  const rewrite = (sql: string): string => inOneBlock(`SELECT * FROM (\n${sql}\n) LIMIT ${most}`, format);
  const cut = await runInFormat(deps, plan, context, { format, rewrite });
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
  { engine, bulkhead, clock, observe, transformer }: EngineFormatDeps,
  plan: EnginePlan,
  context: RunContext,
): Promise<Counted> {
  const { format, query } = plan;
  const now = clock.monotonic;
  const result = await runInFormat({ engine, bulkhead, now }, plan, context, { format: BINARY });
  const ran = now();
  const writing = {
    engine,
    query,
    format,
    most: mostRows(plan),
    redactColumns: async (columns: readonly NamedType[], lines: Uint8Array) => {
      const redaction = redactionOf(plan);
      const redacted = await transformer.whole(
        { kind: 'redact_columns', redaction, columns },
        lines,
        context,
      );
      observeFound(observe, plan, redacted);
      return { bytes: redacted.bytes, columns: redacted.columns ?? [] };
    },
    signal: context.signal,
    spending: context.spending,
  };
  const { body, rows, truncated, columns } = await writeRedacted(writing, result.bytes);
  if (truncated) checkOverflow(format, rows + 1);
  return { ...result, bytes: body, rows, truncated, columns, encodeMs: now() - ran };
}

/** For servers that do not report the number of rows of a result. */
async function countRows(deps: RunDeps, plan: EnginePlan, context: RunContext): Promise<number> {
  const output = { format: 'JSONCompactEachRow', rewrite: countOf } as const;
  const { bytes } = await runInFormat(deps, plan, context, output);
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

function mostRows({ endpoint, format: { resultRows } }: EnginePlan): number {
  return Math.min(endpoint.maxRows, resultRows?.max ?? endpoint.maxRows);
}
