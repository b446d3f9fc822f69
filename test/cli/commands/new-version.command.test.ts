// `millrace new --new-version`: the next version of an endpoint is valid, is compared with the one before, and changes nothing for callers yet.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { run, scratch } from '../../support/command.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const FILE = `# Reports of a shop.
id: ${ID}
name: report
query: |
  SELECT 1 AS a -- as ever
allow: { column.removed: it was unused }
`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, 'endpoints', name), text);
  return cwd;
}

const read = (cwd: string, name: string): string => readFileSync(join(cwd, 'endpoints', name), 'utf8');

test('the first file gets a number and stays the default; versions follow', async () => {
  const cwd = folderWith({ 'report.yaml': FILE });
  expect((await run(['new', 'report', '--new-version'], { cwd })).code).toBe(0);
  expect((await run(['new', 'report', '--new-version'], { cwd })).code).toBe(0);
  expect(readdirSync(join(cwd, 'endpoints')).toSorted()).toEqual([
    'report.v2.yaml',
    'report.v3.yaml',
    'report.yaml',
  ]);
  expect(parse(read(cwd, 'report.yaml'))).toMatchObject({ id: ID, version: 1, default: true });
  const text = read(cwd, 'report.v3.yaml');
  expect(parse(text)).toMatchObject({ name: 'report', version: 3, rollout: { shadow: '5%' } });
  expect(Object.keys(parse(text) as object)).not.toContain('default');
  expect(Object.keys(parse(text) as object)).not.toContain('allow');
  expect(text).toContain('-- as ever');
  expect(text).not.toContain(ID);
  const checked = await run(['validate', 'endpoints', '--no-engine'], { cwd });
  expect([checked.code, `${checked.out}${checked.err}`]).toEqual([0, expect.stringMatching(/\b0 errors/)]);
});

test.each([
  { why: 'an unknown name', args: ['reprot', '--new-version'], code: 2, says: 'Did you mean report?' },
  { why: 'a query', args: ['report', '--new-version', '--from-sql', 'a.sql'], code: 2, says: '--from-sql' },
])('rejected: $why', async ({ args, code, says }) => {
  const cwd = folderWith({ 'report.yaml': FILE });
  const result = await run(['new', ...args], { cwd });
  expect(result.code).toBe(code);
  expect(result.err).toContain(says);
  expect(read(cwd, 'report.yaml')).toBe(FILE);
});
