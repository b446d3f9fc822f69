// Redacted results in the engine's own formats. The engine writes the result in binary, exact for every type; then, from that, rows in
// JSON for the redactor; then the format, from the binary rows and the columns that the redactor changed.
import { Problem } from '../../../sql/base/problem.ts';
import {
  EngineError,
  type Engine,
  type RunHooks,
  type RunOptions,
  type Statement,
} from '../../engine/engine.ts';
import { readAll } from '../../engine/rows.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import { cutLines } from '../../formats/lines.ts';
import { readRowBinary, type RowBinary } from '../../formats/row-binary.ts';
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import { isDynamic, isEnum } from '../../../sql/types/traits.ts';
import { changeInner, parseType, printType, typeOf, type ClickHouseType } from '../../../sql/types/type.ts';
import { runProblem } from '../engine-problems.ts';
import type { Spending } from '../limits/spending.ts';
import type { KeptColumn } from '../transform/redacted-columns.ts';
import type { PlannedQuery } from '../planned-query.ts';

/** Exact for every type, with the names and types of the columns. */
export const BINARY: EngineFormat = { engine: 'RowBinaryWithNamesAndTypes', settings: {} };

export interface RedactedFormat {
  readonly engine: Engine;
  readonly query: PlannedQuery;
  readonly format: EngineFormat;
  /** Most rows of the result. */
  readonly most: number;
  /** The columns that redaction changes, of rows in JSONEachRow of which the first has names alone; the same array if none. */
  readonly redactColumns: (
    columns: RowBinary['columns'],
    lines: Uint8Array,
  ) => Promise<Pick<ChangedRows, 'columns'> & { readonly bytes: Uint8Array }>;
  readonly signal: AbortSignal;
  /** Counts what writing costs; undefined: it is counted against no budget. */
  readonly spending: Pick<Spending, 'beside'> | undefined;
}

export interface RedactedResult {
  readonly body: Uint8Array;
  /** Rows of the body. */
  readonly rows: number;
  readonly truncated: boolean;
  /** Those of the body, with the types that they have where redaction changed nothing. */
  readonly columns: readonly Pick<KeptColumn, 'name' | 'type'>[];
}

/** Writes a binary result in a format, without personal data. Throws Problem. */
export async function writeRedacted(what: RedactedFormat, binary: Uint8Array): Promise<RedactedResult> {
  const result = readRowBinary(binary);
  const names = result.columns.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Problem('format.not_acceptable', SAME_NAMES);
  const written = await ask(what, selectAll(result), 'JSONEachRow');
  const { lines, rows, truncated } = cutLines(written, what.most);
  const head = Buffer.from(`${JSON.stringify(Object.fromEntries(names.map((name) => [name, null])))}\n`);
  const before = Buffer.concat([head, lines]);
  const { columns, bytes: text } = await what.redactColumns(result.columns, before);
  const most = truncated ? rows : undefined;
  if (text === before) {
    const body = await ask(what, selectAll(result, most), what.format);
    return { body, rows, truncated, columns: result.columns };
  }
  const changed = { columns, text, most };
  const body = await ask(what, selectChanged(result, changed), what.format).catch((cause: unknown) => {
    if (!(cause instanceof Problem && cause.code === 'format.not_acceptable')) throw cause;
    return ask(what, selectChanged(result, { ...changed, isText: true }), what.format);
  });
  return { body, rows, truncated, columns: changed.columns };
}

const SAME_NAMES = {
  detail: 'Two columns of the result have the same name, and this response is redacted',
  hint: 'Give each column of the result another name, with AS.',
};

interface ChangedRows {
  readonly columns: readonly KeptColumn[];
  /** The changed columns, in JSONEachRow. */
  readonly text: Uint8Array;
  /** Most rows of the result; undefined if it has no more than it may have. */
  readonly most: number | undefined;
  /** It is true if changed columns are strings, whatever their type. */
  readonly isText?: boolean;
}

/** Reads the binary rows. The names are those of the result: an alias could hide another column. */
function binaryRows({ columns, rows }: RowBinary, names: readonly string[]): string {
  const structure = columns.map(({ type }, index) => `${quoteIdentifier(names[index] ?? '')} ${type}`);
  const list = quoteString(structure.join(', '));
  // Nothing at all has no columns either.
  if (rows.length === 0) return `format(JSONEachRow, ${list}, '{}') WHERE 0`;
  return `format(RowBinary, ${list}, base64Decode('${rows.toString('base64')}'))`;
}

function selectAll(result: RowBinary, most?: number): string {
  const names = result.columns.map(({ name }) => name);
  return withInput(`SELECT * FROM ${binaryRows(result, names)}${limit(most)}`);
}

function limit(most: number | undefined): string {
  return most === undefined ? '' : ` LIMIT ${most}`;
}

/** The engine appends a clause with the settings of the statement itself. */
function withInput(sql: string): string {
  return `SELECT * FROM (${sql} SETTINGS ${INPUT})`;
}

/** Rows of both sources have the same order: each is read by one thread. */
function selectChanged(result: RowBinary, { columns, text, most, isText = false }: ChangedRows): string {
  if (columns.length === 0) throw new Problem('format.not_acceptable', NO_COLUMNS);
  const hidden = hiddenPrefix(columns);
  const names = result.columns.map((_, index) => `${hidden}${index}`);
  for (const { index, name, isChanged } of columns) if (!isChanged) names[index] = name;
  const rows = `SELECT * FROM ${binaryRows(result, names)}${limit(most)}`;
  const changed = columns.filter(({ isChanged }) => isChanged);
  const structure = changed.map(
    ({ name, type }) => `${quoteIdentifier(name)} ${isText ? TEXT : redactedType(type)}`,
  );
  const data = `base64Decode('${Buffer.from(text.buffer, text.byteOffset, text.length).toString('base64')}')`;
  const rewritten = `SELECT * FROM format(JSONEachRow, ${quoteString(structure.join(', '))}, ${data})`;
  const pasted = changed.length === 0 ? '' : `\nPASTE JOIN (${rewritten}) AS b`;
  const list = columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  return withInput(`SELECT ${list} FROM (${rows}) AS a${pasted}`);
}

/** No name of a column begins with it. */
function hiddenPrefix(columns: readonly KeptColumn[]): string {
  let prefix = 'hidden';
  while (columns.some(({ name }) => name.startsWith(prefix))) prefix += '_';
  return prefix;
}

const NO_COLUMNS = {
  detail: 'Redaction drops every column of the result',
  hint: 'Select other columns.',
};

const TEXT = 'Nullable(String)';

/** Nested columns stay one column. */
const INPUT = `date_time_input_format = 'best_effort', flatten_nested = 0, max_threads = 1`;

/** The type of a column with values that the redactor has changed: strings where no other value than the original fits. */
function redactedType(type: string): string {
  return printType(changeInner(parseType(type), textIfClosed));
}

function textIfClosed(type: ClickHouseType): ClickHouseType {
  if (isDynamic(type)) return parseType(TEXT);
  return isEnum(type) || CLOSED.has(type.name) ? typeOf('String') : type;
}

const CLOSED: ReadonlySet<string> = new Set(['FixedString', 'UUID', 'AggregateFunction', 'Nothing']);

/** The engine parses statements of up to 8 MiB. */
const MAX_STATEMENT = 7.5 * 2 ** 20;

async function ask(
  { engine, query, signal, spending }: Pick<RedactedFormat, 'engine' | 'query' | 'signal' | 'spending'>,
  sql: string,
  format: RunOptions['format'],
): Promise<Uint8Array> {
  if (Buffer.byteLength(sql) > MAX_STATEMENT) throw new Problem('format.too_large', FEWER);
  const statement: Statement = { ...query.statement, sql, parameters: {}, origin: 'saved' };
  try {
    const write = async ({ onStart }: RunHooks = {}): Promise<Uint8Array> => {
      const { chunks } = await engine.run(statement, { format, signal, ...(onStart && { onStart }) });
      return readAll(chunks);
    };
    return await (spending === undefined ? write() : spending.beside(write));
  } catch (cause) {
    throw formatProblem(cause, query, signal);
  }
}

const FEWER = { hint: 'Ask for fewer rows or columns, or leave out the wide ones.' };

/** The rows exist, so what fails is that they cannot be written in the format; the caller chose the format. */
function formatProblem(cause: unknown, query: PlannedQuery, signal: AbortSignal): unknown {
  if (!(cause instanceof EngineError)) return cause;
  if (cause.failure === 'rejected')
    return new Problem('format.not_acceptable', { hint: 'Use another FORMAT.', cause });
  const isLarge = cause.failure === 'memory' || cause.failure === 'limit';
  return isLarge ? new Problem('format.too_large', { ...FEWER, cause }) : runProblem(cause, query, signal);
}
