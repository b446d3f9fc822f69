// A finding about a document: what is wrong, where, and what would be right. Parsers return all of them.

export type Severity = 'error' | 'warning';

/** A finding at a 1-based line and column (in UTF-16 code units) of a file. */
export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  /** `family.reason`, stable. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** Orders findings by file, then place, then code, so that output is stable. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.code, b.code);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
