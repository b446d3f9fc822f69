// The formats of `millrace validate`.
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

/** Whether the pull request changes a file; asks git for the first file. */
function isChangedSince(base: string | undefined): (file: string) => boolean {
  let changed: ReadonlySet<string> | undefined;
  return (file) => (changed ??= changedFiles(base)).has(file);
}

/** Files that the pull request changes, relative to the working directory; empty if git cannot determine them. */
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
