// Failed examples as annotations of a GitHub workflow step, with a table of them in its summary.
import { appendFile } from 'node:fs/promises';
import { annotation, PER_KIND } from '../../findings/github.ts';
import { COMMENT_PART, renderFindings } from '../../findings/markdown.ts';
import { fromRepositoryRoot } from '../../findings/repository-paths.ts';
import { countOf, type PrintReport, type Report } from './report.ts';
import type { Finding } from '../../../sql/base/finding.ts';

/** `summaryFile` is the path of the step's summary (`GITHUB_STEP_SUMMARY`). */
export function createPrintGithub(summaryFile: string | undefined): PrintReport {
  return async (report, { write, note }) => {
    const failures = failuresOf(report);
    for (const failure of failures.slice(0, PER_KIND)) write(`${annotation(failure)}\n`);
    const left = Math.max(0, failures.length - PER_KIND);
    note(
      `${countsOf(report)}${left === 0 ? '' : `; GitHub does not show ${left} more, see the step summary`}`,
    );
    if (summaryFile !== undefined) await appendFile(summaryFile, renderReport(report));
  };
}

export const printMarkdown: PrintReport = (report, { write }) => write(renderReport(report));

function renderReport(report: Report): string {
  const table = { heading: 'millrace test', summary: countsOf(report), maxLength: COMMENT_PART };
  return renderFindings({ ...table, findings: failuresOf(report) });
}

/** Every failure, with the name of its example. */
function failuresOf({ examples, findings }: Report): readonly Finding[] {
  const ofExamples = examples.flatMap(({ endpoint, example, failures }) =>
    failures.map((each) => ({ ...each, message: `${endpoint}: ${example}: ${each.message}` })),
  );
  return fromRepositoryRoot([...findings, ...ofExamples]);
}

function countsOf(report: Report): string {
  return `${countOf(report, 'passed')} passed, ${countOf(report, 'failed')} failed`;
}
