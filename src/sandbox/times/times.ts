// Times in strings that a query compares with dates and times: `ts >= '2026-11-19T00:00:00.000Z'`. The engine is asked for the
// types that they are compared with, and those that it would reject or misread are written as literals of these types.
import type { Cursor } from '../../sql/cursor.ts';
import { quoteIdentifier, quoteString } from '../../sql/literal.ts';
import { stringValue } from '../../sql/string-literal.ts';
import type { LexedQuery } from '../lexed-query.ts';
import { parseQueryTree } from '../query-tree/tree.ts';
import type { Explain } from '../sandbox.ts';
import type { TableColumn } from '../statement.ts';
import { comparedTypes } from './compared-types.ts';
import { readTime, timeFor, type WrittenTime } from './written-time.ts';

/** What the query reads, and the engine to ask. */
export interface TimesContext {
  readonly evaluate: Explain;
  /** Names of the tables that the query reads. */
  readonly tables: readonly string[];
  readonly columns: ReadonlyMap<string, readonly TableColumn[]>;
}

/** A string in the query, and its replacement while the engine is asked. */
interface Candidate {
  readonly index: number;
  readonly time: WrittenTime;
  /** The same form with another date: unique in the query, and valid wherever the string is. */
  readonly marker: string;
}

/**
 * The query with every compared time in a form that the engine reads correctly; undefined if nothing has to change. Strings
 * that are compared with strings stay. The query must have passed the checks: the engine evaluates its constants, and its
 * scalar subqueries over one row of default values.
 */
export async function withReadTimes(text: LexedQuery, context: TimesContext): Promise<string | undefined> {
  const candidates = candidatesIn(text);
  const isNeeded = candidates.some(({ time }) => !isReadByEngine(time)) || mayHaveDates(text, context);
  if (candidates.length === 0 || !isNeeded) return undefined;
  const explained = await context.evaluate(`${EXPLAIN}${probeOf(text, candidates, context)}`);
  if (explained.kind === 'rejected') return undefined; // running the query reports it
  const tree = parseQueryTree(explained.text);
  if ('violation' in tree) return undefined;
  const markers = new Set(candidates.map(({ marker }) => marker));
  const compared = comparedTypes(tree.root, (each) => markers.has(each));
  const { cursor } = text;
  const parts: string[] = [];
  let end = 0;
  for (const { index, time, marker } of candidates) {
    const source = cursor.text(index);
    const forms = new Set(
      (compared.get(marker) ?? []).map(({ type, isElement }) => timeFor(time, type, { source, isElement })),
    );
    const [form] = forms;
    if (forms.size !== 1 || form === undefined || form === source) continue;
    parts.push(cursor.sql.slice(end, cursor.start(index)), form);
    end = cursor.end(index);
  }
  return parts.length === 0 ? undefined : `${parts.join('')}${cursor.sql.slice(end)}`;
}

/** Only resolves names and types: later passes rewrite comparisons. */
const EXPLAIN = 'EXPLAIN QUERY TREE run_passes = 1, passes = 1 ';

/** The engine's own form, which it reads wherever a time is compared, except beside a Date. */
function isReadByEngine({ hasOffset, digits }: WrittenTime): boolean {
  return !hasOffset && digits === 0;
}

/** Whether a column that the query names, or the result of a function in it, may be a Date. */
function mayHaveDates({ cursor }: LexedQuery, { tables, columns }: TimesContext): boolean {
  const types = tables.flatMap((table) => columns.get(table) ?? []).map(({ type }) => type);
  if (types.some((type) => /\bDate(?:32)?\b/.test(type))) return true;
  return cursor.tokens.some(({ kind }, index) => {
    return (kind === 'word' || kind === 'quoted') && DATE_NAME.test(cursor.text(index));
  });
}

const DATE_NAME = /date(?!time)|day|week|month|quarter|year/i;

/** Functions and types that convert the string themselves. */
const CONVERSIONS = /^(?:to|parse|from|cast|accurate|date|timestamp)/i;

function candidatesIn({ cursor }: LexedQuery): readonly Candidate[] {
  const candidates: Candidate[] = [];
  cursor.tokens.forEach(({ kind }, index) => {
    if (kind !== 'string' || isConverted(index)) return;
    const written = stringValue(cursor.text(index)) ?? '';
    const time = readTime(written);
    if (time === undefined) return;
    const day = new Date(Date.UTC(1971, 0, 1 + candidates.length)).toISOString().slice(0, 10);
    candidates.push({ index, time, marker: `${day}${written.slice(10)}` });
  });
  return candidates;

  function isConverted(index: number): boolean {
    if (cursor.kind(index + 1) === '::') return true;
    const name = cursor.kind(index - 1) === '(' ? cursor.name(index - 2) : cursor.word(index - 1);
    return name !== undefined && CONVERSIONS.test(name);
  }
}

/** The query over one row of default values of the tables' columns; without a star, of those that the query names. */
function probeOf(
  { cursor }: LexedQuery,
  candidates: readonly Candidate[],
  { tables, columns }: TimesContext,
): string {
  const markers = new Map(candidates.map(({ index, marker }) => [index, quoteString(marker)]));
  const joined = cursor.tokens.map((_, index) => markers.get(index) ?? cursor.text(index)).join(' ');
  const names = new Set(cursor.tokens.map((_, index) => cursor.name(index)));
  const hasStar =
    cursor.tokens.some((_, index) => cursor.word(index) === 'COLUMNS') ||
    cursor.tokens.some((_, index) => isStar(cursor, index));
  const elements = tables.map((table) => {
    const all = columns.get(table) ?? [];
    const named = hasStar ? all : all.filter(({ name }) => names.has(name));
    const values = (named.length === 0 ? all.slice(0, 1) : named).map(
      ({ name, type }) =>
        `materialize(defaultValueOfTypeName(${quoteString(type)})) AS ${quoteIdentifier(name)}`,
    );
    return `${quoteIdentifier(table)} AS (SELECT ${values.join(', ')})`;
  });
  return `${elements.length === 0 ? '' : `WITH ${elements.join(', ')} `}SELECT * FROM (${joined})`;
}

/** Not that of `count(*)`; a multiplication counts as one. */
function isStar(cursor: Cursor, index: number): boolean {
  return cursor.kind(index) === '*' && !(cursor.kind(index - 1) === '(' && cursor.kind(index + 1) === ')');
}
