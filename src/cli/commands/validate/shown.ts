// Which findings are shown: none that follows from another one, or that a comment in its file suppresses.
import { relative, sep } from 'node:path';
import { compareDiagnostics, uniqueFindings, type Finding } from '../../../sql/base/finding.ts';
import type { Findings } from '../../findings/findings.ts';

/** Sorted, with paths relative to the working directory. */
export function shownFindings(found: readonly Finding[], textOf: Findings['textOf']): readonly Finding[] {
  return withoutFollowers(uniqueFindings(found))
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
