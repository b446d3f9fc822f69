// Changes as Markdown, for the description or a comment of a pull request: https://github.github.com/gfm/
import type { Change } from '../../compatibility/changes.ts';
import type { Comparison } from '../../compatibility/compare.ts';
import { messageOf, openChanges, summaryOf, type PrintReport, type Report } from './report.ts';

export const printMarkdown: PrintReport = async (report, { print }) => {
  print(await renderMarkdown(report));
};

/** The full report, without a trailing line break. */
export async function renderMarkdown(report: Report): Promise<string> {
  const open = openChanges(report).length;
  const advice =
    open === 0
      ? []
      : [
          '',
          `${open} of them ${open === 1 ? 'requires' : 'require'} a reason: add \`allow_breaking: <why>\` to the endpoint file, or revert the change.`,
        ];
  const sections: string[] = [];
  for (const comparison of report.comparisons) sections.push(...(await section(comparison, report)));
  const notes = report.notes.flatMap((note) => ['', `_${text(note)}._`]);
  const heading = `### Contracts: ${text(report.base)} → ${text(report.head)}`;
  return [heading, '', `**${summaryOf(report)}.**`, ...advice, ...sections, ...notes].join('\n');
}

async function section({ endpoint, changes, query }: Comparison, report: Report): Promise<readonly string[]> {
  const head = ['', `#### ${text(endpoint === '' ? 'All endpoints' : endpoint)}`, ''];
  const table = ['| class | what | code | where |', '|---|---|---|---|', ...changes.map(row)];
  if (query === undefined) return [...head, ...table];
  const lines = await report.diffTexts(query.before, query.after);
  const fence = '`'.repeat(Math.max(3, longestRun(lines) + 1));
  const details = [
    '',
    '<details><summary>The query</summary>',
    '',
    `${fence}diff`,
    ...lines,
    fence,
    '',
    '</details>',
  ];
  return [...head, ...table, ...details];
}

function row(change: Change): string {
  const { class: kind, code, file, line, allowed } = change;
  const shown = kind === 'security' || kind === 'breaking' ? `**${kind}**` : kind;
  const state = allowed === undefined ? shown : `${kind}, allowed`;
  return `| ${state} | ${text(messageOf(change))} | \`${code}\` | ${text(file)}:${line} |`;
}

/** Escaped for Markdown, on one line. A name after @ becomes code, so that it mentions no user. */
function text(plain: string): string {
  return plain
    .replace(/\s+/g, ' ')
    .split(/(@\w+)/)
    .map((part, index) =>
      index % 2 === 1 ? `\`${part}\`` : part.replace(/[\\`*_[\]<>#|~$&!@]/g, String.raw`\$&`),
    )
    .join('');
}

function longestRun(lines: readonly string[]): number {
  return Math.max(0, ...lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length));
}
