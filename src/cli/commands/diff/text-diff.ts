// A unified diff of two strings: git's own, on temporary files.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Git } from './git.ts';

const MAX_LINES = 300;

/** The lines of the hunks, without the file headers; empty if the strings are equal. */
export async function diffTexts(git: Git, before: string, after: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-diff-'));
  try {
    const paths = [join(folder, 'before'), join(folder, 'after')];
    for (const [index, text] of [before, after].entries()) await writeFile(paths[index] ?? '', text);
    const { out } = await git(['diff', '--no-index', ...PLAIN, '--', ...paths]);
    const lines = out.toString('utf8').trimEnd().split('\n');
    const hunks = lines.slice(lines.findIndex((line) => line.startsWith('@@'))).map(withoutContext);
    const left = hunks.length - MAX_LINES;
    return left > 0 ? [...hunks.slice(0, MAX_LINES), `… ${left} more lines`] : hunks;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Independent of the user's git configuration. */
const PLAIN = [
  '--no-color', '--no-ext-diff', '--no-textconv', '--unified=3', '--inter-hunk-context=0', '--diff-algorithm=histogram',
  '--no-indent-heuristic', '--text', '--src-prefix=a/', '--dst-prefix=b/',
] as const; // prettier-ignore

/** After the line numbers, git repeats a line that it considers a heading; removes it. */
function withoutContext(line: string): string {
  return /^@@ [^@]* @@/.exec(line)?.[0] ?? line;
}
