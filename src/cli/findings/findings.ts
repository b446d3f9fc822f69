// The findings of a check of endpoint files, independent of the output format. Paths are relative, with forward
// slashes.
import type { Finding } from '../../sql/base/finding.ts';
import type { Terminal } from '../kit/terminal.ts';

export interface Findings {
  /** Sorted by file and location. */
  readonly findings: readonly Finding[];
  /** Number of files checked. */
  readonly files: number;
  /** The text of a file, by its path in a finding; undefined if it cannot be read. */
  readonly textOf: (file: string) => string | undefined;
}

/** Prints findings in one output format. */
export type PrintFindings = (found: Findings, terminal: Terminal) => void | Promise<void>;

/** `3 endpoint files, 1 error, 2 warnings`. */
export function summaryOf({ findings, files }: Findings): string {
  const errors = countErrors(findings);
  return [
    count(files, 'endpoint file'),
    count(errors, 'error'),
    count(findings.length - errors, 'warning'),
  ].join(', ');
}

export function countErrors(findings: readonly Finding[]): number {
  return findings.filter(({ severity }) => severity === 'error').length;
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
