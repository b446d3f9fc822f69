// What a new endpoint exposes, as a Markdown table.
import {
  flowText,
  type ColumnExposure,
  type ListedExposure,
  type QueryExposure,
} from '../../compare/exposure.ts';
import { factsOf, listText, readText } from '../exposure/print.ts';
import { escapeMarkdown } from '../../kit/markdown-text.ts';

/** Most UTF-16 code units of a cell, before escaping. */
const MAX_CELL = 2000;

/** The lines of the table, after an empty one. */
export function exposureLines(exposure: ListedExposure): readonly string[] {
  const rows = [
    ...exposure.queries.map((query) => [titleOf(query), queryText(query)] as const),
    ...factsOf(exposure),
  ];
  return [
    '',
    '| exposes | |',
    '|---|---|',
    ...rows.map(([name, text]) => `| ${cell(name)} | ${cell(text)} |`),
  ];
}

function cell(text: string): string {
  return escapeMarkdown(text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text);
}

function titleOf({ table }: QueryExposure): string {
  return table === undefined ? 'saved query' : `table ${table} of the sandbox`;
}

function queryText({ fault, reads, columns }: QueryExposure): string {
  if (fault !== undefined) return `not analysed: ${fault}`;
  const sources = reads.length === 0 ? 'nothing stored' : listText(reads.map(readText));
  return `reads ${sources}; returns ${listText(columns.map(columnText))}`;
}

function columnText({ name, from, rule }: ColumnExposure): string {
  const shown = from.filter(({ kind }) => kind !== 'condition');
  const [only] = shown;
  const isPlain = shown.length === 1 && only?.kind === 'value' && only.column === name;
  const origin = isPlain || shown.length === 0 ? '' : listText(shown.map(flowText));
  const notes = [origin, rule ?? ''].filter((note) => note !== '').join('; ');
  return notes === '' ? name : `${name} (${notes})`;
}
