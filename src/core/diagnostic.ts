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

/** Findings of one file that are shown: more help nobody, and each costs a search for its place. */
export const MAX_FINDINGS = 100;

/** The code of the finding that says how many are not shown. */
const MORE = 'file.more_findings';

interface LocateOptions<F> {
  readonly isWarning?: (finding: F) => boolean;
  /** Looking for findings ended before the end of the file. */
  readonly isCut?: boolean;
}

/**
 * The first findings of a file with their places, errors before warnings, and a last one that says how many more there
 * are. `locate` is called for those that are shown alone.
 */
export function locateFindings<F>(
  findings: readonly F[],
  locate: (finding: F) => Diagnostic,
  { isWarning = () => false, isCut = false }: LocateOptions<F> = {},
): Diagnostic[] {
  const ordered = [...findings.filter((each) => !isWarning(each)), ...findings.filter(isWarning)];
  const shown = ordered.slice(0, MAX_FINDINGS).map(locate).toSorted(compareDiagnostics);
  const [last, rest] = [shown.at(-1), ordered.slice(MAX_FINDINGS)];
  if (last === undefined || rest.length === 0) return shown;
  const more: Diagnostic = {
    file: last.file,
    line: last.line,
    column: last.column,
    severity: rest.every(isWarning) ? 'warning' : 'error',
    code: MORE,
    message: `${isCut ? 'at least ' : ''}${rest.length} more findings of this file are not shown`,
    hint: 'Correct those that are shown, then check the file again',
  };
  return [...shown, more];
}

/** Orders findings by file, then place, then code, so that output is stable; how many more there are comes last. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  const byPlace = compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
  return byPlace || Number(a.code === MORE) - Number(b.code === MORE) || compareText(a.code, b.code);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
