// Calls about one row: the row itself, as a link or the panel names it, and the queries that return it.
import type { Ask, Client } from '../service/client.ts';
import { isNested, type Row } from '../service/json.ts';
import { sandboxOf, type Table } from '../service/listing.ts';
import { append, include, isFilterable } from './lql-edit.ts';
import { unnameable, writePath } from './lql-path.ts';
import { ask, basisOf, rowsNeedSql, rowsOf, sqlAsk, type LogQuestion, type RowsPage } from './questions.ts';
import { findRow, timeOfKey } from './row-key.ts';
import { isoOf, microsOf, sqlName, sqlString, sqlTime } from './sql.ts';

export interface Caller {
  readonly client: Client;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** The rows of a question, as the list asks for them. Rejects as `client.run`. */
async function askRows(
  { client, key, signal }: Caller,
  question: LogQuestion,
  page: RowsPage = {},
): Promise<readonly Row[]> {
  const sql = rowsNeedSql(question)
    ? (await client.explain(key, basisOf(question).ask, signal)).sql
    : undefined;
  const { rows } = await client.run(key, rowsOf(question, page, sql), { signal, isFresh: false });
  return rows;
}

/** The row of a key if it matches the filter, whether it is in the time range or not. */
export async function rowOfKey(caller: Caller, question: LogQuestion, key: string): Promise<Row | undefined> {
  const micros = microsOf(timeOfKey(key));
  if (micros === undefined) return undefined;
  const { time } = question.view;
  return findRow(await askRows(caller, atTime(question, micros)), key, time);
}

/** The same filter at one microsecond. Parameters that bound the time hold whole seconds or milliseconds. */
function atTime(question: LogQuestion, micros: bigint): LogQuestion {
  const { lql, view } = question;
  const from = Number(micros / 1000n);
  return {
    ...question,
    bounds: { from: from - 1, to: from + 1 },
    lql: append(lql, momentClauses(view.time, micros)),
  };
}

function momentClauses(time: string, micros: bigint): string {
  if (unnameable(time) !== undefined) return '';
  const name = time === 'timestamp' ? 't' : writePath(time);
  return `${name}:>=${isoOf(micros)} ${name}:<${isoOf(micros + 1n)}`;
}

/** Columns whose value alone names a row, the likeliest first. */
const IDS = ['id', 'uuid', 'log_id', 'event_id', '_id', 'insert_id', 'insertid'];

/** The column and value that, with its time, select a row: of a column of ids, or else its message. */
function identifying(
  row: Row,
  { view }: LogQuestion,
): { readonly column: string; readonly value: string | number } | undefined {
  const names = Object.keys(row);
  const id = IDS.flatMap((each) => names.find((name) => name.toLowerCase() === each) ?? []);
  const { message } = view;
  for (const column of [...id, ...(message !== undefined && names.includes(message) ? [message] : [])]) {
    const value = row[column];
    const isScalar = typeof value === 'string' || typeof value === 'number';
    if (isScalar && value !== '' && isFilterable({ path: column, isElement: false }, value))
      return { column, value };
  }
  return undefined;
}

export interface RowQueries {
  readonly lql: Ask;
  /** It is undefined if the endpoint or the key does not allow SQL. */
  readonly sql: Ask | undefined;
}

/** Selects the row by its time and its id or message. Returns undefined if its time is not known. */
export function queriesOf(row: Row, question: LogQuestion, table: Table): RowQueries | undefined {
  const { view, endpoint } = question;
  const at = row[view.time];
  const micros = typeof at === 'string' ? microsOf(at) : undefined;
  if (micros === undefined) return undefined;
  const alone = atTime({ ...question, lql: '' }, micros);
  const by = identifying(row, question);
  const clauses = momentClauses(view.time, micros);
  const text = by === undefined ? clauses : include(clauses, { path: by.column, isElement: false }, by.value);
  const lql = ask(alone, { language: 'lql', text: append(`f:${view.table}`, text) });
  if (sandboxOf(endpoint)?.languages.includes('sql') !== true) return { lql, sql: undefined };
  const time = sqlName(view.time);
  const columns = table.columns.map(({ name }) => name).filter((name) => name in row);
  const conditions = [
    `${time} >= ${sqlTime(micros)}`,
    `${time} < ${sqlTime(micros + 1n)}`,
    ...(by === undefined
      ? []
      : [`${sqlName(by.column)} = ${typeof by.value === 'number' ? by.value : sqlString(by.value)}`]),
  ];
  const sql = [
    `SELECT ${columns.map(sqlName).join(', ')}`,
    `FROM ${view.table}`,
    `WHERE ${conditions.join('\n  AND ')}`,
  ].join('\n');
  return { lql, sql: sqlAsk(alone, sql) };
}

/** The panel leaves out empty values. */
export function isEmpty(value: Row[string]): boolean {
  if (value === null || value === '') return true;
  return isNested(value) && Object.keys(value).length === 0;
}
