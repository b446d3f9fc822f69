// Changes as Markdown, for the description or a comment of a pull request: https://github.github.com/gfm/
import { CHANGE_CLASSES } from '../../compatibility/change-kinds.ts';
import { needsReason, type Change } from '../../compatibility/changes.ts';
import type { Comparison } from '../../compatibility/compare.ts';
import { keyFor } from '../../compatibility/reasons.ts';
import { renderImpacts } from '../impact/markdown.ts';
import { escapeMarkdown } from '../markdown-text.ts';
import { count } from '../findings/findings.ts';
import { messageOf, openChanges, summaryOf, type PrintReport, type Report } from './report.ts';

export const printMarkdown: PrintReport = async (report, { print }) => {
  print(await renderMarkdown(report));
};

/** Most UTF-16 code units of the report, which leaves room for two others in a comment of 65,536 characters. */
const MAX_LENGTH = 45_000;
/** Most rows of one endpoint. */
const MAX_ROWS = 100;
/** Most UTF-16 code units of a message. */
const MAX_MESSAGE = 400;

/**
 * The report, without a trailing line break: the endpoints with the worst changes first, as many as `maxLength` UTF-16 code
 * units hold, and the others counted.
 */
export async function renderMarkdown(report: Report, maxLength = MAX_LENGTH): Promise<string> {
  const advice = adviceFor(openChanges(report));
  const notes = report.notes.flatMap((note) => ['', `_${escapeMarkdown(note)}._`]);
  const heading = `### Contracts: ${escapeMarkdown(report.base)} → ${escapeMarkdown(report.head)}`;
  const lines = [heading, '', `**${summaryOf(report)}.**`, ...advice, ...consumersOf(report)];
  let left = maxLength - lengthOf(lines) - lengthOf(notes);
  const ordered = report.comparisons.toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const [index, comparison] of ordered.entries()) {
    const section = await sectionWithin(comparison, report, left);
    if (section === undefined) {
      lines.push('', moreOf(ordered.slice(index)));
      break;
    }
    left -= lengthOf(section);
    lines.push(...section);
  }
  return [...lines, ...notes].join('\n');
}

/** Most codes that the advice names for each key. */
const MAX_CODES = 3;

/** How to allow the changes that have no reason. */
function adviceFor(open: readonly Change[]): readonly string[] {
  if (open.length === 0) return [];
  const codes = new Map<string, Set<string>>();
  for (const { class: kind, code } of open) {
    const key = keyFor(kind) ?? '';
    codes.set(key, (codes.get(key) ?? new Set()).add(code));
  }
  const keys = [...codes].map(([key, some]) => {
    const shown = [...some].slice(0, MAX_CODES).map((code) => `${code}: <why>`);
    return `\`${key}: { ${[...shown, ...(some.size > MAX_CODES ? ['…'] : [])].join(', ')} }\``;
  });
  const verb = open.length === 1 ? 'requires' : 'require';
  return [
    '',
    `${open.length} of them ${verb} a reason: add ${keys.join(' and ')} to the endpoint file, or revert the change.`,
  ];
}

/** Most UTF-16 code units about consumer queries. */
const MAX_CONSUMERS = 10_000;

function consumersOf({ impacts }: Report): readonly string[] {
  return impacts === undefined ? [] : ['', '#### Consumer queries', ...renderImpacts(impacts, MAX_CONSUMERS)];
}

/** Lower for worse. */
function rankOf({ changes }: Comparison): number {
  const ranks = changes.map(
    (change) => CHANGE_CLASSES.indexOf(change.class) * 2 + (needsReason(change) ? 0 : 1),
  );
  return Math.min(CHANGE_CLASSES.length * 2, ...ranks);
}

function moreOf(rest: readonly Comparison[]): string {
  const changes = rest.reduce((sum, { changes: some }) => sum + some.length, 0);
  return `… and ${count(changes, 'more change')} of ${count(rest.length, 'endpoint')}.`;
}

/** Includes the line breaks. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** The section of an endpoint, without the diff of its query if that is too long; undefined if it does not fit at all. */
async function sectionWithin(
  { endpoint, changes, query }: Comparison,
  report: Report,
  left: number,
): Promise<readonly string[] | undefined> {
  const shown = changes.slice(0, MAX_ROWS);
  const more = changes.length - shown.length;
  const table = [
    '',
    `#### ${escapeMarkdown(endpoint === '' ? 'All endpoints' : endpoint)}`,
    '',
    '| class | what | code | where |',
    '|---|---|---|---|',
    ...shown.map(row),
    ...(more === 0 ? [] : ['', `… and ${count(more, 'more change')}.`]),
  ];
  const room = left - lengthOf(table) - MORE_LENGTH;
  if (room < 0) return undefined;
  if (query === undefined) return table;
  const details = detailsOf(await report.diffTexts(query.before, query.after));
  return [
    ...table,
    ...(lengthOf(details) <= room ? details : ['', '_The diff of the query is too long to be shown here._']),
  ];
}

/** Room for the sentences about what is not shown. */
const MORE_LENGTH = 200;

function detailsOf(lines: readonly string[]): readonly string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  const head = ['', '<details><summary>The query</summary>', '', `${fence}diff`];
  return [...head, ...lines, fence, '', '</details>'];
}

function row(change: Change): string {
  const { class: kind, code, file, line, allowed } = change;
  const shown = kind === 'security' || kind === 'breaking' ? `**${kind}**` : kind;
  const state = allowed === undefined ? shown : `${kind}, allowed`;
  return `| ${state} | ${escapeMarkdown(messageOf(change).slice(0, MAX_MESSAGE))} | \`${code}\` | ${escapeMarkdown(file)}:${line} |`;
}

function longestRun(lines: readonly string[]): number {
  return Math.max(0, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length));
}
