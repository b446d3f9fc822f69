// Findings as annotations of a GitHub workflow step, with the full list in its summary.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
import { visibleLines } from '../../service/observe/visible-text.ts';
import { appendFile } from 'node:fs/promises';
import type { Finding } from '../../sql/base/finding.ts';
import { summaryOf, type PrintFindings } from './findings.ts';
import { renderFindings } from './markdown.ts';
import { fromRepositoryRoot } from './repository-paths.ts';

/** GitHub shows this many annotations of each kind per step, and silently drops the rest. */
export const PER_KIND = 10;
/** GitHub limits a step's summary to 1 MiB; a character has at most three bytes per code unit. */
export const SUMMARY_LENGTH = 300_000;

export interface GithubOptions {
  /** Returns whether the pull request changes a file: its findings come first. */
  readonly isChanged: (file: string) => boolean;
  /** Path of the step's summary (`GITHUB_STEP_SUMMARY`). */
  readonly summaryFile: string | undefined;
}

export function createPrintGithub({ isChanged, summaryFile }: GithubOptions): PrintFindings {
  return async (found, { write, note }) => {
    const changedFirst = found.findings.toSorted(
      (a, b) => Number(isChanged(b.file)) - Number(isChanged(a.file)),
    );
    const ordered = fromRepositoryRoot(changedFirst);
    const shown = (['error', 'warning'] as const).map((severity) =>
      ordered.filter((each) => each.severity === severity).slice(0, PER_KIND),
    );
    for (const finding of shown.flat()) write(`${annotation(finding)}\n`);
    const left = found.findings.length - shown.flat().length;
    const rest = left === 0 ? '' : `; GitHub does not show ${left} more, see the step summary`;
    note(`${summaryOf(found)}${rest}`);
    if (summaryFile === undefined) return;
    const heading = 'millrace validate';
    const table = { heading, summary: summaryOf(found), findings: ordered, maxLength: SUMMARY_LENGTH };
    await appendFile(summaryFile, renderFindings(table));
  };
}

/** `::error file=…,line=…,col=…,title=…::message`. */
export function annotation({ file, line, column, severity, code, message, hint }: Finding): string {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  const place = line === 0 ? '' : `,line=${line},col=${column}`;
  return `::${severity} file=${property(file)}${place},title=${property(code)}::${data(text)}`;
}

/** The runner decodes these, and nothing else: what a message has of the kind is text. */
function data(text: string): string {
  return visibleLines(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
