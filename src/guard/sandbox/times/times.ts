// Times in strings that a query compares with dates and times: `ts >= '2026-11-19T00:00:00.000Z'`. The engine is asked for the
// types that they are compared with, and those that it would reject or misread are written as literals of these types.
import { quoteString } from '../../../sql/clickhouse/literal.ts';
import { stringValue } from '../../../sql/clickhouse/string-literal.ts';
import { nameTokens } from '../../../sql/clickhouse/tree/tokens.ts';
import { nameOf, stringTokens, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { LexedQuery, TokenEdit } from '../lexed-query.ts';
import { overDefaults, RESOLVE, type DefaultsContext } from '../over-defaults.ts';
import { placeholders } from '../query-tree/shape.ts';
import { parseQueryTree } from '../query-tree/tree.ts';
import type { Explain } from '../explain.ts';
import { comparedTypes } from './compared-types.ts';
import { readTime, timeFor, type WrittenTime } from './written-time.ts';

/** What the query reads, and the engine to ask. */
export interface TimesContext extends DefaultsContext {
  readonly evaluate: Explain;
}

/** A string in the query, and its replacement while the engine is asked. */
interface Candidate {
  readonly index: number;
  readonly time: WrittenTime;
  /** The same form with another date, at midnight: unique in the query, and valid wherever the string is. */
  readonly marker: string;
}

/**
 * The edits that write every compared time in a form that the engine reads correctly. Strings that are compared with strings stay. The
 * query must have passed the checks: the engine evaluates its constants, and its scalar subqueries over one row of default values.
 */
export async function timeEdits(text: LexedQuery, context: TimesContext): Promise<readonly TokenEdit[]> {
  const candidates = candidatesIn(text);
  if (candidates.length === 0) return [];
  if (candidates.every(({ time }) => isReadByEngine(time)) && !mayHaveDates(text, context)) return [];
  const explained = await context.evaluate(resolvable(text, context, candidates));
  if (explained.kind === 'rejected') return []; // running the query reports it
  const tree = parseQueryTree(explained.text);
  if ('violation' in tree) return [];
  const markers = new Set(candidates.map(({ marker }) => marker));
  const compared = comparedTypes(tree.root, (each) => markers.has(each));
  return candidates.flatMap(({ index, time, marker }) => {
    const source = text.cursor.text(index);
    const forms = new Set(
      (compared.get(marker) ?? []).map(({ type, isElement }) => timeFor(time, type, { source, isElement })),
    );
    const [form] = forms;
    if (forms.size !== 1 || form === undefined || form === source) return [];
    return [{ from: index, to: index + 1, sql: form }];
  });
}

/**
 * Returns whether the engine can resolve all names and types of a query that has passed the checks. The question is that of `timeEdits`, word
 * for word, so that the cache of trees answers the second of them.
 */
export async function isResolved(text: LexedQuery, context: TimesContext): Promise<boolean> {
  return (await context.evaluate(resolvable(text, context, candidatesIn(text)))).kind === 'tree';
}

function resolvable(text: LexedQuery, context: TimesContext, candidates: readonly Candidate[]): string {
  const markers = candidates.map(({ index, marker }) => {
    return { from: index, to: index + 1, sql: quoteString(marker) };
  });
  return `${RESOLVE}${overDefaults(text, context, [...markers, ...placeholders(text)])}`;
}

/** The engine's own form, which it reads wherever a time is compared, except beside a Date. */
function isReadByEngine({ hasOffset, digits }: WrittenTime): boolean {
  return !hasOffset && digits === 0;
}

/** Returns whether a column that the query names, or the result of a function in it, may be a Date. */
function mayHaveDates(text: LexedQuery, { tables, columns }: TimesContext): boolean {
  const types = tables.flatMap((table) => columns.get(table) ?? []).map(({ type }) => type);
  if (types.some((type) => /\bDate(?:32)?\b/.test(type))) return true;
  return nameTokens(text).some(({ name }) => DATE_NAME.test(name));
}

const DATE_NAME = /date(?!time)|day|week|month|quarter|year/i;

/** Functions and types that convert the string themselves. */
const CONVERSIONS = /^(?:to|parse|from|cast|accurate|date|timestamp)/i;

function candidatesIn(text: LexedQuery): readonly Candidate[] {
  const candidates: Candidate[] = [];
  for (const index of stringTokens(text)) {
    const written = stringValue(text.cursor.text(index)) ?? '';
    const time = isConverted(text, index) ? undefined : readTime(written);
    if (time === undefined) continue;
    const day = new Date(Date.UTC(1971, 0, 1 + candidates.length)).toISOString().slice(0, 10);
    const midnight = written.slice(10).replace(/^[Tt ][\d:.]+/, (timeOfDay) => timeOfDay.replace(/\d/g, '0'));
    candidates.push({ index, time, marker: `${day}${midnight}` });
  }
  return candidates;
}

function isConverted(text: LexedQuery, index: number): boolean {
  if (wordOf(text, { at: index + 1 }) === '::') return true;
  const before = wordOf(text, { at: index - 1 });
  return CONVERSIONS.test(before === '(' ? nameOf(text, { at: index - 2 }) : before);
}
