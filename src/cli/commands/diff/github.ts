// Changes as annotations of a GitHub workflow step, with the full report in its summary.
import { appendFile } from 'node:fs/promises';
import { needsReason, type Change } from '../../compare/changes.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { annotation, PER_KIND, SUMMARY_LENGTH } from '../../findings/github.ts';
import { renderMarkdown } from './markdown.ts';
import { changesOf, messageOf, summaryOf, type PrintReport } from './report.ts';

/** `summaryFile` is the path of the step's summary (`GITHUB_STEP_SUMMARY`). */
export function createPrintGithub(summaryFile: string | undefined): PrintReport {
  return async (report, { write, note }) => {
    const findings = changesOf(report).flatMap(annotated);
    const shown = (['error', 'warning'] as const).map((severity) =>
      findings.filter((each) => each.severity === severity).slice(0, PER_KIND),
    );
    for (const finding of shown.flat()) write(`${annotation(finding)}\n`);
    const left = findings.length - shown.flat().length;
    note(
      `${summaryOf(report)}${left === 0 ? '' : `; GitHub does not show ${left} more, see the step summary`}`,
    );
    if (summaryFile !== undefined)
      await appendFile(summaryFile, `${await renderMarkdown(report, SUMMARY_LENGTH)}\n`);
  };
}

/** Compatible changes appear only in the summary, unless they are reasons to be removed. */
function annotated(change: Change): readonly Finding[] {
  if (change.class === 'compatible' && !change.code.startsWith('reason.')) return [];
  const severity = needsReason(change) && change.allowed === undefined ? 'error' : 'warning';
  const { file, line, code } = change;
  const message = `${change.class}: ${change.endpoint}: ${messageOf(change)}`;
  return [{ file, line, column: 1, severity, code, message }];
}
