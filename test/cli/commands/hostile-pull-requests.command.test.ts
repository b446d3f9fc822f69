// Pull requests that try to read, or write to, the machine that checks them: through the commands as CI runs them, with a file, an
// environment variable and a server that nothing may reach.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { some } from '../../support/runs.ts';
import { run, scratch, type Finished } from '../../support/command.ts';

/** What no output may have. */
const SECRET = 'canary5e1f';
/** What an error of the engine would make of it. */
const PARTS = [
  SECRET,
  SECRET.toUpperCase(),
  Buffer.from(SECRET).toString('hex'),
  Buffer.from(SECRET).toString('base64'),
];

let server: Server;
let connections = 0;
let address: string;
beforeAll(async () => {
  server = createServer((_, response) => response.end(`${SECRET}\n`));
  server.on('connection', () => connections++);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
});
afterAll(() => new Promise((closed) => server.close(closed)));

interface PullRequest {
  readonly why: string;
  /** The query of the endpoint; default: one without anything. */
  readonly query?: string;
  readonly schema?: string;
  readonly fixture?: string;
  /** More of the endpoint file. */
  readonly more?: string;
  /** The finding is a warning: what it creates is empty. */
  readonly isReplaced?: true;
  /** The finding of `validate`, or of `test` for fixtures: code, line and column. */
  readonly found: string;
}

/** {FILE} is a file outside of the repository, {OUT} one that does not exist there, {HOST} the server. */
const PULL_REQUESTS: readonly PullRequest[] = [
  {
    why: 'the message of a conversion',
    query: "SELECT toUInt8(file('{FILE}')) AS a",
    found: 'query.reads_outside 3:23',
  },
  { why: 'in quotes', query: `SELECT toUInt8("file"('{FILE}')) AS a`, found: 'query.reads_outside 3:24' },
  {
    why: 'with an escape',
    query: "SELECT toUInt8(`fil\\x65`('{FILE}')) AS a",
    found: 'query.identifier_escaped 3:23',
  },
  {
    why: 'the message of throwIf',
    query: "SELECT throwIf(1, file('{FILE}')) AS a",
    found: 'query.reads_outside 3:26',
  },
  {
    why: 'the name of a column',
    query: "SELECT * FROM format(CSVWithNames, file('{FILE}'))",
    found: 'query.reads_outside 3:43',
  },
  {
    why: 'in place of a lambda',
    query: "SELECT toUInt8(arrayMap(file, ['{FILE}'])[1]) AS a",
    found: 'query.reads_outside 3:32',
  },
  {
    why: 'APPLY',
    query: "SELECT * APPLY(file) APPLY(toUInt8) FROM (SELECT '{FILE}' AS p)",
    found: 'query.reads_outside 3:23',
  },
  {
    why: 'the environment of the parent',
    query: "SELECT toUInt8(file(concat('/proc/', 'self', '/environ'))) AS a",
    found: 'query.reads_outside 3:23',
  },
  {
    why: 'a file as a table',
    query: "SELECT toUInt8(c1) AS a FROM '{FILE}'",
    found: 'query.reads_outside 3:37',
  },
  {
    why: 'a file as a quoted table',
    query: 'SELECT toUInt8(c1) AS a FROM "{FILE}"',
    found: 'query.reads_outside 3:38',
  },
  {
    why: 'the environment as a table',
    query: 'SELECT toUInt8(c1) AS a FROM `/proc/self/environ`',
    found: 'query.reads_outside 3:37',
  },
  { why: 'a list of files', query: "SELECT * FROM filesystem('/tmp')", found: 'query.reads_outside 3:22' },
  {
    why: 'a request',
    query: "SELECT * FROM url('http://{HOST}/', 'CSV', 'a String')",
    found: 'query.reads_outside 3:22',
  },
  {
    why: 'a request to describe',
    query: "SELECT * FROM url('http://{HOST}/')",
    found: 'query.reads_outside 3:22',
  },
  {
    why: 'object storage',
    query: "SELECT * FROM s3('http://{HOST}/bucket/key', NOSIGN, 'CSV', 'a String')",
    found: 'query.reads_outside 3:22',
  },
  {
    why: 'another server',
    query: "SELECT * FROM remote('{HOST}', system.one)",
    found: 'query.reads_outside 3:22',
  },
  {
    why: 'MySQL',
    query: "SELECT * FROM mysql('{HOST}', 'd', 't', 'u', 'p')",
    found: 'query.reads_outside 3:22',
  },
  {
    why: 'a query in a string',
    query:
      "SELECT * FROM eval(concat('SELECT fi', 'le(1)')) SETTINGS allow_experimental_eval_table_function = 1",
    found: 'query.reads_outside 3:22',
  },
  {
    why: 'a schema of a format',
    query: "SELECT * FROM format(Protobuf, 'a String', 'x') SETTINGS format_schema = '{FILE}:M'",
    found: 'query.reads_outside 3:65',
  },
  {
    why: 'a choice of a parameter',
    query: 'SELECT toUInt8(@what) AS a',
    more: `parameters:\n  what: { default: one, choices: { one: "'1'", two: file('{FILE}') } }\n`,
    found: 'query.reads_outside 5:53',
  },
  {
    why: 'a table of the schema',
    schema: "CREATE TABLE t ENGINE = Memory AS SELECT * FROM url('http://{HOST}/')",
    found: 'tables.reads_outside 1:49',
  },
  {
    why: 'a path as a table of the schema',
    schema: 'CREATE TABLE t ENGINE = Memory AS SELECT * FROM `{FILE}`',
    found: 'tables.reads_outside 1:49',
  },
  {
    why: 'a view of the schema',
    schema: "CREATE VIEW v AS SELECT toUInt8(file('{FILE}')) AS a",
    found: 'tables.reads_outside 1:33',
  },
  {
    why: 'a function of the schema',
    schema: "CREATE FUNCTION f AS x -> file('{FILE}')",
    found: 'tables.reads_outside 1:27',
  },
  {
    why: 'a default of the schema',
    isReplaced: true,
    schema: "CREATE TABLE t (a UInt8 DEFAULT toUInt8(file('{FILE}'))) ENGINE = Memory",
    found: 'tables.reads_outside 1:41',
  },
  {
    why: 'a dictionary of a query',
    isReplaced: true,
    schema:
      "CREATE DICTIONARY d (a String, b String) PRIMARY KEY a SOURCE(CLICKHOUSE(QUERY 'SELECT * FROM url(\\'http://{HOST}/\\')')) LAYOUT(COMPLEX_KEY_HASHED())",
    found: 'tables.reads_outside 1:80',
  },
  {
    why: 'a variable as the name of a table',
    schema: 'CREATE TABLE d.${GITHUB_TOKEN} (a UInt8) ENGINE = Memory',
    found: 'tables.missing_variable 1:16',
  },
  {
    why: 'a variable in quotes',
    schema: 'CREATE TABLE d.`x_{{ .GITHUB_TOKEN }}` (a UInt8) ENGINE = Memory',
    found: 'tables.missing_variable 1:19',
  },
  {
    why: 'a variable as a column and in an expression that fails',
    schema: "CREATE TABLE d.t (${GITHUB_TOKEN} UInt8 DEFAULT toUInt8('${GITHUB_TOKEN}')) ENGINE = Memory",
    found: 'tables.missing_variable 1:19',
  },
  {
    why: 'a variable as a string',
    isReplaced: true,
    schema: "CREATE VIEW d.v AS SELECT throwIf(1, '${GITHUB_TOKEN}') AS a",
    query: 'SELECT a FROM d.kept',
    found: 'tables.missing_variable 1:39',
  },
  {
    why: 'a variable as a database',
    schema: 'USE `${MILLRACE_TEST_CANARY}`; CREATE TABLE t (a UInt8) ENGINE = Memory',
    found: 'tables.missing_variable 1:6',
  },
  {
    why: 'a variable as the path of a file',
    schema: 'CREATE FUNCTION f AS x -> ${GITHUB_TOKEN}(x)',
    found: 'tables.missing_variable 1:27',
  },
  {
    why: 'a fixture that writes a file',
    fixture: "INSERT INTO FUNCTION file('{OUT}', 'CSV', 'a String') VALUES ('x')",
    found: 'fixture.reads_outside 1:22',
  },
  {
    why: 'a fixture that appends to a file',
    fixture: "SELECT 1 INTO OUTFILE '{OUT}' APPEND",
    found: 'fixture.reads_outside 1:15',
  },
  {
    why: 'a fixture that writes to a path as a table',
    fixture: 'INSERT INTO `{FILE}` VALUES (1)',
    found: 'fixture.reads_outside 1:13',
  },
  {
    why: 'a fixture that reads a file',
    fixture: "INSERT INTO d.kept VALUES (toUInt8(file('{FILE}')))",
    found: 'fixture.reads_outside 1:36',
  },
  {
    why: 'a fixture from a file',
    fixture: "INSERT INTO d.kept FROM INFILE '{FILE}' FORMAT CSV",
    found: 'fixture.reads_outside 1:25',
  },
  {
    why: 'a fixture behind data',
    fixture: "INSERT INTO d.kept FORMAT TSV '\nSELECT toUInt8(file('{FILE}'))",
    found: 'fixture.reads_outside 2:16',
  },
  {
    why: 'a fixture with a dictionary',
    fixture:
      "CREATE DICTIONARY d.x (a String) PRIMARY KEY a SOURCE(HTTP(URL 'http://{HOST}/' FORMAT CSV)) LAYOUT(COMPLEX_KEY_HASHED()); SELECT * FROM d.x",
    found: 'fixture.reads_outside 1:55',
  },
  {
    why: 'a fixture with an engine',
    fixture: "CREATE TABLE d.x (a String) ENGINE = URL('http://{HOST}/', CSV); INSERT INTO d.x VALUES ('x')",
    found: 'fixture.reads_outside 1:38',
  },
  {
    why: 'a fixture with a template',
    fixture: "SELECT 1 FORMAT Template SETTINGS format_template_resultset = '{FILE}'",
    found: 'fixture.reads_outside 1:35',
  },
];

interface Repository {
  readonly cwd: string;
  readonly outside: string;
}

/** A repository and a folder beside it. */
function createRepository(change: PullRequest): Repository {
  const outside = scratch();
  writeFileSync(join(outside, 'file.csv'), `${SECRET},${SECRET}\n`);
  const cwd = scratch();
  const fill = (text: string): string =>
    text
      .replaceAll('{FILE}', join(outside, 'file.csv'))
      .replaceAll('{OUT}', join(outside, 'out'))
      .replaceAll('{HOST}', address);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), fill(text));
  };
  write('schema/a.sql', 'CREATE DATABASE d; CREATE TABLE d.kept (a UInt8) ENGINE = Memory');
  if (change.schema !== undefined) write('schema/b.sql', change.schema);
  if (change.fixture !== undefined) write('endpoints/fixtures/x.sql', change.fixture);
  const query = change.query ?? 'SELECT a FROM d.kept';
  write(
    'endpoints/a.yaml',
    `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: a\nquery: ${JSON.stringify(query)}\n${change.more ?? ''}examples: [{ name: one }]\n`.replace(
      /^query: .*$/m,
      () =>
        `query: ${query.includes(': ') || query.includes('"') ? `'${query.replaceAll("'", "''")}'` : query}`,
    ),
  );
  return { cwd, outside };
}

const ENV = { MILLRACE_TEST_CANARY: SECRET, GITHUB_TOKEN: SECRET };

/** Fails if a byte of a secret came out, by whatever way. */
function expectNothing({ cwd, outside }: Repository, outputs: readonly Finished[]): void {
  const reports = existsSync(join(cwd, 'reports')) ? readdirSync(join(cwd, 'reports')) : [];
  const texts = [
    ...outputs.flatMap(({ out, err }) => [out, err]),
    ...reports.map((name) => readFileSync(join(cwd, 'reports', name), 'utf8')),
  ];
  for (const text of texts) for (const part of PARTS) expect(text).not.toContain(part);
  expect(readdirSync(outside)).toEqual(['file.csv']);
  expect(readFileSync(join(outside, 'file.csv'), 'utf8')).toBe(`${SECRET},${SECRET}\n`);
  expect(connections).toBe(0);
}

const write = (...formats: readonly string[]): readonly string[] =>
  formats.flatMap((format) => ['--write', `${format}=reports/${format}`]);

const check = async (repository: Repository, args: readonly string[] = []): Promise<readonly Finished[]> => {
  mkdirSync(join(repository.cwd, 'reports'), { recursive: true });
  const options = { cwd: repository.cwd, env: ENV };
  return [
    await run(
      ['validate', ...write('human', 'github', 'gitlab', 'sarif', 'json', 'markdown'), ...args],
      options,
    ),
    await run(['test', ...write('github', 'junit', 'markdown'), '--format', 'json', ...args], options),
  ];
};

interface Placed {
  readonly code: string;
  readonly line: number;
  readonly column: number;
}

/** `code line:column` of all findings. */
function places(text: string): readonly string[] {
  return (JSON.parse(text) as { readonly findings: readonly Placed[] }).findings.map(
    ({ code, line, column }) => `${code} ${line}:${column}`,
  );
}

describe('a pull request', () => {
  test.each(some(PULL_REQUESTS, 3))('$why', async (change) => {
    const repository = createRepository(change);
    const outputs = await check(repository);
    expectNothing(repository, outputs);
    const [validated, tested] = outputs;
    const isFixture = change.fixture !== undefined;
    const report = isFixture
      ? (tested?.out ?? '')
      : readFileSync(join(repository.cwd, 'reports/json'), 'utf8');
    expect(places(report)).toContain(change.found);
    expect((isFixture ? tested : validated)?.code).toBe(change.isReplaced === true ? 0 : 1);
  });
});

const READS = "SELECT toUInt8(length(file('{FILE}'))) AS a";
const reads: PullRequest = { why: 'a length', query: READS, found: 'query.reads_outside 3:30' };

describe('a source is reached if the person who runs the command names it', () => {
  test.each([
    { why: 'the flag', args: ['--engine-sources', 'url, file'], env: {} },
    { why: 'the environment', args: [], env: { MILLRACE_ENGINE_SOURCES: 'file' } },
  ])('$why', async ({ args, env }) => {
    const repository = createRepository(reads);
    const options = { cwd: repository.cwd, env: { ...ENV, ...env } };
    const { out } = await run(['validate', '--no-engine', '--format', 'json', ...args], options);
    expect(places(out)).not.toContain(reads.found);
  });

  test('not the settings file of the repository', async () => {
    const repository = createRepository(reads);
    writeFileSync(join(repository.cwd, 'millrace.yaml'), 'engine_sources: file\n');
    const outputs = await check(repository);
    expectNothing(repository, outputs);
    expect(outputs.map(({ code }) => code)).toEqual([1, 1]);
    expect(places(outputs[1]?.out ?? '')).toContain(reads.found);
    for (const { err } of outputs) expect(err).toContain('engine_sources');
  });

  test('an unknown name is an error', async () => {
    const { cwd } = createRepository(reads);
    const finished = await run(['validate', '--engine-sources', 'fiel'], { cwd, env: ENV });
    expect(finished.code).toBe(2);
    expect(finished.err).toContain('settings.unknown_source');
    expect(finished.err).toMatch(/\bfile\b/);
  });
});

describe('variables of the environment', () => {
  const read: PullRequest = {
    why: '',
    schema: 'CREATE TABLE d.${TABLE} (a UInt8) ENGINE = Memory',
    query: 'SELECT a FROM d.named',
    found: 'tables.missing_variable 1:16',
  };

  test.each([
    { why: 'the flag', args: ['--variables', 'OTHER, TABLE'], env: {} },
    { why: 'the environment', args: [], env: { MILLRACE_VARIABLES: 'TABLE' } },
  ])('are read if the person who runs the command names them: $why', async ({ args, env }) => {
    const { cwd } = createRepository(read);
    const options = { cwd, env: { ...ENV, TABLE: 'named', ...env } };
    for (const command of ['validate', 'test']) {
      const finished = await run([command, ...args], options);
      expect(finished.code).toBe(0);
      expect(finished.err).not.toContain('MILLRACE_VARIABLES'); // it is no unknown setting
    }
  });

  test('what is not a name is an error', async () => {
    const { cwd } = createRepository(read);
    const options = { cwd, env: { ...ENV, MILLRACE_VARIABLES: 'A=1' } };
    expect(await run(['validate'], options)).toMatchObject({ code: 2 });
  });

  test.each([
    'endpoints: ${GITHUB_TOKEN}',
    'seeds: "seeds/${MILLRACE_TEST_CANARY}"',
    'tokens: ${GITHUB_TOKEN}.yaml',
    'header_prefix: ${GITHUB_TOKEN}',
    'contact: ${GITHUB_TOKEN}',
    'port: ${GITHUB_TOKEN}',
    'tenancy: ${GITHUB_TOKEN}',
  ])('are not read for the settings file: %s', async (setting) => {
    const repository = createRepository({ why: '', found: '' });
    const { cwd } = repository;
    writeFileSync(join(cwd, 'millrace.yaml'), `${setting}\n`);
    const outputs = [...(await check(repository))];
    for (const args of [
      ['types'],
      ['openapi'],
      ['exposure'],
      ['format', '--check'],
      ['capacity'],
      ['cost'],
      ['new', 'b'],
    ])
      outputs.push(await run(args, { cwd, env: ENV }));
    expectNothing(repository, outputs);
    const line = `millrace.yaml:1:${setting.indexOf(':') + 3}: `;
    for (const { code, err } of outputs) {
      expect(code).toBe(2);
      expect(err).toContain(line);
      expect(err).toContain('settings.unnamed_variable');
    }
  });

  test('are not needed for secrets, which checks do not use', async () => {
    const repository = createRepository({ why: '', found: '' });
    const text =
      'clickhouse_url: ${GITHUB_TOKEN}\nclickhouse_password: ${UNSET}\npii_hash_key: ${GITHUB_TOKEN}\n';
    writeFileSync(join(repository.cwd, 'millrace.yaml'), text);
    const outputs = await check(repository);
    expectNothing(repository, outputs);
    expect(outputs.map(({ code }) => code)).toEqual([0, 0]);
  });
});

test('other commands that analyse files', async () => {
  const repository = createRepository({
    ...reads,
    query: "SELECT toUInt8(file('{FILE}')) AS a",
    schema: 'CREATE TABLE d.${GITHUB_TOKEN} (a UInt8) ENGINE = Memory',
  });
  const { cwd } = repository;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd,
      encoding: 'utf8',
    });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'base');
  const sound = createRepository({ why: '', found: '' });
  const file = join(cwd, 'endpoints/a.yaml');
  const hostile = readFileSync(file, 'utf8');
  writeFileSync(file, readFileSync(join(sound.cwd, 'endpoints/a.yaml'), 'utf8'));
  git('add', '.');
  git('commit', '--quiet', '--message', 'sound');
  writeFileSync(file, hostile);
  mkdirSync(join(cwd, 'consumers'));
  writeFileSync(join(cwd, 'consumers/a.sql'), 'SELECT a FROM t');
  const outputs: Finished[] = [];
  for (const args of [
    ['diff', 'HEAD'],
    ['impact', 'HEAD'],
    ['exposure'],
    ['types'],
    ['openapi'],
    ['query', 'a'],
    ['serve', '--dev', '--check'],
  ])
    outputs.push(await run(args, { cwd, env: ENV }));
  expect(outputs.map(({ code }) => code)).not.toContain(3); // an internal error
  expectNothing(repository, outputs);
});
