// Global setup: builds the commands and the page under test, unless they are built from the same files already.
// Types are checked separately (`npm run check -- types`).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';

const ROOT = join(import.meta.dirname, '../..');
/** Whatever the output depends on; the lock file stands for the compilers and the libraries. */
const INPUTS = ['src', 'explorer', 'tsconfig.json', 'build.config.ts', 'package.json', 'package-lock.json'];
const OUTPUT = 'dist';
/** The hashes of inputs and output after the last build; outside of `dist`, which is published. */
const RECORD = join(ROOT, 'node_modules/.cache/millrace-test-build');

/** Also before each rerun of `--watch`. */
export function setup(project: TestProject): void {
  project.onTestsRerun(buildIfChanged);
  buildIfChanged();
}

function buildIfChanged(): void {
  if (recorded() === state()) return;
  const { error } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' });
  if (error !== undefined) throw error;
  mkdirSync(dirname(RECORD), { recursive: true });
  writeFileSync(RECORD, state());
}

function recorded(): string | undefined {
  try {
    return readFileSync(RECORD, 'utf8');
  } catch {
    return undefined; // never built by the tests
  }
}

/** Changes with the name or the content of any file, so that neither a checkout nor a hand in `dist` goes unnoticed. */
function state(): string {
  const hash = createHash('sha256');
  for (const path of [...INPUTS, OUTPUT].flatMap(filesOf))
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  return hash.digest('hex');
}

/** Paths relative to the root, in a fixed order; none for a folder that does not exist. */
function filesOf(path: string): readonly string[] {
  try {
    const entries = readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)).toSorted();
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOTDIR') return [path];
    if (code === 'ENOENT') return [];
    throw cause;
  }
}
