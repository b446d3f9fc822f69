// Changes as Markdown, for the description or a comment of a pull request: https://github.github.com/gfm/
import { CHANGE_CLASSES } from '../../compare/change-kinds.ts';
import { needsReason, type Change } from '../../compare/changes.ts';
import type { EndpointComparison } from '../../compare/compare.ts';
import { keyFor } from '../../compare/reasons.ts';
import { exposureLines } from './exposure-table.ts';
import { renderImpacts } from '../impact/markdown.ts';
import { codeBlock, escapeMarkdown } from '../../kit/markdown-text.ts';
import { count } from '../../findings/findings.ts';
import { messageOf, openChanges, summaryOf, type PrintReport, type Report } from './report.ts';

export const printMarkdown: PrintReport = async (report, { write }) => {
  write(`${await renderMarkdown(report)}\n`);
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
  const ordered = report.comparisons.toSorted((a, b) => rankOf(a) - rankOf(b));
  let left = maxLength - lengthOf(lines) - lengthOf(notes) - MORE_LENGTH;
  const tables: (readonly string[])[] = [];
  for (const comparison of ordered) {
    const table = tableWithin(comparison, left);
    if (table === undefined) break;
    left -= lengthOf(table);
    tables.push(table);
  }
  for (const [index, table] of tables.entries()) {
    const details = await detailsWithin(ordered[index], report, left);
    left -= lengthOf(details);
    lines.push(...table, ...details);
  }
  if (tables.length < ordered.length) lines.push('', moreOf(ordered.slice(tables.length)));
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

/** Lower for worse: changes without the reason that they require come first. */
function rankOf({ changes }: EndpointComparison): number {
  const ranks = changes.map((change) => {
    const isOpen = needsReason(change) && change.allowed === undefined;
    return CHANGE_CLASSES.indexOf(change.class) + (isOpen ? 0 : CHANGE_CLASSES.length);
  });
  return Math.min(CHANGE_CLASSES.length * 2, ...ranks);
}

function moreOf(rest: readonly EndpointComparison[]): string {
  const changes = rest.reduce((sum, { changes: some }) => sum + some.length, 0);
  return `… and ${count(changes, 'more change')} of ${count(rest.length, 'endpoint')}.`;
}

/** Includes the line breaks. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** The changes of an endpoint, at most as long as half of `left`; undefined if not even the first one fits. */
function tableWithin({ endpoint, changes }: EndpointComparison, left: number): readonly string[] | undefined {
  const head = [
    '',
    `#### ${escapeMarkdown(endpoint === '' ? 'All endpoints' : endpoint)}`,
    '',
    '| class | what | code | where |',
    '|---|---|---|---|',
  ];
  let room = left - lengthOf(head) - MORE_LENGTH;
  const rows: string[] = [];
  for (const change of changes.slice(0, MAX_ROWS)) {
    const line = row(change);
    room -= line.length + 1;
    if (room < (rows.length === 0 ? 0 : left / 2)) break;
    rows.push(line);
  }
  if (rows.length === 0) return undefined;
  const more = changes.length - rows.length;
  return [...head, ...rows, ...(more === 0 ? [] : ['', `… and ${count(more, 'more change')}.`])];
}

/** What an endpoint exposes or the diff of its query, if there is room. */
async function detailsWithin(
  comparison: EndpointComparison | undefined,
  { diffTexts }: Report,
  left: number,
): Promise<readonly string[]> {
  const { query, exposure } = comparison ?? {};
  if (query === undefined && exposure === undefined) return [];
  const details =
    exposure !== undefined
      ? exposureLines(exposure)
      : query !== undefined && left > MORE_LENGTH
        ? detailsOf(await diffTexts(query.before, query.after))
        : [];
  if (details.length > 0 && lengthOf(details) <= left) return details;
  const [what, how] =
    exposure === undefined
      ? ['The diff of the query', '']
      : ['The table of what it exposes', ': run `millrace exposure`'];
  const note = ['', `_${what} is too long to be shown here${how}._`];
  return lengthOf(note) <= left ? note : [];
}

/** Room for the sentences about what is not shown. */
const MORE_LENGTH = 200;

function detailsOf(lines: readonly string[]): readonly string[] {
  const head = ['', '<details><summary>The query</summary>', ''];
  return [...head, ...codeBlock(lines, 'diff'), '', '</details>'];
}

function row(change: Change): string {
  const { class: kind, code, file, line, allowed } = change;
  const shown = kind === 'security' || kind === 'breaking' ? `**${kind}**` : kind;
  const state = allowed === undefined ? shown : `${kind}, allowed`;
  return `| ${state} | ${escapeMarkdown(messageOf(change).slice(0, MAX_MESSAGE))} | \`${code}\` | ${escapeMarkdown(file)}:${line} |`;
}
