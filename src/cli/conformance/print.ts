// Prints the report of a conformance run as text, Markdown or JSON.
import { excerpt, printable } from '../caret.ts';
import { count } from '../findings/findings.ts';
import type { Terminal } from '../terminal.ts';
import type { AnswerCount, ConformanceReport, Failure } from './report.ts';

export type PrintReport = (report: ConformanceReport, terminal: Terminal) => void;

/** Counts by status and code, then each failed query with its message and location. */
export const printText: PrintReport = (report, terminal) => {
  const { print, paint } = terminal;
  print(summaryOf(report));
  for (const answer of report.answers) print(`  ${String(answer.count).padStart(6)}  ${answerText(answer)}`);
  for (const failure of report.failures) {
    print('');
    const name = failure.name === failure.source ? failure.name : `${failure.name} (${failure.source})`;
    print(`${paint('red', 'FAILED')} ${paint('bold', printable(name))}`);
    print(`    ${printable(messageOf(failure))}`);
    for (const line of excerptOf(failure, terminal)) print(line);
    if (failure.hint !== null) print(`    ${paint('dim', printable(failure.hint))}`);
  }
};

/** The same, as a page. */
export const printMarkdown: PrintReport = (report, { print }) => {
  print(`# Conformance\n\n${summaryOf(report)}\n\n| queries | answer |\n|---:|---|`);
  for (const answer of report.answers) print(`| ${answer.count} | ${answerText(answer)} |`);
  for (const failure of report.failures) {
    const fence = '`'.repeat(Math.max(3, longestRun(failure.query) + 1));
    print(`\n## ${inline(failure.name)}\n\n${inline(messageOf(failure))}\n`);
    print(`${fence}${failure.language === 'sql' ? 'sql' : ''}\n${failure.query.trimEnd()}\n${fence}`);
  }
};

export const printJson: PrintReport = (report, { print }) => print(JSON.stringify(report, null, 2));

function summaryOf({ queries, endpoint, passed, failed }: ConformanceReport): string {
  return `${count(queries, 'query', 'queries')} against ${endpoint}: ${passed} passed, ${failed} failed`;
}

function answerText({ status, code }: AnswerCount): string {
  return status === 0
    ? `no response (${code ?? ''})`
    : [status, code].filter((each) => each !== null).join(' ');
}

function messageOf({ status, code, message, line, column }: Failure): string {
  const location = line === null ? '' : ` (line ${line}, column ${column ?? 1})`;
  return `${answerText({ status, code, count: 1 })}: ${message}${location}`;
}

/** The line of the query with a caret; the beginning of the query if the location is unknown. */
function excerptOf({ query, line, column }: Failure, { paint }: Terminal): readonly string[] {
  const source = line === null ? undefined : query.split(/\r\n|\r|\n/)[line - 1];
  if (source !== undefined && source.trim() !== '')
    return excerpt(source, column ?? 1, (caret) => paint('red', caret));
  const text = printable(query.replace(/\s+/g, ' ').trim());
  return [`    ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text}`];
}

const MAX_SHOWN = 200;

/** Text without effect on the page's structure. */
function inline(text: string): string {
  return printable(text).replace(/[\\`*_<>[\]#|]/g, String.raw`\$&`);
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
