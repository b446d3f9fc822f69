// Findings as annotations of a GitHub workflow step, with the full list in its summary.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
import { appendFile } from 'node:fs/promises';
import type { Finding } from '../../core/finding.ts';
import { summaryOf, type Findings, type PrintFindings } from './findings.ts';

/** GitHub shows this many annotations of each kind per step, and silently drops the rest. */
export const PER_KIND = 10;
/** GitHub limits a step's summary to 1 MiB. */
const SUMMARY_BYTES = 1_000_000;

export interface GithubOptions {
  /** Whether the pull request changes a file: its findings come first. */
  readonly isChanged: (file: string) => boolean;
  /** Path of the step's summary (`GITHUB_STEP_SUMMARY`). */
  readonly summaryFile: string | undefined;
}

export function createPrintGithub({ isChanged, summaryFile }: GithubOptions): PrintFindings {
  return async (found, { print, note }) => {
    const ordered = found.findings.toSorted((a, b) => Number(isChanged(b.file)) - Number(isChanged(a.file)));
    const shown = (['error', 'warning'] as const).map((severity) =>
      ordered.filter((each) => each.severity === severity).slice(0, PER_KIND),
    );
    for (const finding of shown.flat()) print(annotation(finding));
    const left = found.findings.length - shown.flat().length;
    const rest = left === 0 ? '' : `; GitHub does not show ${left} more, see the step summary`;
    note(`${summaryOf(found)}${rest}`);
    if (summaryFile !== undefined) await appendFile(summaryFile, summary({ ...found, findings: ordered }));
  };
}

/** `::error file=…,line=…,col=…,title=…::message`. */
export function annotation({ file, line, column, severity, code, message, hint }: Finding): string {
  const text = hint === undefined ? message : `${message}\n${hint}`;
  const place = line === 0 ? '' : `,line=${line},col=${column}`;
  return `::${severity} file=${property(file)}${place},title=${property(code)}::${data(text)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** A Markdown table of the findings, as many as fit. */
function summary(found: Findings): string {
  const head = ['### millrace validate', '', summaryOf(found), ''];
  if (found.findings.length === 0) return `${head.join('\n')}\n`;
  const lines = [...head, '| where | what | code |', '|---|---|---|'];
  let bytes = Buffer.byteLength(lines.join('\n'));
  for (const { file, line, column, severity, code, message, hint = '' } of found.findings) {
    const row = `| \`${cell(file)}:${line}:${column}\` | ${severity}: ${cell(message)} ${cell(hint)} | ${code} |`;
    bytes += Buffer.byteLength(row) + 1;
    if (bytes > SUMMARY_BYTES) break;
    lines.push(row);
  }
  return `${lines.join('\n')}\n`;
}

function cell(text: string): string {
  return text.replace(/[\\|`<>*_[\]]/g, String.raw`\$&`).replace(/\s+/g, ' ');
}
