// `millrace import` as a command: what it writes is valid for the tables, apart from what it reports.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/import');

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly {
    readonly kind: string;
    readonly status: string;
    readonly file: string | null;
    readonly endpoint: string | null;
    readonly relation: string | null;
    readonly rows: number | null;
    readonly notes: readonly { readonly severity: string }[];
  }[];
}

const reportIn = (cwd: string): Report =>
  JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report; // as printJson writes it

test('exports of all tools at once: what is reported, is what validation finds', async () => {
  const cwd = scratch();
  cpSync(join(FIXTURES, 'schema'), join(cwd, 'schema'), { recursive: true });
  const writes = ['--write', 'json=report.json', '--write', 'markdown=report.md'];
  const imported = await run(['import', FIXTURES, '--database', 'public', ...writes], { cwd });
  expect([imported.code, imported.err]).toEqual([1, '']);
  expect(readFileSync(join(cwd, 'report.md'), 'utf8')).toMatch(/^# Import of /);
  const { counts, items } = reportIn(cwd);
  const { items: all, ...statuses } = counts;
  expect(Object.values(statuses).reduce((sum, each) => sum + each, 0)).toBe(all);
  expect(items).toHaveLength(all ?? 0);
  expect(statuses).toEqual({ converted: 19, partly: 4, not: 5, none: 1 });

  const validated = await run(['validate', '--format', 'json'], { cwd });
  const { findings } = JSON.parse(validated.out) as {
    readonly findings: readonly { readonly file: string; readonly severity: string }[];
  };
  const failed = new Set(findings.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  const incomplete = items
    .filter(({ notes }) => notes.some(({ severity }) => severity === 'not_converted'))
    .flatMap(({ file }) => file ?? []);
  expect([...failed].toSorted()).toEqual(incomplete.toSorted());
});

test('usage errors exit 2', async () => {
  const cwd = scratch();
  for (const args of [
    ['nothing'],
    [FIXTURES, '--from', 'excel'],
    [FIXTURES, '--database', 'a; b'],
    [FIXTURES, '--write', 'pdf=x'],
  ])
    expect([args, (await run(['import', ...args], { cwd })).code]).toEqual([args, 2]);
});
