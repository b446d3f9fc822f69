// Patterns: clusters of the messages in the time range, each with its number of rows, its share, its course and its first and last time.
import type { Ask } from '../service/client.ts';
import { printJson, type Json, type Row } from '../service/json.ts';
import { clustersOf, COMPARED, masked, regexOf, VARIABLE, WILDCARD, type Masked } from './drain.ts';
import { append, messageClause } from './lql-edit.ts';
import { basisOf, sqlAsk, type LogQuestion } from './questions.ts';
import { valueAt } from './row-values.ts';
import { sampleLines } from './sample.ts';
import { microsOf, sqlName, sqlString } from './sql.ts';
import { tableOf } from './view.ts';

export interface Pattern {
  readonly template: string;
  readonly rows: number;
  /** The share is relative to the rows that were read, from 0 to 1. */
  readonly share: number;
  /** Rows in equal parts of the time range. */
  readonly course: readonly number[];
  /** Milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

export interface Patterns {
  readonly patterns: readonly Pattern[];
  /** Rows that they are of. */
  readonly rows: number;
}

const PARTS = 24;

interface Facts {
  readonly rows: number;
  readonly course: readonly number[];
  readonly first: number;
  readonly last: number;
}

/** Patterns need only the time and the message. */
export function patternQuestion(question: LogQuestion): LogQuestion {
  const { view } = question;
  return {
    ...question,
    view: { ...view, level: undefined, facets: view.message === undefined ? [] : [view.message] },
  };
}

/** The masked messages with their rows, of a sample of `patternQuestion`; `sql` is its explained basis. */
export function patternsAsk(question: LogQuestion, sql: string, total: number | undefined): Ask {
  const { bounds, endpoint, view } = question;
  const basis = basisOf(question);
  const time = basis.expressions.get(view.time) ?? sqlName(view.time);
  const message = `ifNull(CAST(${basis.expressions.get(view.message ?? '') ?? "''"}, 'Nullable(String)'), '')`;
  const width = Math.max(1, Math.ceil((bounds.to - bounds.from) / PARTS));
  const text = [
    'SELECT pattern, count() AS rows, sum(count()) OVER () AS all_rows, min(ms) AS first, max(ms) AS last,',
    `sumForEach(arrayMap(i -> toUInt32(i = least(greatest(intDiv(ms - ${bounds.from}, ${width}), 0), ${PARTS - 1})), range(${PARTS}))) AS course`,
    `FROM (\nSELECT toUnixTimestamp64Milli(toDateTime64(${time}, 3, 'UTC')) AS ms,`,
    `replaceRegexpAll(substringUTF8(${message}, 1, ${COMPARED}), ${sqlString(VARIABLE)}, ${sqlString(WILDCARD)}) AS pattern`,
    ...sampleLines(question, { sql, key: `${time}, ${message}`, total }),
    ')',
    'GROUP BY pattern',
    'ORDER BY rows DESC, pattern',
    `LIMIT ${endpoint.max_rows}`,
  ].join('\n');
  return sqlAsk(question, text);
}

export function readPatterns(answer: readonly Row[]): Patterns {
  const texts = answer.map((row): Masked<Facts> => ({
    text: textOf(row['pattern']),
    facts: {
      rows: Number(row['rows']),
      first: Number(row['first']),
      last: Number(row['last']),
      course: listOf(row['course']).map(Number),
    },
  }));
  return joined(texts, Number(answer[0]?.['all_rows'] ?? 0));
}

/** Keys that may not send SQL get the patterns of the rows that are loaded. */
export function patternsOfRows(question: LogQuestion, rows: readonly Row[]): Patterns {
  const { view, endpoint, bounds } = question;
  const table = tableOf(view, endpoint);
  const texts = new Map<string, Facts>();
  for (const row of rows) {
    const value = table && valueAt(row, table, view.message ?? '');
    const text = masked(typeof value === 'string' ? value : printJson(value ?? null));
    const micros = microsOf(textOf(row[view.time]));
    if (micros === undefined) continue;
    const ms = Number(micros / 1000n);
    const part = Math.floor(((ms - bounds.from) / (bounds.to - bounds.from)) * PARTS);
    const course = PART_INDEXES.map((index) => Number(index === Math.min(PARTS - 1, Math.max(0, part))));
    const known = texts.get(text);
    const own = { rows: 1, first: ms, last: ms, course };
    texts.set(text, known === undefined ? own : together([known, own]));
  }
  const byCount = [...texts].toSorted(([, a], [, b]) => b.rows - a.rows);
  return joined(
    byCount.map(([text, facts]) => ({ text, facts })),
    rows.length,
  );
}

const PART_INDEXES = Array.from({ length: PARTS }, (_, index) => index);

function joined(texts: readonly Masked<Facts>[], rows: number): Patterns {
  const patterns = clustersOf(texts).map(({ template, members }): Pattern => {
    const facts = together(members);
    return { template, ...facts, share: facts.rows / Math.max(1, rows) };
  });
  return { patterns: patterns.toSorted((a, b) => b.rows - a.rows), rows };
}

function together(facts: readonly Facts[]): Facts {
  return {
    rows: facts.reduce((sum, each) => sum + each.rows, 0),
    first: Math.min(...facts.map(({ first }) => first)),
    last: Math.max(...facts.map(({ last }) => last)),
    course: PART_INDEXES.map((index) => facts.reduce((sum, { course }) => sum + (course[index] ?? 0), 0)),
  };
}

/** The filter with this pattern: its message matches the template. */
export function withPattern(filter: string, template: string): string {
  return append(filter, messageClause(regexOf(template)));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
