// Chooses the columns of a chart: the time, the series and the values; what the visitor chose comes first.
import { isNonFinite, type Row } from '../service/json.ts';
import type { ChartChoice } from '../state/address.ts';
import { measureOf } from './measure.ts';
import { amountOf, isInteger, labelOf, timeOf } from './values.ts';

/** The columns that each picker offers. */
export interface ChartColumns {
  readonly times: readonly string[];
  readonly series: readonly string[];
  readonly values: readonly string[];
}

/** The columns of a chart. */
export interface ChartFields {
  readonly time: string;
  /** Undefined: one series per value column. */
  readonly series: string | undefined;
  readonly values: readonly string[];
}

/** Numbers with such names are identifiers, not measurements. */
const IDENTIFIER = /(?:^|_|\b)(?:code|status|id|port|pid|version|level|shard|partition|year|class|type)$/i;
const FEW = 50;

/** Undefined if there is no column of times or none of numbers. */
export function columnsOf(rows: readonly Row[]): ChartColumns | undefined {
  const names = Object.keys(rows[0] ?? {});
  const times = names.filter((name) => all(rows, name, (value) => timeOf(value) !== undefined));
  const others = names.filter((name) => !times.includes(name));
  const isAmount = (name: string) =>
    all(rows, name, (value) => amountOf(value) !== undefined || isNonFinite(value)) &&
    rows.some((row) => amountOf(row[name]) !== undefined);
  const digits = others.filter((name) => isAmount(name));
  const numbers = digits.filter((name) => rows.some((row) => isNumeric(row[name])));
  const values = numbers.length > 0 ? numbers : digits;
  if (times.length === 0 || values.length === 0) return undefined;
  const series = others.filter((name) => all(rows, name, (value) => labelOf(value) !== undefined));
  return { times, series, values };
}

function isNumeric(value: Row[string] | undefined): boolean {
  return amountOf(value) !== undefined && typeof value !== 'string';
}

/** Returns whether the values that are not null, at least one, pass a test. */
function all(rows: readonly Row[], name: string, test: (value: Row[string] | undefined) => boolean): boolean {
  return rows.every((row) => row[name] === null || test(row[name])) && rows.some((row) => row[name] !== null);
}

/** A choice that names a column which these rows lack is ignored. `query`: the SQL, if known. */
export function fieldsOf(
  rows: readonly Row[],
  columns: ChartColumns,
  { choice, query }: { readonly choice: ChartChoice | undefined; readonly query: string },
): ChartFields {
  const [first = ''] = columns.times;
  const time = columns.times.find((name) => name === choice?.time) ?? first;
  const wanted = columns.values.find((name) => name === choice?.value);
  const chosen = columns.series.find((name) => name === choice?.series);
  const isSplit = choice?.series === undefined || (choice.series !== '' && chosen === undefined);
  const facts = { rows, time, query, values: columns.values };
  const candidates = columns.series.filter((name) => name !== wanted);
  const series = isSplit && choice?.value !== '' ? guessSeries(candidates, facts) : chosen;
  if (wanted !== undefined) return { time, series, values: [wanted] };
  const rest = columns.values.filter((name) => name !== series);
  if (choice?.value === '' && rest.length > 0) return { time, series: undefined, values: rest };
  const measures = rest.filter((name) => !IDENTIFIER.test(name));
  const likely = measures.length > 0 ? measures : rest;
  if (series === undefined) return { time, series, values: likely };
  const value = likely.find((name) => measureOf(name, query) === 'sum') ?? likely[0];
  return value === undefined
    ? { time, series: undefined, values: columns.values }
    : { time, series, values: [value] };
}

interface Facts {
  readonly rows: readonly Row[];
  readonly time: string;
  readonly query: string;
  readonly values: readonly string[];
}

/** The column that splits the rows into series; undefined if none is likely to. */
function guessSeries(candidates: readonly string[], facts: Facts): string | undefined {
  const { rows, time, query, values } = facts;
  const times = distinct(rows, [time]);
  const isRepeated = times < rows.length;
  const texts = candidates.filter((name) => !values.includes(name));
  const identifiers = candidates.filter(
    (name) => values.includes(name) && values.length > 1 && isLabel(rows, name, isRepeated, query),
  );
  const isFew = (name: string) => {
    const count = distinct(rows, [name]);
    return count <= FEW && count * 2 <= rows.length;
  };
  const isKey = (name: string) => {
    // Among events of their own, few share a time, and most have their own text.
    const isGrouped = times * 2 <= rows.length || distinct(rows, [name]) * 4 <= rows.length * 3;
    return isGrouped && distinct(rows, [time, name]) === rows.length;
  };
  const ordered = [...texts, ...identifiers];
  const measures = values.filter((name) => !identifiers.includes(name));
  if (!isRepeated) return measures.length === 1 ? ordered.find(isFew) : undefined;
  return ordered.find(isKey) ?? ordered.find(isFew);
}

/** Returns whether a numeric column is a label, such as a status code: by its name, or as part of the key of rows that share times. */
function isLabel(rows: readonly Row[], name: string, isRepeated: boolean, query: string): boolean {
  const isWhole = rows.every((row) => row[name] === null || isInteger(amountOf(row[name]) ?? 0.5));
  if (!isWhole) return false;
  if (IDENTIFIER.test(name)) return true;
  const columns = Object.keys(rows[0] ?? {});
  return isRepeated && measureOf(name, query) === 'unknown' && columns.at(-1) !== name;
}

function distinct(rows: readonly Row[], names: readonly string[]): number {
  return new Set(rows.map((row) => names.map((name) => labelOf(row[name]) ?? '').join('\0'))).size;
}
