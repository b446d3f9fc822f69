// Paths from the root of the git repository, which CI services expect wherever a command runs.
import { execFileSync } from 'node:child_process';
import type { Finding } from '../../sql/base/finding.ts';

/** The working directory below the root of its repository, as in `services/api/`; '' at the root or without git. */
function repositoryPrefix(): string {
  try {
    return execFileSync('git', ['rev-parse', '--show-prefix'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    }).trimEnd();
  } catch {
    return '';
  }
}

/** The findings with paths from the root of the repository; paths that leave the working directory stay as they are. */
export function fromRepositoryRoot<T extends Pick<Finding, 'file'>>(findings: readonly T[]): readonly T[] {
  const prefix = findings.length === 0 ? '' : repositoryPrefix();
  if (prefix === '') return findings;
  return findings.map((each) =>
    /^(?:\.\.\/|\/)/.test(each.file) ? each : { ...each, file: `${prefix}${each.file}` },
  );
}
