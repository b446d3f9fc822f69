// Rows of the service as SQL: one string that the engine reads as typed rows. No value is parsed as SQL.
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';

export interface TypedColumn {
  readonly name: string;
  readonly type: string;
}

/** Values in JSON form, in the order of the columns. */
export type Row = readonly unknown[];

/** A row inside the query below; no column has this name. */
const ROW = '__row';

/** A query over rows given as `json`, an expression of type String. Columns without a value have the default of their type. */
export function rowsQuery(columns: readonly TypedColumn[], given: readonly string[], json: string): string {
  const types = given.map((name) => columns.find((each) => each.name === name)?.type ?? 'String');
  const items = columns.map(({ name, type }) => {
    const at = given.indexOf(sourceOf(name, given));
    const value = at < 0 ? `defaultValueOfTypeName(${quoteString(type)})` : elementOf(at, types[at], type);
    return `${value} AS ${quoteIdentifier(name)}`;
  });
  const tuple = `Array(Tuple(${types.join(', ') || 'UInt8'}))`;
  return `SELECT ${items.join(', ')} FROM (SELECT arrayJoin(JSONExtract(${json}, ${quoteString(tuple)})) AS ${ROW})`;
}

/** The information schema has each of its columns in upper case too. */
function sourceOf(name: string, given: readonly string[]): string {
  return given.includes(name) ? name : name.toLowerCase();
}

function elementOf(at: number, from: string | undefined, to: string): string {
  const element = `tupleElement(${ROW}, ${at + 1})`;
  return from === to ? element : `CAST(${element}, ${quoteString(to)})`;
}

/** A complete query over a few rows. */
export function literalRows(columns: readonly TypedColumn[], rows: readonly Row[]): string {
  const names = columns.map(({ name }) => name);
  return rowsQuery(columns, names, quoteString(jsonOf(rows)));
}

/** JSON.stringify escapes lone surrogates, which the engine does not read: they are replaced. */
export function jsonOf(rows: readonly Row[]): string {
  return JSON.stringify(rows).replace(/\\ud[89a-f][0-9a-f]{2}/g, '\\ufffd');
}
