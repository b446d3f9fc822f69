// Findings at paths of a document, with their lines and columns.
import { locateFindings, type Finding, type PathFinding } from '../../sql/base/finding.ts';
import type { YamlDocument } from './yaml-document.ts';

/** Findings with their locations in the file: the first ones, and the number of those left out. */
export function locateAll(document: YamlDocument, findings: readonly PathFinding[]): Finding[] {
  const locate = (finding: PathFinding): Finding => locateFinding(document, finding);
  return locateFindings(findings, locate, { isWarning: ({ severity }) => severity === 'warning' });
}

/** A finding with its location in the file. */
export function locateFinding(document: YamlDocument, finding: PathFinding): Finding {
  const { path, offset, onKey, code, message, hint, severity = 'error' } = finding;
  const position =
    offset !== undefined
      ? document.locateInside(path, offset)
      : onKey === true
        ? document.locateKey(path)
        : document.locate(path);
  return {
    file: document.file,
    ...position,
    severity,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}
