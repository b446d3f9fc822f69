// The result of running examples, independent of the output format. Paths are relative, with forward slashes.
import type { Finding } from '../../../sql/base/finding.ts';
import type { Terminal } from '../../kit/terminal.ts';

/** The result of one example. */
export interface CaseReport {
  readonly endpoint: string;
  readonly example: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly outcome: 'passed' | 'failed' | 'updated';
  readonly ms: number;
  readonly failures: readonly Finding[];
}

export interface Report {
  /** In the order of files, and of examples within them. */
  readonly examples: readonly CaseReport[];
  /** Findings that prevent a file or the fixtures from being tested. */
  readonly findings: readonly Finding[];
  readonly ms: number;
  /** The text of a file, by its path in a report; undefined if it cannot be read. */
  readonly textOf: (file: string) => string | undefined;
}

/** Prints a report in one output format. */
export type PrintReport = (report: Report, terminal: Terminal) => void | Promise<void>;

export function countOf({ examples }: Report, outcome: CaseReport['outcome']): number {
  return examples.filter((each) => each.outcome === outcome).length;
}

export function isFailed(report: Report): boolean {
  return report.findings.some(({ severity }) => severity === 'error') || countOf(report, 'failed') > 0;
}
