// Golden cases of commands: a folder `test/golden/commands/<kind>/<case>` has `commands.txt`, one command per line, the `files` that
// they find, committed on `main`, and what is `changed` after that (an empty file is removed). `expected.txt` has what they print and write.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository, type Repository } from './support/git-repository.ts';

const FOLDER = join(import.meta.dirname, 'golden/commands');
const KINDS = ['convert', 'cost', 'diff', 'exposure', 'format', 'impact', 'import', 'lint'];
const NEVER_SHOWN = /^(?:\.git|\.millrace)\//;
const ID = /\b[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g;

type Files = Readonly<Record<string, string>>;

function filesIn(folder: string): Files {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return Object.fromEntries(
    paths.toSorted().map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  );
}

const titled = (title: string, text: string): string => (text === '' ? '' : `--- ${title}\n${text}`);

/** Replaces what differs between runs: the folder, times, and identifiers that are generated. */
function steady(text: string, folder: string, given: ReadonlySet<string>): string {
  return text
    .replaceAll(folder, '<folder>')
    .replaceAll(/( in | passed +)\d+(?:\.\d+)? m?s$/gm, '$1n ms')
    .replaceAll(ID, (id) => (given.has(id) ? id : '<generated id>'));
}

/** Runs a command, and shows its exit code, its output and the files that it writes. */
async function shown({ cwd, millrace }: Repository, line: string): Promise<string> {
  const before = filesIn(cwd);
  const { code, out, err } = await millrace(...line.split(' ').slice(1));
  const written = Object.entries(filesIn(cwd)).filter(
    ([path, text]) => before[path] !== text && !NEVER_SHOWN.test(path),
  );
  const parts = [
    titled('stdout', out),
    titled('stderr', err),
    ...written.map(([path, text]) => titled(path, text)),
  ];
  return `$ ${line}\nexit ${code}\n${parts.join('')}\n`;
}

describe.each(KINDS)('%s', (kind) => {
  test.each(readdirSync(join(FOLDER, kind)))('%s', async (name) => {
    const folder = join(FOLDER, kind, name);
    const [files, changed] = [filesIn(join(folder, 'files')), filesIn(join(folder, 'changed'))];
    const place = repository(files);
    for (const [path, text] of Object.entries(changed)) {
      if (text === '') rmSync(join(place.cwd, path));
      else place.write(path, text);
    }
    const lines = readFileSync(join(folder, 'commands.txt'), 'utf8').trim().split('\n');
    let all = '';
    for (const line of lines) all += await shown(place, line);
    const given = new Set([...Object.values(files), ...Object.values(changed)].join('\n').match(ID));
    await expect(steady(all, place.cwd, given)).toMatchFileSnapshot(join(folder, 'expected.txt'));
  });
});

test('every folder is a kind that is run', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(KINDS);
});
