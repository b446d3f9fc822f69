// `millrace validate --changed` checks what a commit touches and what depends on it, and nothing else.
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const endpoint = (n: number, rest = 'query: SELECT 1 AS one\n', name = `e${n}`): string =>
  `id: ${uuid(n)}\nname: ${name}\ndescription: One.\n${rest}`;
const including = (part: string): string =>
  `include: [{ from: ${part}, tables: [${part === 'outer' ? 'u' : 't'}] }]\nquery: SELECT 1 AS n\n`;
/** A wrong key, so that a file has a finding if it is checked. */
const WRONG = 'quary: SELECT 1\n';

const FILES: Readonly<Record<string, string>> = {
  'e1.yaml': endpoint(1),
  'e2.yaml': endpoint(2, WRONG), // broken before
  'e3.yaml': endpoint(3, including('part')),
  'e4.yaml': endpoint(4, including('outer')),
  'e5.yaml': endpoint(5, including('broken')),
  'part.shared.yaml': 'tables: { t: SELECT 1 AS n }\n',
  'outer.shared.yaml': 'include: [{ from: part, tables: [t] }]\ntables: { u: SELECT n FROM t }\n',
  'broken.shared.yaml': 'tabels: { t: SELECT 1 AS n }\n',
};

const ROWS: readonly (readonly [why: string, change: Readonly<Record<string, string>>, found: readonly string[]])[] = [
  ['nothing', {}, []],
  ['a file', { 'endpoints/e1.yaml': endpoint(1, WRONG) }, ['e1.yaml']],
  ['a file without mistakes', { 'endpoints/e1.yaml': endpoint(1, 'query: SELECT 2 AS one\n') }, []],
  ['a new file', { 'endpoints/e9.yaml': endpoint(9, WRONG) }, ['e9.yaml']],
  ['a file of another folder', { 'src/e1.yaml': '', 'README.md': '' }, []],
  ['a part, for those that include it', { 'endpoints/part.shared.yaml': 'tables: { v: SELECT 1 AS n }\n' }, ['e3.yaml', 'outer.shared.yaml']],
  ['a part that is gone', { 'endpoints/part.shared.yaml': '' }, ['e3.yaml', 'outer.shared.yaml']],
  ['a file that includes a broken part', { 'endpoints/e5.yaml': `${endpoint(5, including('broken'))}max_rows: 2\n` }, ['broken.shared.yaml']],
  ['the name of another file', { 'endpoints/e3.yaml': endpoint(3, undefined, 'e1') }, ['e3.yaml']],
  ['the definitions of the tables', { 'schema/b.sql': 'SELECT 2;\n' }, ['broken.shared.yaml', 'e2.yaml']],
  ['the settings', { 'millrace.yaml': 'port: 8093\n' }, ['broken.shared.yaml', 'e2.yaml']],
]; // prettier-ignore

test.each(ROWS.map(([why, change, found]) => ({ why, change, found })))('$why', async ({ change, found }) => {
  const cwd = scratch();
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd });
  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      await (text === '' && path.endsWith('shared.yaml')
        ? rm(join(cwd, path))
        : writeFile(join(cwd, path), text));
    }
  };
  const check = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { out } = await run(['validate', '--no-engine', '--format', 'json', ...args], { cwd });
    const { findings } = JSON.parse(out) as { findings: readonly { file: string; severity: string }[] }; // our own report
    const errors = findings.filter(({ severity }) => severity === 'error');
    return [...new Set(errors.map(({ file }) => file.replace('endpoints/', '')))].toSorted();
  };
  git('init', '-q');
  await write(Object.fromEntries(Object.entries(FILES).map(([name, text]) => [`endpoints/${name}`, text])));
  await write({ 'schema/a.sql': 'SELECT 1;\n' });
  if (found[0] === 'e1.yaml') expect(await check('--changed')).toEqual(await check()); // there is no commit yet
  git('add', '-A');
  git('commit', '-qm', 'one');
  await write(change);
  expect(await check('--changed')).toEqual(found);
  git('add', '-A');
  git('commit', '-qm', 'two', '--allow-empty');
  expect(await check('--changed')).toEqual([]);
  expect(await check('--changed', 'HEAD~1')).toEqual(found);
});
