// Which findings are shown: none that follows from another one, or that a comment in its file suppresses.
import { basename, relative, sep } from 'node:path';
import { compareDiagnostics, uniqueFindings, type Finding } from '../../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import type { Findings } from '../../findings/findings.ts';

/** Sorted, with paths relative to the working directory. `paths` are the files that may have been meant. */
export function shownFindings(
  found: readonly Finding[],
  textOf: Findings['textOf'],
  paths: Iterable<string>,
): readonly Finding[] {
  const names = [...paths].map((path) => basename(path));
  return withoutConsequences(withoutFollowers(uniqueFindings(found)))
    .map((finding) => withNearestFile(finding, names))
    .map(withRelativePath)
    .filter((finding) => !isIgnored(finding, textOf))
    .toSorted(compareDiagnostics);
}

/** Without what follows from the name of a table that does not exist: such as that the one which was meant is not read. */
function withoutFollowers(findings: readonly Finding[]): readonly Finding[] {
  const unknown = findings.filter(({ code }) => code === 'engine.unknown_table');
  const places = new Set(unknown.map(placeOf));
  const files = new Set(unknown.map(({ file }) => file));
  return findings.filter(
    (each) =>
      !(each.code === 'lint.unqualified_table' && places.has(placeOf(each))) &&
      !(each.code === 'lint.unused_table' && files.has(each.file)),
  );
}

/** A name that no table has may cause these elsewhere in its file. */
const CONSEQUENCES: Readonly<Record<string, string>> = { 'tenancy.unknown_name': 'tenancy.not_confined' };

function causedBy(cause: Finding, { code, file }: Finding): boolean {
  return cause.hint !== undefined && CONSEQUENCES[cause.code] === code && cause.file === file;
}

/** Leaves out errors that follow from a misspelled name: the name is the error then. */
function withoutConsequences(findings: readonly Finding[]): readonly Finding[] {
  const isConsequence = (each: Finding): boolean => findings.some((cause) => causedBy(cause, each));
  return findings
    .filter((each) => !isConsequence(each))
    .map((cause): Finding => {
      const isError = findings.some((each) => each.severity === 'error' && causedBy(cause, each));
      return isError ? { ...cause, severity: 'error' } : cause;
    });
}

/** Only who lists the folder knows which files it has. */
function withNearestFile(finding: Finding, names: readonly string[]): Finding {
  const name = /^there is no file (\S+) /.exec(finding.message)?.[1];
  if (finding.code !== 'include.missing' || name === undefined) return finding;
  const ending = /(?:\.shared)?\.ya?ml$/;
  const kind = names.filter((each) => each.includes('.shared.') === name.includes('.shared.'));
  const hint = didYouMean(
    nearest(
      name.replace(ending, ''),
      kind.map((each) => each.replace(ending, '')),
    ),
  );
  return hint === undefined ? finding : { ...finding, hint };
}

function placeOf({ file, line, column }: Finding): string {
  return `${file}:${line}:${column}`;
}

function withRelativePath(finding: Finding): Finding {
  const path = relative(process.cwd(), finding.file) || finding.file;
  return { ...finding, file: path.split(sep).join('/') };
}

/** A comment `# millrace-ignore: code` at the end of the line, or on the line above, suppresses a warning. */
export function isIgnored({ severity, code, line, file }: Finding, textOf: Findings['textOf']): boolean {
  if (severity !== 'warning') return false;
  const lines = textOf(file)?.split(/\r\n|\r|\n/) ?? [];
  return [lines[line - 2], lines[line - 1]].some((text) =>
    new RegExp(String.raw`(#|--) *millrace-ignore: *${code.replace('.', String.raw`\.`)}(?![\w.])`).test(
      text ?? '',
    ),
  );
}
