// `millrace import` as a command: what it writes is valid for the tables, apart from what it reports.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  expect(statuses).toEqual({ converted: 18, partly: 4, not: 5, none: 1 });

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

test('a project that is converted is valid at once, and its own examples pass', async () => {
  const cwd = scratch();
  const project = join(cwd, 'Web shop/tinybird');
  const write = (path: string, text: string): void => {
    mkdirSync(join(project, path, '..'), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  write(
    'datasources/visits.datasource',
    'SCHEMA >\n  `at` DateTime `json:$.at`,\n  `page` String `json:$.data.page`\n\nENGINE MergeTree\nENGINE_SORTING_KEY at\n',
  );
  write(
    'datasources/days.datasource',
    'SCHEMA >\n  `day` Date,\n  `n` AggregateFunction(count)\n\nENGINE AggregatingMergeTree\nENGINE_SORTING_KEY day\n',
  );
  write(
    'fixtures/visits.ndjson',
    '{"at":"2024-01-01 10:00:00","data":{"page":"/a"}}\n{"at":"2024-01-02 10:00:00","data":{"page":"/b"},"more":1}\n',
  );
  write(
    'materializations/per_day.pipe',
    'NODE by_day\nSQL >\n  SELECT toDate(at) AS day, countState() AS n FROM clean GROUP BY day\nTYPE materialized\nDATASOURCE days\n',
  );
  write(
    'pipes/clean.pipe',
    "NODE endpoint\nSQL >\n  SELECT at, page FROM visits WHERE page != ''\nTYPE endpoint\n",
  );
  write(
    'endpoints/pages.pipe',
    'NODE found\nSQL >\n  %\n  SELECT page FROM clean WHERE page = {{String(page)}}\nNODE endpoint\nSQL >\n  SELECT page, count() AS n FROM found GROUP BY page\nTYPE endpoint\n',
  );
  write(
    'endpoints/totals.pipe',
    'NODE endpoint\nSQL >\n  SELECT day, countMerge(n) AS n FROM days GROUP BY day ORDER BY day\nTYPE endpoint\n',
  );
  write(
    'tests/pages.yaml',
    '- name: one page\n  parameters: page=/a\n  expected_result: |\n    {"page":"/a","n":1}\n- name: no page\n  parameters: ""\n  expected_result: page is required\n  expected_http_status: 400\n',
  );
  write(
    'tests/totals.yaml',
    '- name: all days\n  parameters: ""\n  expected_result: |\n    {"day":"2024-01-01","n":1}\n    {"day":"2024-01-02","n":1}\n',
  );

  const args = ['import', project, '--write', 'json=report.json'];
  const imported = await run(args, { cwd });
  expect([imported.code, imported.err]).toEqual([0, '']);
  const { counts, items } = reportIn(cwd);
  expect(counts).toEqual({ items: 7, converted: 7, partly: 0, not: 0, none: 0 });
  expect(items.flatMap(({ relation }) => relation ?? []).toSorted()).toEqual([
    'web_shop.days',
    'web_shop.per_day',
    'web_shop.visits',
  ]);
  expect(items.flatMap(({ rows }) => rows ?? [])).toEqual([1, 2, 2]);
  // No setting has to say where the tables are.
  expect(readdirSync(cwd).toSorted()).toEqual(['Web shop', 'endpoints', 'report.json', 'schema']);
  expect(readFileSync(join(cwd, 'schema/web_shop/visits.sql'), 'utf8')).toContain('TABLE web_shop.visits');
  for (const [file, table] of [
    ['clean', 'visits'],
    ['totals', 'days'],
  ])
    expect(readFileSync(join(cwd, `endpoints/${file}.yaml`), 'utf8')).toContain(`FROM web_shop.${table}`);
  expect((await run(['validate'], { cwd })).code).toBe(0);
  expect((await run(['test'], { cwd })).code).toBe(0);

  const again = await run(args, { cwd });
  expect([again.code, again.err]).toEqual([0, expect.stringContaining('already exists and is kept')]);
  expect((await run(['validate'], { cwd })).code).toBe(0);
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
