// `millrace import` as a command: what it writes is valid for the tables, apart from what it reports.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scratch } from '../support/command.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/import');

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly queries: readonly {
    readonly status: string;
    readonly file: string | null;
    readonly notes: readonly { readonly severity: string }[];
  }[];
}

test('exports of all tools at once: reports, exit codes, and files that pass validation', async () => {
  const cwd = scratch();
  cpSync(join(FIXTURES, 'schema'), join(cwd, 'schema'), { recursive: true });
  const writes = ['--write', 'json=report.json', '--write', 'markdown=report.md'];
  const imported = await run(['import', FIXTURES, '--database', 'public', ...writes], { cwd });
  expect([imported.code, imported.err]).toEqual([1, '']);
  expect(imported.out).toMatch(/23 queries: 14 converted, 4 partly, 5 not converted\n$/);
  expect(readFileSync(join(cwd, 'report.md'), 'utf8')).toMatch(/^# Import of /);
  const { counts, queries } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as Report; // as printJson writes it
  expect(counts).toEqual({ queries: 23, converted: 14, partly: 4, not: 5 });

  const incomplete = queries.filter(({ notes }) =>
    notes.some(({ severity }) => severity === 'not_converted'),
  );
  const validated = await run(['validate', '--format', 'json', '--schema-database', 'public'], { cwd });
  const { findings } = JSON.parse(validated.out) as {
    readonly findings: readonly { readonly file: string; readonly severity: string }[];
  };
  const failed = new Set(findings.filter(({ severity }) => severity === 'error').map(({ file }) => file));
  expect([...failed].toSorted()).toEqual(incomplete.flatMap(({ file }) => file ?? []).toSorted());
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
