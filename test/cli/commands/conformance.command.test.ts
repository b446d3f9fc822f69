// `millrace conformance`: its files, its reports and its exit codes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAsk } from '../../../src/cli/commands/conformance/ask.ts';
import { outcomeOf, type Answered } from '../../../src/cli/commands/conformance/outcome.ts';
import { printMarkdown } from '../../../src/cli/commands/conformance/print.ts';
import { readQueries, type ConsumerQuery, type Expected } from '../../../src/cli/kit/consumer-queries.ts';
import { reportOf } from '../../../src/cli/commands/conformance/report.ts';
import { createTerminal } from '../../../src/cli/kit/terminal.ts';
import { run, scratch } from '../../support/command.ts';

function folder(files: Readonly<Record<string, string>>): string {
  const path = scratch();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

const ENDPOINT = `id: 00000000-0000-4000-8000-000000000001
name: numbers
description: Numbers.
query: |
  WITH t AS (SELECT number AS n, 'row' AS event_message FROM numbers(@below)) SELECT n FROM t
parameters: { below: { type: UInt32, required: true } }
sandbox: { enabled: true }
`;

describe('the command', () => {
  const cwd = folder({
    'endpoints/numbers.yaml': ENDPOINT,
    'queries/a/good.sql': 'select n from t order by n;\n',
    'queries/b.txt': 'select\n  missing\nfrom t',
    'queries/c.lql': 's:n',
    'queries/d.jsonl':
      '{"name": "two rows", "sql": "select n from t", "parameters": {"below": 2}, "expect": {"rows": 2, "result": [{"n": 0}, {"n": 1}]}}\n\n{"name": "as expected", "sql": "select", "expect": {"status": 400, "code": "sandbox.syntax_unsupported"}}\n{"name": "other rows", "lql": "s:n", "expect": {"rows": 7}}\n',
    'queries/e.md': 'not a query',
    'queries/.hidden.sql': 'select',
    'queries/empty.sql': ' \n',
  });
  const args = ['conformance', 'queries', '--endpoint', 'numbers', '--param', 'below=3'];

  test('reports counts and failures, writes JSON, and exits 1', async () => {
    const { code, out } = await run([...args, '--json', 'report.json'], { cwd });
    expect([code, out.split('\n').slice(0, 4)]).toEqual([
      1,
      [
        '6 queries against numbers: 4 passed, 2 failed',
        '       4  200',
        '       1  400 sandbox.syntax_unsupported',
        '       1  422 query.failed',
      ],
    ]);
    expect(out).toContain('FAILED queries/b.txt\n    422 query.failed: ');
    expect(out).toContain('(line 2, column 3)\n      missing\n      ^\n');
    expect(out).toContain(
      'FAILED other rows (queries/d.jsonl:4)\n    200: expected 7 rows, got 3\n    s:n\n',
    );
    const report: unknown = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'));
    expect(report).toMatchObject({
      endpoint: 'numbers',
      queries: 6,
      passed: 4,
      failed: 2,
      failures: [
        { name: 'queries/b.txt', status: 422, code: 'query.failed', line: 2, column: 3, language: 'sql' },
        { name: 'other rows', source: 'queries/d.jsonl:4', status: 200, language: 'lql' },
      ],
    });
  });

  test('names the parameters of the endpoint that are missing or wrong', async () => {
    const { out } = await run(['conformance', 'queries/a', '--endpoint', 'numbers'], { cwd });
    expect(out).toContain('400 request.parameters_invalid: below is required');
  });

  test('failures up to --allow exit 0', async () => {
    const { code, out } = await run([...args, '--allow', '2', '--format', 'json'], { cwd });
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ failed: 2 })]);
  });

  test('an unknown endpoint is one line, not a failure of each query', async () => {
    const { code, out, err } = await run(['conformance', 'queries', '--endpoint', 'number'], { cwd });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/No query was run: .*did you mean "numbers"\? \(route\.endpoint_unknown\)/);
  });

  test.each([
    { why: 'no endpoint', args: ['queries'], says: /required option '--endpoint <name>'/ },
    { why: 'a missing folder', args: ['nowhere', '--endpoint', 'x'], says: /nowhere does not exist/ },
    { why: 'no queries', args: ['endpoints', '--endpoint', 'x'], says: /No queries in endpoints/ },
    {
      why: 'another kind of file',
      args: ['queries/e.md', '--endpoint', 'x'],
      says: /e\.md: expected \*\.sql/,
    },
    { why: 'a key without --url', args: ['queries', '--endpoint', 'x', '--key', 'k'], says: /add --url/ },
    {
      why: 'an invalid address',
      args: ['queries', '--endpoint', 'x', '--url', 'ftp://x'],
      says: /Invalid --url/,
    },
    {
      why: 'an invalid number',
      args: ['queries', '--endpoint', 'x', '--at-once', '65'],
      says: /from 1 to 64/,
    },
    {
      why: 'an invalid pair',
      args: ['queries', '--endpoint', 'x', '--param', 'n'],
      says: /Invalid pair "n"/,
    },
  ])('$why exits 2 with a helpful line', async ({ args: given, says }) => {
    const { code, out, err } = await run(['conformance', ...given], { cwd });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });
});

test.each([
  ['{', /x\.jsonl:1: invalid JSON/],
  ['[]', /x\.jsonl:1: expected a JSON object/],
  ['{"sql": "a", "lql": "b"}', /expected either "sql", "lql" or "text"/],
  ['{"name": "a"}', /expected either "sql", "lql" or "text"/],
  ['{"sql": "a", "expected": {}}', /unknown member "expected"/],
  ['{"sql": "a", "expect": {"row": 1}}', /expected "expect" to have/],
  ['{"sql": "a", "expect": {"rows": "1"}}', /expected "expect" to have/],
  ['{"sql": "a", "parameters": 1}', /"parameters": expected a JSON object/],
])('the line %s is rejected', async (line, says) => {
  await expect(readQueries([join(folder({ 'x.jsonl': line }), 'x.jsonl')])).rejects.toThrow(says);
});

const QUERY: ConsumerQuery = {
  name: 'a *name*',
  source: 'q.sql',
  language: 'sql',
  text: 'select ```',
  dialect: undefined,
  endpoint: undefined,
  owner: undefined,
  parameters: {},
  expected: undefined,
};
const OK: Answered = {
  status: 200,
  code: undefined,
  message: undefined,
  location: undefined,
  hint: undefined,
  dialect: undefined,
  result: [{ n: 1 }],
};

test.each<{ expected?: Expected; answered?: Partial<Answered>; failure: string | undefined }>([
  { failure: undefined },
  { answered: { status: 500, message: 'failed' }, failure: 'failed' },
  { expected: { rows: 1, result: [{ n: 1 }] }, failure: undefined },
  { expected: { result: [{ n: 2 }] }, failure: 'expected [{"n":2}], got [{"n":1}]' },
  { expected: { status: 400 }, failure: 'expected 400, got 200' },
  {
    expected: { code: 'a.b' },
    answered: { status: 400, code: 'a.b', result: undefined },
    failure: undefined,
  },
  { expected: { code: 'a.b' }, answered: { status: 400, code: 'a.c' }, failure: 'expected a.b, got a.c' },
])('$expected and $answered: $failure', ({ expected, answered, failure }) => {
  expect(outcomeOf({ ...QUERY, expected }, { ...OK, ...answered }).failure).toBe(failure);
});

test('a Markdown report cannot be broken by its queries', () => {
  let page = '';
  const out = { write: (text: string) => (page += text) !== '', isTTY: false };
  const failed = outcomeOf(QUERY, {
    ...OK,
    status: 422,
    code: 'query.failed',
    message: 'no <b>',
    result: undefined,
  });
  printMarkdown(reportOf('logs', [failed]), createTerminal(out, out, {}));
  expect(page).toContain(String.raw`## a \*name\*`);
  expect(page).toContain(String.raw`422 query.failed: no \<b\>`);
  expect(page).toContain('````sql\nselect ```\n````');
});

describe('a service', () => {
  const answers = async (
    respond: (count: number) => { status: number; headers?: Record<string, string>; body: string },
  ): Promise<{ readonly answered: Answered; readonly calls: number }> => {
    let calls = 0;
    const server = createServer((_request, response) => {
      const { status, headers = {}, body } = respond(++calls);
      response.writeHead(status, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = createAsk({
      url: `http://127.0.0.1:${port}`,
      key: 'k',
      endpoint: 'logs',
      parameters: {},
      dialect: undefined,
      timeoutMs: 60_000,
    });
    const answered = await ask(QUERY);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    return { answered, calls };
  };

  test('that asks to wait is asked again', async () => {
    const { answered, calls } = await answers((count) =>
      count === 1
        ? { status: 429, headers: { 'Retry-After': '1' }, body: '{"code":"rate.exceeded"}' }
        : { status: 200, body: '{"result":[{"n":1}]}' },
    );
    expect([answered.status, calls]).toEqual([200, 2]);
  });

  test('that redirects or responds with something else is not a success', async () => {
    const other = await answers(() => ({ status: 200, body: '<html>' }));
    expect(other.answered).toMatchObject({ status: 200, code: 'invalid_response' });
    expect(outcomeOf(QUERY, other.answered).failure).toBeDefined();
    const redirect = await answers(() => ({
      status: 302,
      headers: { Location: 'http://127.0.0.1:1/' },
      body: '',
    }));
    expect([redirect.answered.status, redirect.answered.code]).toEqual([0, 'unreachable']);
  });
});
