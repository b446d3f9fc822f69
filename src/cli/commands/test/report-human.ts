// A report for a terminal: one line per endpoint, then each failure with its line in the file.
import { visible } from '../../../service/observe/visible-text.ts';
import { renderFinding } from '../../kit/caret.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { countOf, isFailed, type CaseReport, type PrintReport, type Report } from './report.ts';

export const printHuman: PrintReport = (report, terminal) => {
  const { examples, findings } = report;
  for (const name of new Set(examples.map(({ endpoint }) => endpoint)))
    printEndpoint(
      name,
      examples.filter(({ endpoint }) => endpoint === name),
      terminal,
    );
  if (examples.length > 0) terminal.print('');
  printFindings(report, findings, terminal);
  for (const { endpoint, example, failures } of examples) {
    if (failures.length === 0) continue;
    terminal.print(terminal.paint('bold', `${endpoint}: ${visible(example)}`));
    printFindings(report, failures, terminal);
  }
  terminal.note(terminal.paint(isFailed(report) ? 'red' : 'green', summaryOf(report)));
};

function printEndpoint(
  name: string,
  cases: readonly CaseReport[],
  { print, paint }: Pick<Terminal, 'print' | 'paint'>,
): void {
  const failed = cases.filter(({ outcome }) => outcome === 'failed').length;
  const mark = failed === 0 ? paint('green', 'ok  ') : paint('red', 'FAIL');
  const ms = cases.reduce((sum, each) => sum + each.ms, 0);
  const of = failed === 0 ? `${cases.length} passed` : `${failed} of ${cases.length} failed`;
  print(`${mark} ${name}  ${of}  ${paint('dim', duration(ms))}`);
}

function printFindings(
  { textOf }: Pick<Report, 'textOf'>,
  findings: Report['findings'],
  terminal: Terminal,
): void {
  for (const finding of findings) {
    for (const line of renderFinding(finding, textOf(finding.file), terminal)) terminal.print(line);
    terminal.print('');
  }
}

function summaryOf(report: Report): string {
  const updated = countOf(report, 'updated');
  const parts = [`${countOf(report, 'passed')} passed`, `${countOf(report, 'failed')} failed`];
  if (updated > 0) parts.push(`${updated} updated`);
  return `${parts.join(', ')} in ${duration(report.ms)}`;
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
