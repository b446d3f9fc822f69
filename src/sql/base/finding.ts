// A finding about a document: what is wrong, where, and how to correct it. Parsers return every finding, not only the
// first.

export type Severity = 'error' | 'warning';

/** The reference says this about a code of findings. */
export interface CodeText {
  readonly title: string;
  readonly help: string;
}

/** By code. */
export type Codes = Readonly<Record<string, CodeText>>;

export const MORE_CODES: Codes = {
  'file.more_findings': {
    title: 'The file has more findings than are shown',
    help: 'The first 100 are shown. Fix those, then check the file again.',
  },
};

/** A finding at a 1-based line and column (in UTF-16 code units) of a file. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  /** `family.reason`, stable. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** The endpoint that includes the part at this location, if the finding is about the endpoint. */
  readonly includedBy?: string;
}

/** A finding of a document before it is located: at a path; `offset` is inside the string there (UTF-16 code units). */
export interface PathFinding {
  /** `family.reason`, stable. */
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly onKey?: boolean;
  readonly offset?: number;
  readonly message: string;
  readonly hint?: string;
  /** Default: error. */
  readonly severity?: 'warning';
}

/** Offsets are in UTF-16 code units; `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** The offset, in UTF-16 code units, is in a text such as a query; a document locates it. */
export interface TextFinding<Code extends string = string> {
  readonly start: number;
  /** It has the form `family.reason`, and is stable. */
  readonly code: Code;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Equal findings once each, in the order of the first ones. `whereText` returns what the message of one says about where it was found;
 * undefined: nothing.
 */
export function mergeEqual<F extends { readonly message: string }, Where>(
  found: Iterable<readonly [finding: F, where: Where]>,
  whereText: (all: ReadonlySet<Where>) => string | undefined,
): readonly F[] {
  const groups = new Map<string, { readonly finding: F; readonly all: Set<Where> }>();
  for (const [finding, where] of found) {
    const key = JSON.stringify(finding);
    const group = groups.get(key) ?? { finding, all: new Set() };
    group.all.add(where);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ finding, all }) => {
    const text = whereText(all);
    return text === undefined ? finding : { ...finding, message: `${finding.message} (${text})` };
  });
}

/**
 * The same findings once each, those in parts that several endpoints include. The message names the endpoints, unless the part has
 * the finding on its own. A file with errors of its own has none of endpoints that include it: they may follow from these.
 */
export function uniqueFindings(findings: readonly Finding[]): readonly Finding[] {
  const broken = new Set(
    findings.flatMap(({ file, severity, includedBy }) =>
      severity === 'error' && includedBy === undefined ? [file] : [],
    ),
  );
  const own = findings.filter(({ file, includedBy }) => includedBy === undefined || !broken.has(file));
  const found = own.map(({ includedBy, ...finding }) => [finding, includedBy] as const);
  return mergeEqual<Finding, string | undefined>(found, (all) => {
    if (all.has(undefined)) return undefined;
    const [first] = all;
    return `included by ${first}${all.size === 1 ? '' : ` and ${all.size - 1} more`}`;
  });
}

/** Findings reported per file. A longer list does not help, and locating each finding costs a search. */
export const MAX_FINDINGS = 100;

/** Code of the finding that reports how many others were omitted. */
const MORE = 'file.more_findings';

interface LocateOptions<F> {
  readonly isWarning?: (finding: F) => boolean;
  /** The search stopped before the end of the file, so there may be more findings. */
  readonly isCut?: boolean;
}

/**
 * The first `MAX_FINDINGS` findings of a file with their locations, errors before warnings, followed by one that counts
 * the rest. `locate` is called only for the findings that are returned.
 */
export function locateFindings<F>(
  findings: readonly F[],
  locate: (finding: F) => Finding,
  { isWarning = () => false, isCut = false }: LocateOptions<F> = {},
): Finding[] {
  const ordered = [...findings.filter((each) => !isWarning(each)), ...findings.filter(isWarning)];
  const shown = ordered.slice(0, MAX_FINDINGS).map(locate).toSorted(compareDiagnostics);
  const [last, rest] = [shown.at(-1), ordered.slice(MAX_FINDINGS)];
  if (last === undefined || rest.length === 0) return shown;
  const more: Finding = {
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

/** Orders findings by file, location and code, so that output is stable. The count of omitted findings sorts last. */
export function compareDiagnostics(a: Finding, b: Finding): number {
  const byPlace = compareText(a.file, b.file) || a.line - b.line || a.column - b.column;
  return byPlace || Number(a.code === MORE) - Number(b.code === MORE) || compareText(a.code, b.code);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
