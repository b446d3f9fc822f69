// Edits the filters of an LQL query, and keeps the rest as it was written.
import type { QueryPart } from '../../../src/sql/lql/alternatives.ts';
import { MAX_VALUES } from '../../../src/sql/lql/group.ts';
import { partsOf } from '../../../src/sql/lql/parse.ts';
import { print } from '../../../src/sql/lql/print.ts';
import type { FieldFilter, FieldValue } from '../../../src/sql/lql/tree.ts';
import { isNested, isNumber, type Json } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { fieldOf } from './fields.ts';
import { pathOf, unnameable } from './lql-path.ts';

export { partsOf } from '../../../src/sql/lql/parse.ts';

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

/** Returns whether LQL can compare the field with the value. */
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
  const isReplaced = (part: QueryPart): boolean => !isNegated(part) && !to.isElement;
  return written(lql, { target: to, value, isReplaced }, text);
}

/** Includes rows with this value as well as those already included for the path. Returns the query unchanged if that is not possible. */
export function add(lql: string, target: Target | string, value: Json): string {
  const to = asTarget(target);
  const wanted = valueOf(value, to.isElement);
  if (!isFilterable(to, value) || wanted === undefined || to.path === 'timestamp')
    return include(lql, target, value);
  if (stateOf(lql, to, value) === 'included') return lql;
  const rest = drop(lql, to, value);
  const part = partsOf(rest).find((each) => isAbout(each, to) && !isNegated(each));
  if (part?.clause?.kind !== 'field') return append(rest, clauseText(to, value, false) ?? '');
  const { values } = part.clause;
  if (values.length >= MAX_VALUES) return lql;
  return replace(rest, part, withValues(part.clause, [...values, { value: wanted, span: NOWHERE }]));
}

/** Removes this value, whether it is included or excluded, alone or among others. */
export function drop(lql: string, target: Target | string, value: Json): string {
  const to = asTarget(target);
  return edited(lql, (part) => {
    if (!isAbout(part, to) || !hasValue(lql, part, value)) return undefined;
    return withoutValue(part, value) ?? '';
  });
}

/** Only rows without this value. Replaces an inclusion of it. Unchanged if the value is not filterable. */
export function exclude(lql: string, target: Target | string, value: Json): string {
  const to = asTarget(target);
  const text = clauseText(to, value, true);
  return text === undefined ? lql : written(lql, { target: to, value, isReplaced: () => false }, text);
}

/** Returns whether a value is included, excluded, or neither. */
export function stateOf(
  lql: string,
  target: Target | string,
  value: Json,
): 'included' | 'excluded' | undefined {
  const to = asTarget(target);
  const part = partsOf(lql).find((each) => isAbout(each, to) && hasValue(lql, each, value));
  if (part === undefined) return undefined;
  return isNegated(part) ? 'excluded' : 'included';
}

/** The values that the query includes or excludes for the path, as rows have them, as far as they are single ones. */
export function chosenValues(lql: string, target: Target): readonly Json[] {
  return partsOf(lql).flatMap((part) =>
    isAbout(part, target) && part.clause?.kind === 'field'
      ? part.clause.values.map(({ value }) => jsonOf(value)).filter((value) => value !== undefined)
      : [],
  );
}

/** Removes the clauses that include or exclude values of the path. */
export function withoutPath(lql: string, target: Target): string {
  return edited(lql, (part) => (isAbout(part, target) ? '' : undefined));
}

/** Without a clause, and without the space that separated it. */
export function remove(lql: string, { start, end }: Pick<QueryPart, 'start' | 'end'>): string {
  const after = lql.slice(end);
  const before = lql.slice(0, start);
  if (after.trim() === '') return before.trimEnd();
  return before + after.replace(/^[ \t\r\n]+/, '');
}

/** With other text in place of a clause. */
export function replace(lql: string, { start, end }: Pick<QueryPart, 'start' | 'end'>, text: string): string {
  return lql.slice(0, start) + text + lql.slice(end);
}

/** Adds a clause at the end, or at the start if the text ends in a string or parentheses that are not closed. */
export function append(lql: string, clause: string): string {
  if (clause === '' || lql.trim() === '') return clause === '' ? lql : clause;
  if (isOpen(lql)) return `${clause} ${lql}`;
  return `${lql}${/[ \t\r\n]$/.test(lql) ? '' : ' '}${clause}`;
}

function isOpen(lql: string): boolean {
  const last = partsOf(lql).at(-1);
  if (last === undefined || last.clause !== undefined || last.end < lql.length) return false;
  return /["(]/.test(lql.slice(last.start));
}

/** The table that the query names. */
export function tableOf(lql: string): string | undefined {
  return fromOf(lql)?.name;
}

/** The query with this table: names it first, or in place of another one. */
export function withTable(lql: string, table: string): string {
  const from = fromOf(lql);
  if (from !== undefined) return from.name === table ? lql : replace(lql, from.part, `f:${table}`);
  return lql.trim() === '' ? `f:${table}` : `f:${table} ${lql}`;
}

function fromOf(lql: string): { readonly part: QueryPart; readonly name: string } | undefined {
  const found = partsOf(lql).flatMap((part) =>
    part.clause?.kind === 'from' ? { part, name: part.clause.table.text } : [],
  );
  return found[0];
}

/** Removes the `s:` and `c:` clauses, which do not change the rows that the query selects. */
export function filtersOf(lql: string): string {
  return edited(lql, ({ clause }) =>
    clause?.kind === 'select' || clause?.kind === 'aggregate' || clause?.kind === 'bucket' ? '' : undefined,
  );
}

const MAX_DIGITS = 38;
const MAX_VALUE = 4096;
const NOWHERE = { start: 0, end: 0 };

function asTarget(target: Target | string): Target {
  return typeof target === 'string'
    ? { path: target.replace(/^m\./, 'metadata.'), isElement: false }
    : target;
}

interface Edit {
  readonly target: Target;
  readonly value: Json;
  /** The new clause replaces such a clause even if it does not have the value. */
  readonly isReplaced: (part: QueryPart) => boolean;
}

/** The clause in place of the first that gives way, or at the end; other values of a clause stay. */
function written(lql: string, { target, value, isReplaced }: Edit, text: string): string {
  let isWritten = false;
  const rest = edited(lql, (part) => {
    if (!isAbout(part, target)) return undefined;
    const isSame = hasValue(lql, part, value);
    const others = isSame && !isReplaced(part) ? withoutValue(part, value) : undefined;
    if (others !== undefined || !(isSame || isReplaced(part))) return others;
    const next = isWritten ? '' : text;
    isWritten = true;
    return next;
  });
  return isWritten ? rest : append(rest, text);
}

/** Replaces parts; an empty text removes one. Edits are applied from the end, so that locations stay valid. */
function edited(lql: string, edit: (part: QueryPart) => string | undefined): string {
  const edits = partsOf(lql).flatMap((part) => {
    const text = edit(part);
    return text === undefined ? [] : [{ part, text }];
  });
  return edits.reduceRight(
    (left, { part, text }) => (text === '' ? remove(left, part) : replace(left, part, text)),
    lql,
  );
}

function isNegated({ clause }: QueryPart): boolean {
  return clause !== undefined && 'negated' in clause && clause.negated;
}

function isAbout({ clause }: QueryPart, { path, isElement }: Target): boolean {
  if (clause?.kind === 'timestamp') {
    const { kind } = clause.value;
    return path === 'timestamp' && clause.operator === ':' && (kind === 'instant' || kind === 'day');
  }
  if (clause?.kind !== 'field' || clause.path.segments.join('.') !== path) return false;
  return clause.operator === (isElement ? ':@>' : ':');
}

/** 5 and "5" are the same value, NULL and "NULL" are not. */
function hasValue(lql: string, { clause }: QueryPart, wanted: Json): boolean {
  if (clause?.kind === 'timestamp') {
    return lql.slice(clause.valueSpan.start, clause.valueSpan.end) === wanted;
  }
  return clause?.kind === 'field' && clause.values.some(({ value }) => isSame(value, wanted));
}

function isSame(value: FieldValue, wanted: Json): boolean {
  if (value.kind === 'null' || wanted === null) return value.kind === 'null' && wanted === null;
  if (value.kind === 'range' || isNested(wanted)) return false;
  const text = value.kind === 'boolean' ? String(value.value) : value.text;
  return text === (decimalText(wanted) ?? String(wanted));
}

/** Returns the value as rows have it: numbers that a double cannot hold are text. Ranges give undefined. */
function jsonOf(value: FieldValue): Json | undefined {
  if (value.kind === 'null') return null;
  if (value.kind === 'range') return undefined;
  if (value.kind === 'boolean') return value.value;
  const isExact = value.kind === 'number' && String(Number(value.text)) === value.text;
  return isExact ? Number(value.text) : value.text;
}

/** The clause without the value; undefined if there are no others. */
function withoutValue({ clause }: QueryPart, unwanted: Json): string | undefined {
  if (clause?.kind !== 'field') return undefined;
  const values = clause.values.filter(({ value }) => !isSame(value, unwanted));
  return values.length === 0 ? undefined : withValues(clause, values);
}

function withValues(clause: FieldFilter, values: FieldFilter['values']): string {
  return print({ clauses: [{ ...clause, values }] });
}

/** A clause of rows whose message matches the regular expression. */
export function messageClause(regex: string): string {
  const value = { text: regex, span: NOWHERE };
  return print({ clauses: [{ kind: 'message', negated: false, match: 'regex', value, span: NOWHERE }] });
}

/** The value as LQL has it after `:`; undefined if it cannot. */
export function valueText(value: Json): string | undefined {
  return clauseText({ path: 'x', isElement: false }, value, false)?.slice('x:'.length);
}

function clauseText({ path, isElement }: Target, json: Json, negated: boolean): string | undefined {
  if (unnameable(path) !== undefined || (path === 'timestamp' && isElement)) return undefined;
  if (path === 'timestamp') {
    const moment = momentText(json);
    return moment === undefined ? undefined : `${negated ? '-' : ''}t:${moment}`;
  }
  const value = valueOf(json, isElement);
  if (value === undefined) return undefined;
  const operator = isElement ? ':@>' : ':';
  const values = [{ value, span: NOWHERE }];
  return print({
    clauses: [{ kind: 'field', negated, path: pathOf(path), operator, values, span: NOWHERE }],
  });
}

function valueOf(value: Json, isElement: boolean): FieldValue | undefined {
  if (value === null) return isElement ? undefined : { kind: 'null' };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (isNumber(value)) {
    const text = decimalText(value);
    return text === undefined ? undefined : { kind: 'number', text };
  }
  if (isNested(value) || value.length > MAX_VALUE || /\0|\p{Surrogate}/u.test(value)) return undefined;
  return { kind: 'text', text: value };
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
