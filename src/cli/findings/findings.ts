// What a check of endpoint files found, ready to be printed in any form. Paths are relative, with forward slashes.
import type { Diagnostic } from '../../core/diagnostic.ts';
import type { Terminal } from '../terminal.ts';

export interface Findings {
  /** In the order of files and places. */
  readonly findings: readonly Diagnostic[];
  /** How many files were checked. */
  readonly files: number;
  /** The text of a file, by its path in a finding; undefined where it cannot be read. */
  readonly textOf: (file: string) => string | undefined;
}

/** Prints findings for somebody in particular. */
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

export function countErrors(findings: readonly Diagnostic[]): number {
  return findings.filter(({ severity }) => severity === 'error').length;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
