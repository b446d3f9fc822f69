// What CI services get: the composite action's scripts in a monorepo, its comment, and the reports for GitLab and GitHub.
import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run, scratch } from '../../support/command.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ACTION = join(ROOT, 'deploy/github-action');

const TABLES =
  'CREATE DATABASE app; CREATE TABLE app.t (n UInt32, s String) ENGINE = MergeTree ORDER BY n;\n';
const GOOD = `id: 00000000-0000-4000-8000-000000000001
name: good
description: Rows of a table.
query: SELECT n, s FROM app.t WHERE n < @below
parameters: { below: { type: UInt32, default: 10 } }
max_rows: 100
examples:
  - { name: none, expect: { rows: 0 } }
`;

interface Finished {
  readonly code: number | null;
  readonly out: string;
}

function execute(
  [program = '', ...args]: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Finished> {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })));
}

/** A repository with the endpoints in services/api, and a branch that breaks one file and adds another. */
function monorepo(): { readonly api: string } {
  const root = scratch();
  const api = join(root, 'services', 'api');
  for (const folder of ['endpoints', 'seeds', 'node_modules/.bin'])
    mkdirSync(join(api, folder), { recursive: true });
  symlinkSync(join(ROOT, 'bin/millrace.cjs'), join(api, 'node_modules/.bin/millrace'));
  writeFileSync(join(api, 'package.json'), '{ "private": true }\n');
  writeFileSync(join(api, 'seeds/tables.sql'), TABLES);
  writeFileSync(join(api, 'endpoints/good.yaml'), GOOD);
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], { cwd: root });
  writeFileSync(join(root, '.gitignore'), 'node_modules\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'base');
  git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  writeFileSync(
    join(api, 'endpoints/good.yaml'),
    GOOD.replace('max_rows: 100', 'max_rows: 50').replace('rows: 0', 'rows: 1'),
  );
  writeFileSync(
    join(api, 'endpoints/wrong.yaml'),
    GOOD.replace('000001', '000002').replace('name: good', 'name: wrong').replace('SELECT n,', 'SELECT m,'),
  );
  git('add', '.');
  git('commit', '-qm', 'change');
  return { api };
}

describe('the action', () => {
  test('reports paths from the root of the repository, writes the reports, and has the highest exit code', async () => {
    const { api } = monorepo();
    const reports = join(scratch(), 'reports');
    const output = join(api, '..', 'output');
    const { code, out } = await execute([join(ACTION, 'check.sh')], {
      cwd: api,
      env: { GITHUB_BASE_REF: 'main', CI_REPORTS: reports, GITHUB_OUTPUT: output },
    });
    expect(code).toBe(0);
    expect(readFileSync(output, 'utf8')).toBe('status=1\n');
    expect(out).toMatch(/^::error file=services\/api\/endpoints\/wrong\.yaml,line=4,col=\d+,title=engine/m);
    expect(out).toMatch(/^::error file=services\/api\/endpoints\/good\.yaml,line=8,[^\n]*::good: none: /m);
    expect(out).toMatch(/^::error file=services\/api\/endpoints\/good\.yaml[^\n]*max_rows\.lowered/m);
    const comment = readFileSync(join(reports, 'comment.md'), 'utf8');
    expect(comment.match(/^### .*/gm)).toEqual([
      '### Contracts: the merge base of origin/main and HEAD → HEAD',
      '### millrace validate',
      '### millrace test',
    ]);
    expect(comment).toContain('`services/api/endpoints/wrong.yaml:4:');
    expect(readFileSync(join(reports, 'millrace.sarif'), 'utf8')).toContain(
      'services/api/endpoints/wrong.yaml',
    );
    expect(readFileSync(join(reports, 'millrace.xml'), 'utf8')).toContain('<testsuites');
  });

  test('runs only what is in its folder, and passes inputs by the environment', () => {
    const action = parse(readFileSync(join(ACTION, 'action.yml'), 'utf8')) as {
      inputs: Record<string, unknown>;
      runs: { using: string; steps: { run?: string; env?: Record<string, string> }[] };
    };
    expect(action.runs.using).toBe('composite');
    for (const { run: script = '' } of action.runs.steps) expect(script).not.toContain('${{'); // it would be executed as code
    const used = JSON.stringify(action.runs).matchAll(/inputs\.([\w-]+)/g);
    expect(new Set([...used].map(([, name]) => name))).toEqual(new Set(Object.keys(action.inputs)));
  });
});

describe('the comment', () => {
  const comments: { id: number; body: string; user: { type: string } }[] = [];
  const requests: string[] = [];
  let status = 200;
  const answer = async (request: IncomingMessage): Promise<unknown> => {
    requests.push(`${request.method} ${request.url}`);
    if (request.method === 'GET') return comments;
    const { body } = (await json(request)) as { body: string };
    const id = Number(/comments\/(\d+)$/.exec(request.url ?? '')?.[1] ?? 0);
    const earlier = comments.find((each) => each.id === id);
    if (earlier === undefined) comments.push({ id: comments.length + 1, body, user: { type: 'Bot' } });
    else earlier.body = body;
    return {};
  };
  const server = createServer((request, response) => {
    void answer(request).then((value) => response.writeHead(status).end(JSON.stringify(value)));
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const write = (text: string): Promise<Finished> => {
    const cwd = scratch();
    writeFileSync(join(cwd, 'comment.md'), text);
    const { port } = server.address() as AddressInfo;
    return execute([process.execPath, join(ACTION, 'comment.mjs')], {
      cwd,
      env: {
        GITHUB_API_URL: `http://127.0.0.1:${port}`,
        GITHUB_REPOSITORY: 'o/r',
        GITHUB_TOKEN: 't',
        PULL_REQUEST: '7',
        FOLDER: 'services/api',
        COMMENT: join(cwd, 'comment.md'),
      },
    });
  };

  test('is created once, then replaced, and never longer than a comment may be', async () => {
    comments.push({ id: 1, body: '<!-- millrace services/api -->\nby a person', user: { type: 'User' } });
    expect(await write('first')).toEqual({ code: 0, out: '' });
    expect(await write('x'.repeat(70_000))).toEqual({ code: 0, out: '' });
    expect(requests).toEqual([
      'GET /repos/o/r/issues/7/comments?per_page=100&page=1',
      'POST /repos/o/r/issues/7/comments',
      'GET /repos/o/r/issues/7/comments?per_page=100&page=1',
      'PATCH /repos/o/r/issues/comments/2',
    ]);
    expect(comments[0]?.body).toContain('by a person');
    expect(comments[1]?.body).toHaveLength(65_536);
    expect(comments[1]?.body).toMatch(/^<!-- millrace services\/api -->\nxxx/);
  });

  test('a token that may not write is a warning', async () => {
    status = 403;
    const { code, out } = await write('first');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^::warning title=millrace::The comment was not written/),
    ]);
  });
});

describe('reports', () => {
  test('gitlab: one entry a finding, with a fingerprint that does not depend on its line', async () => {
    const cwd = scratch();
    mkdirSync(join(cwd, 'endpoints'));
    const file = join(cwd, 'endpoints/one.yaml');
    const report = async (text: string) => {
      writeFileSync(file, text);
      const { out } = await run(['validate', '--no-engine', '--format', 'gitlab'], { cwd });
      return JSON.parse(out) as {
        check_name: string;
        fingerprint: string;
        severity: string;
        location: { path: string; lines: { begin: number } };
      }[];
    };
    const wrong = GOOD.replace('UInt32', 'UInt33');
    const [first] = await report(wrong);
    expect(first).toMatchObject({
      severity: 'major',
      location: { path: 'endpoints/one.yaml', lines: { begin: 5 } },
    });
    const [moved] = await report(`# a comment\n${wrong}`);
    expect(moved).toMatchObject({ fingerprint: first?.fingerprint, location: { lines: { begin: 6 } } });
  });

  test.each([
    {
      args: ['validate', '--write', 'xml=a'],
      says: /Invalid --write "xml=a": use format=file; formats are human,/,
    },
    { args: ['validate', '--write', 'sarif'], says: /Invalid pair "sarif": use name=value/ },
    {
      args: ['validate', '--no-engine', '--write', 'sarif=endpoints/one.yaml/a'],
      says: /Cannot write endpoints\/one.yaml\/a/,
    },
  ])('$args', async ({ args, says }) => {
    const cwd = scratch();
    mkdirSync(join(cwd, 'endpoints'));
    writeFileSync(join(cwd, 'endpoints/one.yaml'), GOOD);
    const { code, err } = await run(args, { cwd });
    expect([code === 0, err]).toEqual([false, expect.stringMatching(says)]);
  });
});
