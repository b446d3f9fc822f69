// Prints the report of a conformance run as text, Markdown or JSON.
import { codeBlock, escapeMarkdown } from '../../kit/markdown-text.ts';
import { jsonText, visible } from '../../../service/observe/visible-text.ts';
import { excerpt } from '../../kit/caret.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';
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
    print(`${paint('red', 'FAILED')} ${paint('bold', visible(name))}`);
    print(`    ${visible(messageOf(failure))}`);
    for (const line of excerptOf(failure, terminal)) print(line);
    if (failure.hint !== null) print(`    ${paint('dim', visible(failure.hint))}`);
  }
};

/** The same, as a page. */
export const printMarkdown: PrintReport = (report, { write }) => {
  const answers = report.answers.map(
    (answer) => `| ${answer.count} | ${escapeMarkdown(answerText(answer))} |`,
  );
  const failures = report.failures.flatMap((failure) => {
    const block = codeBlock(
      failure.query.trimEnd().split(/\r\n|\r|\n/),
      failure.language === 'sql' ? 'sql' : '',
    );
    return ['', `## ${escapeMarkdown(failure.name)}`, '', escapeMarkdown(messageOf(failure)), '', ...block];
  });
  const head = [
    '# Conformance',
    '',
    escapeMarkdown(summaryOf(report)),
    '',
    '| queries | answer |',
    '|---:|---|',
  ];
  write(`${[...head, ...answers, ...failures].join('\n')}\n`);
};

export const printJson: PrintReport = (report, { write }) => write(jsonText(report));

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
  const text = visible(query.replace(/\s+/g, ' ').trim());
  return [`    ${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text}`];
}

const MAX_SHOWN = 200;
