// What a run of examples came to, ready to be printed in any form. Paths are relative, with forward slashes.
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { Terminal } from '../terminal.ts';

/** One example. */
export interface CaseReport {
  readonly endpoint: string;
  readonly example: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly outcome: 'passed' | 'failed' | 'updated';
  readonly ms: number;
  readonly failures: readonly Diagnostic[];
}

export interface Report {
  /** In the order of files, and of examples in them. */
  readonly examples: readonly CaseReport[];
  /** What keeps a file or the fixtures from being tested. */
  readonly findings: readonly Diagnostic[];
  readonly ms: number;
  /** The text of a file, by its path in a report; undefined where it cannot be read. */
  readonly textOf: (file: string) => string | undefined;
}

/** Prints a report for somebody in particular. */
export type PrintReport = (report: Report, terminal: Terminal) => void;

export function countOf({ examples }: Report, outcome: CaseReport['outcome']): number {
  return examples.filter((each) => each.outcome === outcome).length;
}

export function isFailed(report: Report): boolean {
  return report.findings.some(({ severity }) => severity === 'error') || countOf(report, 'failed') > 0;
}
