// Which findings are shown: none that follows from another one, or that a comment in its file suppresses.
import { basename, relative, sep } from 'node:path';
import type { SharedFile } from '../../../service/config/generated/shared.ts';
import { parseYaml } from '../../../service/config/yaml-document.ts';
import { isSharedFile } from '../../../service/endpoints/include/sources.ts';
import { compareDiagnostics, uniqueFindings, type Finding } from '../../../sql/base/finding.ts';
import { didYouMean, nearest } from '../../../sql/base/nearest.ts';
import type { Findings } from '../../findings/findings.ts';

/** It maps the path of each file to the files that it includes. */
export type IncludedFiles = ReadonlyMap<
  string,
  { readonly dependencies: readonly { readonly path: string }[] }
>;

/** Returns sorted findings, with paths relative to the working directory. `files` are those that may have been meant. */
export function shownFindings(
  found: readonly Finding[],
  textOf: Findings['textOf'],
  files: IncludedFiles,
): readonly Finding[] {
  const names = [...files.keys()].map((path) => basename(path));
  return withoutFollowers(uniqueFindings(withoutConsequences(found, files)))
    .map((finding) => withNearestFile(finding, names))
    .map((finding) => withNearestTable(finding, textOf))
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

/** An unknown name may cause these elsewhere in its file, in those that it includes and in those that include it. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  'tenancy.unknown_name': 'tenancy.not_confined',
  'pii.unknown_column': 'pii.not_redacted',
};

/** Leaves out errors that follow from a misspelled name: the name is the error then. */
function withoutConsequences(findings: readonly Finding[], files: IncludedFiles): readonly Finding[] {
  const includes = (file: string, other: string): boolean =>
    files.get(file)?.dependencies.some(({ path }) => path === other) === true;
  const isNear = (one: string, other: string): boolean =>
    one === other || includes(one, other) || includes(other, one);
  const causes = findings.filter(({ code, hint }) => CONSEQUENCES[code] !== undefined && hint !== undefined);
  const follows = (cause: Finding, { code, file }: Finding): boolean =>
    CONSEQUENCES[cause.code] === code && isNear(cause.file, file);
  const left = findings.filter((each) => !causes.some((cause) => follows(cause, each)));
  const errors = findings.filter(({ severity }) => severity === 'error');
  const grave = new Set(
    causes.filter((cause) => errors.some((each) => follows(cause, each))).map((cause) => placeOf(cause)),
  );
  return left.map((each) =>
    CONSEQUENCES[each.code] !== undefined && grave.has(placeOf(each)) ? { ...each, severity: 'error' } : each,
  );
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

/** A shared file has tables that the endpoint, whose query the engine knows, does not include. */
function withNearestTable(finding: Finding, textOf: Findings['textOf']): Finding {
  const name = /identifier '(\w+)'/.exec(finding.message)?.[1];
  const text = isSharedFile(finding.file) ? textOf(finding.file) : undefined;
  if (finding.code !== 'engine.unknown_table' || name === undefined || text === undefined) return finding;
  const parsed = parseYaml(finding.file, text);
  const { tables = {} } = 'document' in parsed ? (parsed.document.value as SharedFile) : {}; // it was composed
  const hint = didYouMean(nearest(name, Object.keys(tables)));
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
