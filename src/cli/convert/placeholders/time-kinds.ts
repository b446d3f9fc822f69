// Whether alternatives are dates, or times: in one column, dates beside times become times in each row.
import type { RenderedArm, Writer } from './arm.ts';
import { commasOf } from './item-list.ts';
import { textOf } from './output.ts';
import { note } from './rendering.ts';

const DATES =
  /^(toDate|toDate32|today|yesterday|toMonday|toStartOf(Month|Week|Quarter|Year)|toLastDayOf\w+)\s*\(/i;
const TIMES =
  /^(toDateTime(64)?|now(64)?|toStartOf(Hour|Minute|Second|Day|Interval|\w+Minutes?)|parseDateTime\w*)\s*\(/i;
const CAST = /::\s*(datetime|date)\w*(\(.*\))?$/i;
const ROWS = /^arrayJoin\s*\(\s*arrayMap\s*\(\s*\w+\s*->\s*/i;

function kindOf(written: string): 'date' | 'time' | 'column' | 'other' {
  const text = written.trim().replace(ROWS, '');
  const cast = CAST.exec(text)?.[1]?.toLowerCase();
  if (cast === 'date' || (cast === undefined && DATES.test(text))) return 'date';
  if (cast === 'datetime' || TIMES.test(text)) return 'time';
  return /^[\w.]+$/.test(text) ? 'column' : 'other';
}

/** False if a column would have dates and times; with `mixesTimes`, that is noted. A column beside a time may be a date. */
export function areOfOneKind(
  columns: readonly (readonly string[])[],
  { span, rendering, mixesTimes }: Writer,
): boolean {
  const isMixed = columns.some((column) => {
    const kinds = new Set(column.map(kindOf));
    return kinds.has('time') ? kinds.has('date') || kinds.has('column') : false;
  });
  if (!isMixed) return true;
  if (mixesTimes !== true) return false;
  note(rendering, span, {
    severity: 'differs',
    message: 'Values that are dates in one alternative and times in another are times here',
    hint: 'Declare the parameter with choices: names, each with its SQL',
  });
  return true;
}

/** The expressions of each column of queries with the same columns, if they can be separated. */
export function columnTexts(arms: readonly RenderedArm[]): readonly (readonly string[])[] {
  const lists = arms.map(({ sink }) => expressionsOf(textOf(sink.fragments)));
  const [first] = lists;
  if (first === undefined || lists.some((list) => list?.length !== first.length)) return [];
  return first.map((_, index) => lists.map((list) => list?.[index] ?? ''));
}

function expressionsOf(query: string): readonly string[] | undefined {
  const [, list = ''] = /^\s*select\b(.*?)(?:\bfrom\b|\bwhere\b|$)/is.exec(query) ?? [];
  const commas = commasOf(list, 'clickhouse');
  if (commas === undefined) return undefined;
  return [...commas, list.length].map((end, index) =>
    list.slice(index === 0 ? 0 : (commas[index - 1] ?? 0) + 1, end).replace(/\s+as\s+[\w"`]+\s*$/i, ''),
  );
}
