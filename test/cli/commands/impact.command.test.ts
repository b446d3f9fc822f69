// `millrace impact` as a user runs it, and its section in `millrace diff`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, type Finished } from '../../support/command.ts';
import { repository, type Repository } from '../../support/git-repository.ts';

const GOLDEN = join(import.meta.dirname, '../../golden/impact');

const FILES = {
  'seeds/1.sql': `CREATE DATABASE IF NOT EXISTS shop;
CREATE TABLE shop.orders (tenant String, id UInt64, at DateTime, total Decimal(10, 2), status String) ENGINE = MergeTree ORDER BY at;
`,
  'endpoints/sales.yaml': `id: 00000000-0000-4000-8000-000000000001
name: shop.sales
query: |
  WITH orders AS (SELECT id, at, total, status FROM shop.orders WHERE tenant = @tenant)
  SELECT toDate(at) AS day, sum(total) AS revenue FROM orders GROUP BY day
parameters: { tenant: { type: String, required: true } }
sandbox: { enabled: true }
`,
  'consumers/weekly.sql': `-- owner: growth
SELECT status, count() AS n
FROM orders
GROUP BY status
`,
  'consumers/finance/board.sql': `-- dialect: postgresql
-- endpoint: shop.sales
-- owner: finance | @board
SELECT date_trunc('month', s.day), sum(s.revenue)
FROM "shop.sales" AS s
GROUP BY 1
`,
  'consumers/others.jsonl': `{"name": "ids", "text": "SELECT id FROM orders", "owner": "ops"}
{"name": "slow", "lql": "s:status", "endpoint": "shop.sales"}
{"name": "broken", "sql": "SELECT FROM", "endpoint": "shop.sales"}
`,
} as const;

const CHANGED = FILES['endpoints/sales.yaml']
  .replace('status FROM', 'status AS state FROM')
  .replace('AS revenue', 'AS income');

function changed(): Repository {
  const shop = repository(FILES);
  shop.write('endpoints/sales.yaml', CHANGED);
  return shop;
}

describe('output', () => {
  test('Markdown, JSON and annotations', async () => {
    const { cwd, millrace } = changed();
    const markdown = await millrace('impact', 'main', '--format', 'markdown', '--write', 'json=impact.json');
    await expect(markdown.out).toMatchFileSnapshot(join(GOLDEN, 'report.md'));
    await expect(readFileSync(join(cwd, 'impact.json'), 'utf8')).toMatchFileSnapshot(
      join(GOLDEN, 'report.json'),
    );
    const summary = join(cwd, 'summary.md');
    const env = { HOME: cwd, GITHUB_STEP_SUMMARY: summary };
    const github = await run(['impact', 'main', '--format', 'github'], { cwd, env });
    await expect(github.out).toMatchFileSnapshot(join(GOLDEN, 'report.github.txt'));
    expect(readFileSync(summary, 'utf8')).toBe(markdown.out);
  });
});

describe.concurrent('queries', () => {
  const summary = ({ code, out, err }: Finished) => [code, out.split('\n')[0], err];

  test('from other files, with an endpoint and a dialect for those that name none', async () => {
    const { write, millrace } = changed();
    write(
      'calls.jsonl',
      '{"sql": "SELECT id FROM orders", "endpoint": "shop.sales"}\n{"sql": "SELECT status FROM orders"}\n',
    );
    write('reports/a.sql', 'SELECT o.status::text FROM public.orders AS o LIMIT 1');
    const args = ['--calls', 'calls.jsonl', '--consumers', 'reports', '--endpoint', 'shop.sales'];
    expect(summary(await millrace('impact', ...args, '--dialect', 'postgresql'))).toEqual([
      1,
      '3 consumer queries: 2 break, 1 unaffected (HEAD → the work tree)',
      '',
    ]);
  });

  test('none, without a dialect, and in an unknown one', async () => {
    const { git, write, millrace } = changed();
    git('rm', '-rq', 'consumers');
    expect(summary(await millrace('impact'))).toEqual([
      2,
      '',
      expect.stringContaining('There is no folder consumers'),
    ]);
    write('consumers/a.sql', "SELECT o.status -> 'a' FROM public.orders AS o");
    expect(summary(await millrace('impact'))[1]).toContain('1 breaks');
    const { code, out } = await millrace('impact', '--dialect', 'oracle');
    expect([code, out]).toEqual([0, expect.stringMatching(/1 unknown.*[^]*dialect oracle/)]);
  });

  test('no tables are known: nothing can be read', async () => {
    const { git, millrace } = changed();
    git('rm', '-rq', 'seeds');
    git('commit', '--quiet', '--message', 'without tables');
    expect(summary(await millrace('impact', 'HEAD', '--endpoint', 'shop.sales'))).toEqual([
      2,
      '',
      expect.stringMatching(/^millrace: .*no tables are known.*name a folder or dump with --schema\n$/),
    ]);
  });

  test('a header that names another endpoint keeps a query out of a conformance run', async () => {
    const { write, millrace } = repository(FILES);
    write('queries/a.sql', '-- endpoint: elsewhere\nSELECT missing FROM orders');
    write('queries/b.sql', 'SELECT id FROM orders');
    const args = ['queries', '--endpoint', 'shop.sales', '--param', 'tenant=a'];
    expect((await millrace('conformance', ...args)).out).toContain(
      '1 query against shop.sales: 1 passed, 0 failed',
    );
  });
});
