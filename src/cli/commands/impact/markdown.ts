// Affected consumer queries as Markdown, for the description or a comment of a pull request.
import { escapeMarkdown } from '../../kit/markdown-text.ts';
import type { QueryImpact } from '../../compare/consumers/impact.ts';
import { count } from '../../findings/findings.ts';
import { listed, messageOf, summaryOf, type ImpactReport, type PrintImpact } from './report.ts';

export const printMarkdown: PrintImpact = (report, { write }) =>
  write(`${renderReport(report, MAX_LENGTH)}\n`);

/** Most UTF-16 code units of the report. */
const MAX_LENGTH = 45_000;
/** Most rows, and reasons in a row. */
const MAX_ROWS = 100;
const MAX_REASONS = 5;
/** Most UTF-16 code units of a name and of a message. */
const MAX_NAME = 120;
const MAX_MESSAGE = 300;

export function renderReport({ base, head, impacts, notes }: ImpactReport, maxLength: number): string {
  const heading = `### Consumer queries: ${escapeMarkdown(base)} → ${escapeMarkdown(head)}`;
  const lines = [heading, ...renderImpacts(impacts, maxLength - MORE_LENGTH)];
  return [...lines, ...notes.flatMap((note) => ['', `_${escapeMarkdown(note)}._`])].join('\n');
}

/** Room for the heading, the notes and the sentence about what is not shown. */
const MORE_LENGTH = 1000;

/** The summary and a table, the worst first: as many rows as `maxLength` UTF-16 code units hold, and the others counted. */
export function renderImpacts(impacts: readonly QueryImpact[], maxLength: number): readonly string[] {
  const open = listed(impacts);
  const lines = ['', `**${summaryOf(impacts)}.**`];
  if (open.length === 0) return lines;
  lines.push('', '| query | owner | endpoint | impact | why |', '|---|---|---|---|---|');
  let left = maxLength - lines.reduce((sum, line) => sum + line.length + 1, 0);
  const rows = open.slice(0, MAX_ROWS).map(row);
  const fitting = rows.findIndex((each) => (left -= each.length + 1) < 0);
  const shown = fitting === -1 ? rows : rows.slice(0, fitting);
  const more = open.length - shown.length;
  return [
    ...lines,
    ...shown,
    ...(more === 0 ? [] : ['', `… and ${count(more, 'more query', 'more queries')}.`]),
  ];
}

function row(each: QueryImpact): string {
  const { query, impact, endpoint, reasons } = each;
  const name = query.name === query.source ? query.name : `${query.name} (${query.source})`;
  const more = reasons.length - MAX_REASONS;
  const why = reasons
    .slice(0, MAX_REASONS)
    .map((reason) => escapeMarkdown(cut(messageOf(each, reason), MAX_MESSAGE)))
    .concat(more > 0 ? [`… and ${count(more, 'more reason')}`] : []);
  const cells = [
    escapeMarkdown(cut(name, MAX_NAME)),
    escapeMarkdown(cut(query.owner ?? '', MAX_NAME)),
    escapeMarkdown(cut(endpoint?.name ?? query.endpoint ?? '', MAX_NAME)),
    impact === 'breaks' ? `**${impact}**` : impact,
    why.join('<br>'),
  ];
  return `| ${cells.join(' | ')} |`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
