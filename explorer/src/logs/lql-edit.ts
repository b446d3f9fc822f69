// Edits the filters of an LQL query, and keeps the rest as it was written.
import { isNested, isNumber, type Json } from '../service/json.ts';
import { clausesOf, isOpen, type LqlClause } from './lql-clauses.ts';
import type { Table } from '../service/listing.ts';
import { fieldOf } from './fields.ts';
import { readPath, unnameable, writePath } from './lql-path.ts';

export { clausesOf, type LqlClause } from './lql-clauses.ts';

/** What is included or excluded: a path as in LQL with `metadata.` in full, and whether the value is an element of its array. */
export interface Target {
  readonly path: string;
  readonly isElement: boolean;
}

/** The target of a leaf in a row: names of columns and fields; numbers are positions in arrays, or elements of tuples without names. */
export function targetOf(segments: readonly (string | number)[], table: Table): Target {
  return segments.reduce<Target>(
    ({ path, isElement }, segment) => {
      const isArray = !isElement && fieldOf(table, path)?.kind === 'array';
      const inner = `${path}.${typeof segment === 'string' ? segment : segment + 1}`;
      if (typeof segment === 'string') return { path: path === '' ? segment : inner, isElement };
      const kind = isArray ? undefined : fieldOf(table, inner)?.kind;
      const isTuple = kind !== undefined && kind !== 'dynamic'; // of JSON, any path may exist
      return isTuple ? { path: inner, isElement } : { path, isElement: true };
    },
    { path: '', isElement: false },
  );
}

/** Why LQL cannot compare the field with the value, in a few words; undefined: it can. */
export function unfilterable(target: Target, value: Json): string | undefined {
  if (clauseText(target, value, false) !== undefined) return undefined;
  if (isNested(value)) return 'a list or an object is no value to filter by';
  if (typeof value === 'string' && value.length > MAX_VALUE)
    return `the value is longer than ${MAX_VALUE.toLocaleString('en')} characters`;
  return unnameable(target.path) ?? 'LQL cannot write this value';
}

/** Whether LQL can compare the field with the value. */
export function isFilterable(target: Target | string, value: Json): boolean {
  return clauseText(asTarget(target), value, false) !== undefined;
}

/**
 * Only rows with this value. Replaces other values that are included for the path, and an exclusion of this one. Unchanged if
 * the value is not filterable.
 */
export function include(lql: string, target: Target | string, value: Json): string {
  const to = asTarget(target);
  const text = clauseText(to, value, false);
  if (text === undefined) return lql;
  const clauses = clausesOf(lql).filter((clause) => isAbout(clause, to));
  const isSame = (clause: LqlClause): boolean => hasValue(clause, value);
  const replaced = clauses.filter((clause) => isSame(clause) || (!clause.isNegated && !to.isElement));
  return written(lql, replaced, text);
}

/** Only rows without this value. Replaces an inclusion of it. Unchanged if the value is not filterable. */
export function exclude(lql: string, target: Target | string, value: Json): string {
  const to = asTarget(target);
  const text = clauseText(to, value, true);
  if (text === undefined) return lql;
  const clauses = clausesOf(lql).filter((clause) => isAbout(clause, to) && hasValue(clause, value));
  return written(lql, clauses, text);
}

/** Whether a value is included, excluded, or neither. */
export function stateOf(
  lql: string,
  target: Target | string,
  value: Json,
): 'included' | 'excluded' | undefined {
  const clause = clausesOf(lql).find((each) => isAbout(each, asTarget(target)) && hasValue(each, value));
  if (clause === undefined) return undefined;
  return clause.isNegated ? 'excluded' : 'included';
}

/** Without a clause, and without the space that separated it. */
export function remove(lql: string, { start, end }: Pick<LqlClause, 'start' | 'end'>): string {
  const after = lql.slice(end);
  const before = lql.slice(0, start);
  if (after.trim() === '') return before.trimEnd();
  return before + after.replace(/^[ \t\r\n]+/, '');
}

/** With other text in place of a clause. */
export function replace(lql: string, { start, end }: Pick<LqlClause, 'start' | 'end'>, text: string): string {
  return lql.slice(0, start) + text + lql.slice(end);
}

/** With a clause at the end; at the start if the text ends in a string that is not closed. */
export function append(lql: string, clause: string): string {
  if (clause === '' || lql.trim() === '') return clause === '' ? lql : clause;
  if (isOpen(lql)) return `${clause} ${lql}`;
  return `${lql}${/[ \t\r\n]$/.test(lql) ? '' : ' '}${clause}`;
}

/** The table that the query names. */
export function tableOf(lql: string): string | undefined {
  return clausesOf(lql).find(({ kind }) => kind === 'from')?.value?.text;
}

/** The query with this table: names it first, or in place of another one. */
export function withTable(lql: string, table: string): string {
  const from = clausesOf(lql).find(({ kind }) => kind === 'from');
  if (from !== undefined) return from.value?.text === table ? lql : replace(lql, from, `f:${table}`);
  return lql.trim() === '' ? `f:${table}` : `f:${table} ${lql}`;
}

/** The rows that the query selects: without its `s:` and `c:` clauses. */
export function filtersOf(lql: string): string {
  return clausesOf(lql)
    .filter(({ kind }) => kind === 'select' || kind === 'chart')
    .reduceRight((text, clause) => remove(text, clause), lql);
}

/** A string in double quotes. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, String.raw`\$&`)}"`;
}

const MAX_DIGITS = 38;
const MAX_VALUE = 4096;

function asTarget(target: Target | string): Target {
  return typeof target === 'string' ? { path: readPath(target), isElement: false } : target;
}

/** Replaces the first clause and removes the others, from the end so that locations stay valid. */
function written(lql: string, [first, ...others]: readonly LqlClause[], text: string): string {
  if (first === undefined) return append(lql, text);
  const rest = others.reduceRight((left, clause) => remove(left, clause), lql);
  return replace(rest, first, text);
}

function isAbout(clause: LqlClause, { path, isElement }: Target): boolean {
  if (clause.path !== path) return false;
  if (path === 'timestamp') {
    const isPoint = momentText(clause.value?.text ?? '') !== undefined;
    return clause.kind === 'time' && clause.operator === ':' && isPoint;
  }
  return clause.kind === 'field' && clause.operator === (isElement ? ':@>' : ':');
}

/** Whether the clause compares with this value: 5 and "5" are the same, NULL and "NULL" are not. */
function hasValue({ value }: LqlClause, wanted: Json): boolean {
  if (value === undefined) return false;
  if (wanted === null) return !value.isQuoted && value.text === 'NULL';
  const isNull = !value.isQuoted && value.text === 'NULL';
  if (isNull || isNested(wanted)) return false;
  return value.text === (decimalText(wanted) ?? String(wanted));
}

function clauseText({ path, isElement }: Target, value: Json, isNegated: boolean): string | undefined {
  if (unnameable(path) !== undefined || (path === 'timestamp' && isElement)) return undefined;
  const text = path === 'timestamp' ? momentText(value) : valueText(value, isElement);
  if (text === undefined) return undefined;
  const name = path === 'timestamp' ? 't' : writePath(path);
  return `${isNegated ? '-' : ''}${name}${isElement ? ':@>' : ':'}${text}`;
}

function valueText(value: Json, isElement: boolean): string | undefined {
  if (value === null) return isElement ? undefined : 'NULL';
  if (typeof value === 'boolean') return String(value);
  if (isNumber(value)) return decimalText(value);
  if (isNested(value)) return undefined;
  if (value.length > MAX_VALUE || /\0|\p{Surrogate}/u.test(value)) return undefined;
  return isPlain(value) ? value : quoted(value);
}

/** Whether the text is read as the same text without quotes. */
function isPlain(text: string): boolean {
  return /^[A-Za-z_/][\w/.:+-]*$/.test(text) && !text.includes('..') && !/^(?:NULL|true|false)$/.test(text);
}

/** A time of `t:`, with microseconds at most. */
function momentText(value: Json): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(value)
    ? value
    : undefined;
}

/** All digits of a number without an exponent; undefined for anything else, and if LQL cannot hold it. */
function decimalText(value: Json): string | undefined {
  if (!isNumber(value)) return undefined;
  const source = String(value);
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const shift = Number(exponent);
  if (Math.abs(shift) > MAX_DIGITS) return undefined;
  const digits = `${'0'.repeat(Math.max(0, -shift))}${whole}${fraction}${'0'.repeat(Math.max(0, shift - fraction.length))}`;
  const point = Math.max(0, -shift) + whole.length + shift;
  const text = shift === 0 ? source : `${sign}${split(digits, point)}`;
  return text.replace(/\D/g, '').length > MAX_DIGITS ? undefined : text;
}

function split(digits: string, point: number): string {
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '') || '0';
  const fraction = digits.slice(point);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
