// Prints the report of `millrace cost` for a terminal, a pull request, and programs.
import { jsonText } from '../../../service/observe/visible-text.ts';
import { isCostChange } from '../../cost/cost-codes.ts';
import { ASSUMED_ROWS } from '../../cost/scaled-tables.ts';
import { rowsOf } from '../../cost/estimate.ts';
import { COMMENT_PART, renderFindings } from '../../findings/markdown.ts';
import { fromRepositoryRoot } from '../../findings/repository-paths.ts';
import { count } from '../../findings/findings.ts';
import { renderFinding } from '../../kit/caret.ts';
import { escapeMarkdown } from '../../kit/markdown-text.ts';
import { renderTable } from '../../kit/table.ts';
import { notesOf, TABLE_HEAD, tableRows, type CostReport, type PrintCost } from './report.ts';

export const printHuman: PrintCost = (report, terminal) => {
  const rows = tableRows(report.cases);
  if (rows.length > 0) for (const line of renderTable([TABLE_HEAD, ...rows])) terminal.print(line);
  for (const finding of report.findings) {
    terminal.print('');
    for (const line of renderFinding(finding, report.textOf(finding.file), terminal)) terminal.print(line);
  }
  for (const note of notesOf(report, ASSUMED_ROWS)) terminal.note(note);
  terminal.note(summaryOf(report));
};

/** The document is `{"examples": [{"endpoint", "example", "rows", "reads": […], "others": […]} or {…, "problem"}], "findings": […]}`. */
export const printJson: PrintCost = ({ cases, without, assumed, findings }, { write }) => {
  const examples = cases.map(({ estimate, ...own }) =>
    typeof estimate === 'string'
      ? { ...own, problem: estimate }
      : { ...own, rows: rowsOf(estimate), ...estimate },
  );
  write(jsonText({ examples, without, assumed, findings }));
};

/** The table has at most this many rows; the number of the others is printed. */
const MOST_ROWS = 40;

function line(cells: readonly string[]): string {
  return `| ${cells.map(escapeMarkdown).join(' | ')} |`;
}

export const printMarkdown: PrintCost = (report, { write }) => {
  const rows = tableRows(report.cases);
  const table = [
    line(TABLE_HEAD),
    `|${TABLE_HEAD.map(() => '---').join('|')}|`,
    ...rows.slice(0, MOST_ROWS).map(line),
    ...(rows.length > MOST_ROWS ? ['', `… and ${rows.length - MOST_ROWS} more.`] : []),
    ...notesOf(report, ASSUMED_ROWS).flatMap((note) => ['', `_${escapeMarkdown(note)}._`]),
  ];
  const head = renderFindings({
    heading: 'millrace cost',
    summary: summaryOf(report),
    findings: fromRepositoryRoot(report.findings),
    maxLength: COMMENT_PART,
  });
  write(`${head}\n${table.join('\n')}\n`);
};

function summaryOf({ cases, findings }: CostReport): string {
  const known = cases.flatMap(({ estimate }) => (typeof estimate === 'string' ? [] : [estimate]));
  const inPart = known.filter(({ others }) => others.length > 0).length;
  const costly = findings.filter(({ code }) => code === 'cost.rows' || code === 'cost.growth').length;
  const changes = findings.filter(({ code }) => isCostChange(code)).length;
  const parts = [
    `${count(known.length, 'example')} estimated`,
    ...(inPart > 0 ? [`${inPart} in part`] : []),
    `${costly} too costly`,
    ...(changes > 0 ? [`${count(changes, 'change')} to read less`] : []),
  ];
  return parts.join(', ');
}
