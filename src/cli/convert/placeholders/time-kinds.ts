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

interface ColumnAlternatives {
  readonly name: string;
  readonly texts: readonly string[];
}

/**
 * Returns the names of columns that have dates in some calls and times in others, and therefore no type but Dynamic. If there are any, it
 * returns undefined unless `mixesTimes`. A column beside a time may be a date.
 */
export function mixedTimes(
  columns: readonly ColumnAlternatives[],
  { span, rendering, mixesTimes }: Writer,
): ReadonlySet<string> | undefined {
  const mixed = columns.filter(({ texts }) => {
    const kinds = new Set(texts.map(kindOf));
    return kinds.has('time') && (kinds.has('date') || kinds.has('column'));
  });
  if (mixed.length === 0) return new Set();
  if (mixesTimes !== true) return undefined;
  const isKept = rendering.source.dialect === 'clickhouse';
  note(rendering, span, {
    severity: isKept ? 'note' : 'differs',
    message: isKept
      ? 'Values that are dates in one alternative and times in another are of the type Dynamic'
      : 'Values that are dates in one alternative and times in another are times here',
    hint: 'Declare the parameter with choices: names, each with its SQL',
  });
  return new Set(isKept ? mixed.map(({ name }) => name) : []);
}

/** The expressions of each column of queries with the same columns, if they can be separated. */
export function columnsOfQueries(arms: readonly RenderedArm[]): readonly ColumnAlternatives[] {
  const lists = arms.map(({ sink }) => expressionsOf(textOf(sink.fragments)));
  const [first] = lists;
  if (first === undefined || lists.some((list) => list?.length !== first.length)) return [];
  return first.map(({ name }, index) => ({ name, texts: lists.map((list) => list?.[index]?.text ?? '') }));
}

function expressionsOf(
  query: string,
): readonly { readonly text: string; readonly name: string }[] | undefined {
  const [, list = ''] = /^\s*select\b(.*?)(?:\bfrom\b|\bwhere\b|$)/is.exec(query) ?? [];
  const commas = commasOf(list, 'clickhouse');
  if (commas === undefined) return undefined;
  return [...commas, list.length].map((end, index) => {
    const item = list.slice(index === 0 ? 0 : (commas[index - 1] ?? 0) + 1, end);
    return {
      text: item.replace(/\s+as\s+[\w"`]+\s*$/i, ''),
      name: /([A-Za-z_]\w*)\s*$/.exec(item)?.[1] ?? '',
    };
  });
}
