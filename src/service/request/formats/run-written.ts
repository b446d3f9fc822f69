// Runs a plan whose result the engine writes: with its own rows, or with those of columns that are built again, without how they are stored.
import { Problem } from '../../../sql/base/problem.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { EngineError, type Column, type Engine } from '../../engine/engine.ts';
import { mayHaveDictionaries } from '../../formats/arrow-messages.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import { hasDocuments, isShared, selectBuiltAgain } from '../../../guard/sandbox/shared-columns.ts';
import type { Bulkhead } from '../limits/bulkhead.ts';
import type { Transformer } from '../transform/transformer.ts';
import { runInFormat, type RunContext, type RunDeps, type WrittenResult } from '../run-statement.ts';
import type { Plan } from '../plan.ts';
import { describeResult } from '../describe-result.ts';

export interface EngineFormatDeps {
  readonly engine: Engine;
  readonly bulkhead: Bulkhead;
  readonly clock: { readonly monotonic: () => number };
  readonly observe: Observe;
  readonly transformer: Pick<Transformer, 'whole' | 'pause'>;
}

/** The engine writes the result of such a plan. */
export interface EnginePlan extends Plan {
  readonly format: EngineFormat;
}

/** The engine's error TOO_MANY_ROWS_OR_BYTES has this code. */
const TOO_MANY_ROWS = 396;

export interface Counted extends WrittenResult {
  readonly rows: number;
  readonly truncated: boolean;
  /** It is the time in milliseconds spent redacting and writing the rows after the query. */
  readonly encodeMs: number;
  /** It is undefined if the columns have not been described. */
  readonly columns?: readonly Column[];
}

/** Returns the columns of a statement that has run. */
export function columnsRun(
  { engine }: EngineFormatDeps,
  plan: EnginePlan,
  { key, spending, signal }: RunContext,
): Promise<readonly Column[]> {
  return describeResult(engine, { ...plan, key, spending, signal: () => signal });
}

/** Resolves to the result of the engine. If the format shows how columns are stored among other rows, they are built again. */
export async function runOwn(
  deps: EngineFormatDeps,
  plan: EnginePlan,
  context: RunContext,
): Promise<Counted> {
  const direct = await runDirect(deps, plan, context);
  if (!mayShowStorage(plan.format, direct.bytes)) return direct;
  const columns = await columnsRun(deps, plan, context);
  const shown = columns.filter(plan.format.engine.startsWith('RowBinary') ? hasDocuments : isShared);
  if (shown.length === 0) return { ...direct, columns };
  checkNames(columns);
  return { ...(await runAlone(deps, plan, context, { shown, direct })), columns };
}

/**
 * Returns whether a result can have more of a column than its values: the types of `Dynamic` in Native, the order of the paths of documents
 * in RowBinary, the dictionary of LowCardinality in a Variant in Arrow.
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

/** Throws Problem, since columns are built again by their names. */
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
  /** The format shows how these columns are stored. */
  readonly shown: readonly Column[];
  readonly direct: Counted;
}

/** Resolves to the same rows, with columns that have nothing but their values. */
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

/** Resolves to the first rows of a result that has too many of them. */
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

/** These formats show how rows are split into blocks. */
const IN_BLOCKS = /^(?:Arrow|ArrowStream|Native|ORC|Parquet|Avro|Pretty)/;

/**
 * Rows come in blocks as they are stored, beside those of other tenants, which a result must not show. Sorting them by their position
 * keeps their order and returns one block.
 */
function inOneBlock(sql: string, { engine }: EngineFormat): string {
  return IN_BLOCKS.test(engine) ? `SELECT * FROM (\n${sql}\n) ORDER BY rowNumberInAllBlocks()` : sql;
}

/** Counts the rows of a result for servers that do not report their number. */
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
export function checkOverflow({ resultRows }: EngineFormat, rows: number): void {
  if (resultRows?.overflow !== 'throw' || rows <= resultRows.max) return;
  const detail = `The result exceeds the limit max_result_rows: more than ${resultRows.max} rows`;
  const cause = new EngineError('limit', detail, { engineCode: TOO_MANY_ROWS });
  throw new Problem('query.too_expensive', {
    detail,
    hint: 'Add a LIMIT, or set result_overflow_mode to break.',
    cause,
  });
}

export function mostRows({ endpoint, format: { resultRows } }: EnginePlan): number {
  return Math.min(endpoint.maxRows, resultRows?.max ?? endpoint.maxRows);
}
