// Suggests what can be written at a place in an LQL query: clauses, fields, operators, values, times. The editor and the filter of logs use it.
import { PATH_SOURCE } from '../../../src/sql/lql/clause-context.ts';
import { partsOf } from '../../../src/sql/lql/parse.ts';
import { AGGREGATES, LEVELS } from '../../../src/sql/lql/tree.ts';
import { valueText } from '../logs/lql-edit.ts';
import { writePath } from '../logs/lql-path.ts';
import type { Json } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { namesOf } from './vocabulary.ts';

export type SuggestionKind = 'clause' | 'field' | 'operator' | 'value' | 'time' | 'table' | 'chart';

export interface Suggestion {
  readonly kind: SuggestionKind;
  readonly label: string;
  readonly detail?: string;
  /** It replaces the text from `from` to the cursor. */
  readonly insert: string;
}

export interface Suggestions {
  readonly from: number;
  /** The most useful first; those that begin like the text or contain it are for the caller to choose. */
  readonly options: readonly Suggestion[];
}

export interface KnownValue {
  readonly value: Json;
  readonly detail?: string;
}

export interface LqlWords {
  readonly table: Table | undefined;
  /** Names that `f:` may have; none where the table is chosen elsewhere, and `s:` and `c:` have no effect. */
  readonly tables: readonly string[];
  readonly valuesOf: (path: string) => readonly KnownValue[];
}

const HEAD = new RegExp(String.raw`^(${PATH_SOURCE})(:(?:>=|<=|>|<|~|@>~|@>)?)`);
const CHART = /^(?:c|chart):(\w+\()?(t::)?/;
const PERIODS = ['minute', 'hour', 'day', 'second'];

/** Returns undefined inside of a string or a regular expression. */
export function suggestionsAt(text: string, cursor: number, words: LqlWords): Suggestions | undefined {
  const before = text.slice(0, cursor);
  const start = clauseStart(before);
  const clause = before.slice(start);
  const minus = clause.startsWith('-') ? 1 : 0;
  const body = clause.slice(minus);
  const chart = words.tables.length === 0 ? null : CHART.exec(body);
  if (chart !== null) return chartAt(start + minus + chart[0].length, chart, words);
  const [head = '', path = '', operator = ''] = HEAD.exec(body) ?? [];
  if (head === '') return /^[~"(]/.test(body) ? undefined : { from: start, options: clausesOf(words, minus) };
  return valuesAt(
    { path, operator, from: start + minus + head.length, text: body.slice(head.length) },
    words,
  );
}

/** The last clause begins after the white space that ends the one before. */
function clauseStart(before: string): number {
  const last = partsOf(before).at(-1);
  return last?.end === before.length ? last.start : before.length;
}

function clausesOf(words: LqlWords, minus: number): readonly Suggestion[] {
  const sign = minus === 1 ? '-' : '';
  const clauses: readonly (readonly [string, string])[] =
    words.tables.length === 0 || minus === 1
      ? [['t:', 'time of the row']]
      : [
          ['f:', 'from this table'],
          ['t:', 'time of the row'],
          ['s:', 'show these columns'],
          ['c:', 'chart'],
        ];
  return [
    ...clauses.map(([label, detail]): Suggestion => ({
      kind: 'clause',
      label: sign + label,
      detail,
      insert: sign + label,
    })),
    ...pathsOf(words, { prefix: sign, end: ':' }),
  ];
}

/** Paths as LQL has them: `m.` for `metadata.` */
function pathsOf(
  { table }: LqlWords,
  { prefix, end }: { readonly prefix: string; readonly end: string },
): readonly Suggestion[] {
  if (table === undefined) return [];
  return namesOf(table).map(({ name, type }) => {
    const label = prefix + writePath(name);
    return { kind: 'field', label, detail: type, insert: `${label}${end}` };
  });
}

function chartAt(from: number, [, name, grouping]: RegExpExecArray, words: LqlWords): Suggestions {
  if (grouping !== undefined || name === 'group_by(')
    return {
      from,
      options: PERIODS.map((unit) => chartOf(unit, '', grouping === undefined ? `t::${unit})` : `${unit})`)),
    };
  if (name !== undefined) return { from, options: pathsOf(words, { prefix: '', end: ')' }) };
  return {
    from,
    options: [
      chartOf('count(*)', 'rows'),
      ...PERIODS.map((unit) => chartOf(`group_by(t::${unit})`, `a bucket each ${unit}`)),
      ...AGGREGATES.map((each) => chartOf(`${each}(`, 'of a field')),
    ],
  };
}

function chartOf(label: string, detail: string, insert = label): Suggestion {
  return { kind: 'chart', label, detail, insert };
}

interface ValuePlace {
  readonly path: string;
  readonly operator: string;
  readonly from: number;
  /** The text of the value ends at the cursor. */
  readonly text: string;
}

function valuesAt(place: ValuePlace, words: LqlWords): Suggestions | undefined {
  const { path, operator, from, text } = place;
  if (path === 't' || path === 'timestamp')
    return { from, options: operator === ':' ? TIMES : TIMES.filter(({ label }) => !/@/.test(label)) };
  if (words.tables.length > 0 && (path === 'f' || path === 'from'))
    return { from, options: words.tables.map((name) => ({ kind: 'table', label: name, insert: name })) };
  if (words.tables.length > 0 && (path === 's' || path === 'select'))
    return { from, options: pathsOf(words, { prefix: '', end: '' }) };
  if (operator === ':~' || operator === ':@>~') return undefined;
  const isList = text.startsWith('(') && (operator === ':' || operator === ':@>');
  const listed = isList ? listStart(text) : 0;
  if (listed === undefined) return undefined;
  const operators = operator === ':' && !isList ? OPERATORS : [];
  const written = new Set(text.slice(1, listed).split(/\s*\|\s*/));
  const values = valueOptions(path, words).filter(({ insert }) => !written.has(insert));
  return { from: from + listed, options: [...values, ...operators] };
}

/** Returns where the last of several values begins, or undefined if that value or the list has ended. */
function listStart(text: string): number | undefined {
  const values = /^\((?:(?:\s*"(?:[^"\\]|\\[^])*"|[^"|)])*\|)*\s*/.exec(text)?.[0].length ?? 1;
  const rest = text.slice(values);
  return /^"?[^"|)]*$/.test(rest) ? values : undefined;
}

function valueOptions(path: string, { table, valuesOf }: LqlWords): readonly Suggestion[] {
  const name = table === undefined ? undefined : namesOf(table).find((each) => writePath(each.name) === path);
  const known = name === undefined ? valuesOf(fullPath(path)) : valuesOf(name.name);
  const listed = known.length > 0 ? known : declaredValues(path, name?.type ?? '');
  return [...listed, { value: null, detail: 'no value' }].flatMap(({ value, detail }) => {
    const text = valueText(value);
    if (text === undefined) return [];
    return { kind: 'value', label: text, insert: text, ...(detail === undefined ? {} : { detail }) } as const;
  });
}

/** `m.` is short for `metadata.` */
function fullPath(path: string): string {
  return path.replace(/^m\./, 'metadata.');
}

/** An Enum, a boolean and the level have known values. */
function declaredValues(path: string, type: string): readonly KnownValue[] {
  if (/Bool/.test(type)) return [{ value: true }, { value: false }];
  const names = [...type.matchAll(/'((?:[^'\\]|\\.)*)'\s*=/g)].map(([, each = '']) =>
    each.replace(/\\(.)/g, '$1'),
  );
  if (type.includes('Enum')) return names.map((value) => ({ value }));
  return fullPath(path) === 'metadata.level' ? LEVELS.map((value) => ({ value })) : [];
}

const OPERATORS: readonly Suggestion[] = (
  [
    ['>=', 'at least'],
    ['<=', 'at most'],
    ['>', 'more than'],
    ['<', 'less than'],
    ['~', 'matches a regular expression'],
    ['@>', 'a list that contains'],
    ['(', 'one of several: (a|b)'],
  ] as const
).map(([label, detail]) => ({ kind: 'operator', label, detail, insert: label }));

const TIMES: readonly Suggestion[] = (
  [
    ['last@15m', '15 minutes'],
    ['last@1h', 'one hour'],
    ['last@24h', '24 hours'],
    ['last@7d', 'seven days'],
    ['today', 'since midnight, UTC'],
    ['yesterday', 'the day before'],
    ['this@hour', 'since the hour began'],
    ['this@week', 'since Monday'],
  ] as const
).map(([label, detail]) => ({ kind: 'time', label, detail, insert: label }));
