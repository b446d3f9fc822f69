// Findings as a GitLab Code Quality report: https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
import { jsonText, visible } from '../../service/observe/visible-text.ts';
import { createHash } from 'node:crypto';
import type { PrintFindings } from './findings.ts';
import { fromRepositoryRoot } from './repository-paths.ts';

export const printGitlab: PrintFindings = ({ findings }, { write }) => {
  const seen = new Map<string, number>();
  const report = fromRepositoryRoot(findings).map(({ file, line, severity, code, message, hint }) => {
    const identity = JSON.stringify([file, code, message]);
    const nth = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, nth);
    return {
      description: visible(hint === undefined ? message : `${message}. ${hint}`),
      check_name: code,
      fingerprint: fingerprintOf(identity, nth), // without the line: a moved finding is not a new one
      severity: severity === 'error' ? 'major' : 'minor',
      location: { path: file, lines: { begin: Math.max(1, line) } },
    };
  });
  write(jsonText(report));
};

function fingerprintOf(identity: string, nth: number): string {
  return createHash('sha256').update(`${nth} ${identity}`).digest('hex').slice(0, 40);
}
