// Prints the findings of `millrace validate` in each of its formats.
import { execFileSync } from 'node:child_process';
import type { CommandDeps } from '../../kit/command.ts';
import { createPrintGithub } from '../../findings/github.ts';
import { printGitlab } from '../../findings/gitlab.ts';
import { printHuman } from '../../findings/human.ts';
import { printJson } from '../../findings/json.ts';
import { printMarkdown } from '../../findings/markdown.ts';
import { printSarif } from '../../findings/sarif.ts';

export const printersOf = (env: CommandDeps['env']) => ({
  human: printHuman,
  github: createPrintGithub({
    isChanged: isChangedSince(env['GITHUB_BASE_REF']),
    summaryFile: env['GITHUB_STEP_SUMMARY'],
  }),
  gitlab: printGitlab,
  sarif: printSarif,
  json: printJson,
  markdown: printMarkdown,
});

/** Returns whether the pull request changes a file; git is asked when the first file is. */
function isChangedSince(base: string | undefined): (file: string) => boolean {
  let changed: ReadonlySet<string> | undefined;
  return (file) => (changed ??= changedFiles(base)).has(file);
}

/** Returns the files that the pull request changes, relative to the working directory; none if git cannot determine them. */
function changedFiles(base: string | undefined): ReadonlySet<string> {
  if (base === undefined || !/^[\w./-]+$/.test(base)) return new Set();
  try {
    const args = ['diff', '--name-only', '--relative', '-z', '--merge-base', `origin/${base}`, '--'];
    const out = execFileSync('git', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    return new Set(out.split('\0').filter((name) => name !== ''));
  } catch {
    return new Set();
  }
}
