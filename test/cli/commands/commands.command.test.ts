// Every command as a user runs it: its output, exit code and error messages.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { openLiveKeyring } from '../../../src/service/auth/live-keyring.ts';
import { COMMAND_NAMES } from '../../../src/cli/program.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { run, scratch, start } from '../../support/command.ts';
import { after } from '../../../src/service/app/clock.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const GOOD =
  'id: 00000000-0000-4000-8000-000000000001\nname: one\nquery: SELECT @n AS n\nparameters: { n: { type: UInt8, required: true, description: A number. } }\ndescription: One.\n';

/** Without a description: that is one warning. */
const BARE = GOOD.replace('description: One.\n', '');

function folder(files: Readonly<Record<string, string>>): string {
  const path = scratch();
  mkdirSync(join(path, 'endpoints'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

describe('help and misuse', () => {
  test.each([
    [],
    ...COMMAND_NAMES.map((name) => [name]),
    ['token', 'create'],
    ['token', 'rotate'],
    ['token', 'list'],
    ['token', 'revoke'],
  ])('%s %s --help', async (...command) => {
    const { code, out } = await run([...command.filter(Boolean), '--help']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Usage: millrace/);
    // The command's own options come before those of all settings.
    const own = out.indexOf('  -h, --help');
    expect(out.includes('--host <value>') && out.indexOf('--host <value>') < own).toBe(false);
  });

  test.each([
    {
      args: ['new', 'a.b', '--endpoints', 'file'],
      says: "Cannot write file/a.b.yaml: EEXIST: file already exists, mkdir 'file'",
    },
    {
      args: ['openapi', '--out', '.'],
      says: "Cannot write .: EISDIR: illegal operation on a directory, open '.'",
    },
    { args: ['serve', '--dev', '--endpoints', 'file'], says: "ENOTDIR: not a directory, scandir 'file'" },
  ])('a path that cannot be written is one line: $args', async ({ args, says }) => {
    const cwd = folder({ file: '', 'endpoints/one.yaml': BARE });
    const { code, err } = await run(args, { cwd });
    expect([code, err.split('\n').at(-2)]).toEqual([1, `millrace: ${says}`]);
  });

  test('a reader that closes the pipe, as head does, is no failure', async () => {
    const cwd = folder({ 'endpoints/one.yaml': BARE });
    const { child, finished } = start(['openapi'], { cwd });
    child.stdout?.destroy();
    expect(await finished).toMatchObject({ code: 0, err: expect.not.stringContaining('EPIPE') });
  });

  test('--version', async () => {
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
    ) as {
      version: string;
    };
    expect(await run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test.each([
    { why: 'an unknown command', args: ['srve'], says: /Did you mean serve\?/ },
    { why: 'an unknown flag', args: ['serve', '--prot', '1'], says: /Did you mean --port\?/ },
    { why: 'a missing argument', args: ['query'], says: /missing required argument 'endpoint'/ },
    {
      why: 'an invalid choice',
      args: ['validate', '--format', 'xml'],
      says: /Allowed choices are human, github, gitlab, sarif, json/,
    },
    {
      why: 'an invalid setting',
      args: ['serve', '--port', 'http'],
      says: /--port: expected an integer, found "http"/,
    },
    { why: 'a missing folder', args: ['validate', 'nowhere'], says: /nowhere does not exist/ },
    { why: 'a pair without =', args: ['query', 'one', 'n'], says: /Invalid pair "n": use name=value/ },
  ])('$why exits 2 with a helpful line', async ({ args, says }) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(says);
  });
});

describe('validate', () => {
  test('follows no symbolic link out of its folder', async () => {
    const cwd = folder({
      'endpoints/good.yaml': GOOD.replace('one', 'good').replace('0001', '0002'),
      'endpoints/real.yaml': `${GOOD}quoted: 1\n`,
      'endpoints/with.yaml': `${GOOD.replace('one', 'with')}include: [{ from: part }]\n`,
      'schema/t.sql': 'CREATE TABLE t (n UInt8) ORDER BY n;\n',
      credentials: `${GOOD}hidden: 1\n`,
    });
    symlinkSync('real.yaml', join(cwd, 'endpoints/beside.yaml'));
    for (const name of ['endpoints/outside.yaml', 'endpoints/part.shared.yaml', 'schema/more.sql'])
      symlinkSync('../credentials', join(cwd, name));
    const { code, out, err } = await run(['validate', '--format', 'json'], { cwd });
    const { findings } = JSON.parse(out) as {
      readonly findings: readonly { readonly file: string; readonly code: string }[];
    };
    expect([code, err]).toEqual([1, '']);
    const codes = findings.filter(({ code: each }) => !each.startsWith('lint.')).map(({ file, code: each }) => `${file} ${each}`); // prettier-ignore
    expect(codes).toEqual([
      'endpoints/beside.yaml schema.unknown_key',
      'endpoints/outside.yaml file.outside_link',
      'endpoints/part.shared.yaml file.outside_link',
      'endpoints/real.yaml schema.unknown_key',
      'endpoints/with.yaml include.missing',
      'schema/more.sql file.outside_link',
    ]);
    const human = await run(['validate'], { cwd });
    expect(human.out.match(/^.*quoted: 1$/gm)).toHaveLength(2);
    expect(out + human.out).not.toContain('hidden');
  });

  test.each<readonly [why: string, link: string, to: string, args: readonly string[]]>([
    ['a folder', 'endpoints', 'away', ['validate', '--no-engine']],
    ['a folder, in a list of names', 'endpoints', 'away', ['exposure']],
    ['the folder of git', 'endpoints/x.yaml', '.git/config', ['validate', '--no-engine']],
    ['a fixture', 'endpoints/fixtures/x.sql', 'away/x.yaml', ['test']],
    ['rows of a fixture', 'endpoints/fixtures/a.b.ndjson', 'away/x.yaml', ['test']],
    ['a file that is formatted', 'endpoints/x.yaml', 'away/x.yaml', ['format', '--check']],
    ['the definitions of tables', 'schema', 'away', ['validate']],
    ['queries of consumers', 'consumers', 'away', ['conformance', 'consumers', '--endpoint', 'one']],
    ['the settings', 'millrace.yaml', 'away/x.yaml', ['validate', '--no-engine']],
    ['the keys', 'tokens.yaml', 'away/x.yaml', ['validate', '--no-engine']],
    ['seeds', 'seeds/1.sql', 'away/x.yaml', ['seed']],
  ])('shows nothing of what a link leads to: %s', async (_, link, to, args) => {
    const away = scratch();
    for (const name of ['x.yaml', 'x.sql', 'config'])
      writeFileSync(join(away, name), 'hidden: secret\nhidden: [secret\nsecret secret;\n');
    const cwd = scratch();
    mkdirSync(join(cwd, '.git'));
    writeFileSync(join(cwd, '.git/config'), 'hidden: secret\n');
    if (link === 'tokens.yaml') writeFileSync(join(cwd, 'millrace.yaml'), 'tokens: tokens.yaml\n');
    mkdirSync(join(cwd, link, '..'), { recursive: true });
    symlinkSync(to.startsWith('away') ? to.replace('away', away) : join(cwd, to), join(cwd, link));
    if (link !== 'endpoints') {
      mkdirSync(join(cwd, 'endpoints'), { recursive: true });
      writeFileSync(join(cwd, 'endpoints/one.yaml'), GOOD);
    }
    const { code, out, err } = await run(args, { cwd });
    expect(code).not.toBe(0);
    expect(out + err).not.toMatch(/hidden|secret/);
  });

  test('follows links within the folder, and a folder that is a link in the repository', async () => {
    const cwd = folder({ 'real/..data/one.yaml': GOOD });
    symlinkSync('..data/one.yaml', join(cwd, 'real/one.yaml'));
    rmSync(join(cwd, 'endpoints'), { recursive: true });
    symlinkSync('real', join(cwd, 'endpoints'));
    expect(await run(['validate', '--no-engine'], { cwd })).toMatchObject({ code: 0, out: '' });
  });

  test('prints nothing and exits 0 without findings', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD });
    expect(await run(['validate', '--no-engine'], { cwd })).toEqual({
      code: 0,
      out: '',
      err: '1 endpoint file, 0 errors, 0 warnings\n',
    });
  });

  test('shows every finding of every file with a caret, and exits 1', async () => {
    const cwd = folder({
      'endpoints/a.yaml': GOOD.replace('@n', '@m'),
      'endpoints/b.yaml': `${GOOD}max_row: 1\n`,
      'endpoints/c.yaml': GOOD,
      'endpoints/d.yaml': GOOD,
    });
    const { code, out, err } = await run(['validate', '--no-engine', 'endpoints'], { cwd });
    expect(code).toBe(1);
    expect(out.match(/^endpoints\S+:\d+:\d+ error/gm)).toEqual([
      'endpoints/a.yaml:3:15 error',
      'endpoints/a.yaml:4:15 error',
      'endpoints/b.yaml:6:1 error',
      'endpoints/d.yaml:1:5 error',
      'endpoints/d.yaml:2:7 error',
    ]);
    expect(out).toContain('    query: SELECT @m AS n\n                  ^\n');
    expect(err).toBe('4 endpoint files, 5 errors, 0 warnings\n');
  });

  test('--format json is machine-readable', async () => {
    const cwd = folder({ 'endpoints/b.yaml': `${GOOD}max_row: 1\n` });
    const { code, out } = await run(['validate', '--format', 'json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      findings: [
        {
          file: 'endpoints/b.yaml',
          line: 6,
          column: 1,
          severity: 'error',
          code: 'schema.unknown_key',
          message: 'unknown key "max_row"',
          hint: 'Did you mean max_rows?',
        },
      ],
    });
  });

  test('warns of files that are not served', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD, 'endpoints/two.YAML': GOOD });
    mkdirSync(join(cwd, 'endpoints/team'));
    writeFileSync(join(cwd, 'endpoints/team/x.yaml'), GOOD);
    symlinkSync('nowhere.yaml', join(cwd, 'endpoints/three.yaml'));
    for (const path of [
      'rows.csv',
      'notes.md',
      'fixtures/app.events.yaml',
      'fixtures/app.events.ndjson',
      'fixtures/events.csv',
      'fixtures/more/app.x.csv',
      'fixtures/README.md',
    ]) {
      mkdirSync(join(cwd, 'endpoints', path, '..'), { recursive: true });
      writeFileSync(join(cwd, 'endpoints', path), '');
    }
    const { code, out } = await run(['validate', '--no-engine', '--format', 'json'], { cwd });
    const { findings } = JSON.parse(out) as { findings: { file: string; code: string; severity: string }[] };
    expect([code, findings.map((each) => `${each.severity} ${each.file} ${each.code}`)]).toEqual([
      0,
      [
        'warning endpoints/fixtures/app.events.yaml file.other_folder',
        'warning endpoints/fixtures/events.csv file.other_folder',
        'warning endpoints/fixtures/more file.other_folder',
        'warning endpoints/rows.csv file.other_folder',
        'warning endpoints/team/x.yaml file.in_subfolder',
        'warning endpoints/three.yaml file.dangling_link',
        'warning endpoints/two.YAML file.extension',
      ],
    ]);
  });

  test('warns of settings that the engine does not have, also in subqueries', async () => {
    const query =
      'query: SELECT @n AS n FROM (SELECT 1 SETTINGS max_thread = 4) SETTINGS max_threads = 2, max_block_sise = 1';
    const cwd = folder({ 'endpoints/one.yaml': GOOD.replace(/query: .*/, query) });
    mkdirSync(join(cwd, 'seeds'));
    const { out } = await run(['validate', '--format', 'json'], { cwd });
    const { findings } = JSON.parse(out) as { findings: { code: string; severity: string; hint: string }[] };
    expect(findings).toMatchObject([
      { severity: 'warning', code: 'engine.unknown_setting', hint: 'Did you mean max_threads?' },
      { severity: 'warning', code: 'engine.unknown_setting', hint: 'Did you mean max_block_size?' },
    ]);
  });

  test('warns of variables that are no settings', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD });
    const env = { MILLRACE_PROT: '1', MILLRACE_PORT_4000_TCP: 'x', MILLRACE_SERVICE_HOST: 'x' };
    const { code, err } = await run(['query', 'one', 'n=1'], { cwd, env });
    expect([code, err.split('\n').filter((line) => line.startsWith('warning'))]).toEqual([
      0,
      ['warning: MILLRACE_PROT is not a setting and is ignored; did you mean MILLRACE_PORT?'],
    ]);
  });

  test('never reads a file that does not end, not for the excerpt either', async () => {
    const cwd = folder({});
    symlinkSync('/dev/zero', join(cwd, 'endpoints/zero.yaml'));
    execFileSync('mkfifo', [join(cwd, 'endpoints/pipe.yaml')]);
    const { code, out } = await run(['validate', '--no-engine'], { cwd });
    const found = out.match(/file\.(?:unreadable|outside_link)$/gm);
    expect([code, found]).toEqual([1, ['file.unreadable', 'file.outside_link']]);
    const formatted = await run(['format', 'endpoints'], { cwd });
    expect([formatted.code, formatted.err]).toEqual([1, expect.stringContaining('2 skipped')]);
  });

  test('accepts single files', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD, 'endpoints/two.yaml': 'broken' });
    expect((await run(['validate', 'endpoints/one.yaml'], { cwd })).code).toBe(0);
  });
});

describe('query', () => {
  test('--meta prints columns with their types and the rest of the metadata', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD });
    const { out, err } = await run(['query', 'one', 'n=7', '--meta'], { cwd });
    expect(err).toMatch(/^1 row, /);
    expect(out).toContain(
      'n\n-\n7\n\ncolumn  type\n------  -----\nn       UInt8\n\nrows: 1\ntruncated: false\n',
    );
    const json = await run(['query', 'one', 'n=7', '--meta', '--output', 'json'], { cwd });
    expect(JSON.parse(json.out)).toMatchObject({ result: [{ n: 7 }], meta: { rows: 1 } });
    expect((await run(['query', 'one', 'n=7', '--meta', '--output', 'csv'], { cwd })).code).toBe(2);
  });

  test('prints rows as a table, as JSON, as CSV, with the digits of the engine', async () => {
    const cwd = folder({
      'endpoints/one.yaml': GOOD.replace(
        /query: .*/,
        "query: SELECT @n AS n, toUInt64(18446744073709551615) AS big, toDecimal64('12345678901234.5678', 4) AS d, [toInt128('170141183460469231731687303715884105727')] AS huge",
      ),
    });
    const [big, d, huge] = [
      '18446744073709551615',
      '12345678901234.5678',
      '[170141183460469231731687303715884105727]',
    ];
    const print = async (form: string) => (await run(['query', 'one', 'n=7', '--output', form], { cwd })).out;
    const [table, json, csv] = [await print('table'), await print('json'), await print('csv')]; // one process at a time has the data folder
    expect(table.split('\n')[2]?.split(/ +/)).toEqual(['7', big, d, huge]);
    expect(json).toBe(`[\n  {"n":7,"big":${big},"d":${d},"huge":${huge}}\n]\n`);
    expect(csv).toBe(`n,big,d,huge\r\n7,${big},${d},${huge}\r\n`);
  });

  test('a folder without seeds has the tables of schema/, with the rows of the fixtures', async () => {
    const cwd = folder({
      'endpoints/one.yaml': GOOD.replace(/query: .*/, 'query: SELECT id, @n AS n FROM shop.orders'),
    });
    mkdirSync(join(cwd, 'schema', 'shop'), { recursive: true });
    mkdirSync(join(cwd, 'endpoints', 'fixtures'));
    const local = 'CREATE TABLE shop.local (id UInt8) ENGINE = ReplicatedMergeTree ORDER BY id';
    writeFileSync(join(cwd, 'schema', 'shop', 'local.sql'), local);
    writeFileSync(
      join(cwd, 'schema', 'shop', 'all.sql'),
      'CREATE TABLE shop.orders AS shop.local ENGINE = Distributed(c, shop, local)',
    );
    writeFileSync(join(cwd, 'endpoints', 'fixtures', 'shop.orders.ndjson'), '{"id": 5}\n');
    const first = await run(['query', 'one', 'n=7', '--output', 'csv'], { cwd });
    expect(first).toMatchObject({
      code: 0,
      out: 'id,n\r\n5,7\r\n',
      err: expect.stringContaining('Created the tables of schema/'),
    });
    expect((await run(['query', 'one', 'n=8', '--output', 'csv'], { cwd })).out).toBe('id,n\r\n5,8\r\n');
  });

  test('reports what is wrong with a call', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD });
    const { code, err } = await run(['query', 'one', 'n=300', 'm=1'], { cwd });
    expect(code).toBe(1);
    expect(err).toMatch(/request\.parameters_invalid[^]*n: must be[^]*255/);
  });
});

describe('validate, for machines', () => {
  const TABLES =
    'CREATE DATABASE IF NOT EXISTS logs;\nCREATE TABLE logs.t (id String, at DateTime) ENGINE = MergeTree ORDER BY at;\nINSERT INTO nowhere VALUES (1);\n';
  const WRONG = `id: 00000000-0000-4000-8000-000000000002
name: two
description: It reads a column that is not there.
query: |
  SELECT idd
  FROM logs.t # a comment with 100%, and a comma
  WHERE at > now()
`;
  const setUp = (): string => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD, 'endpoints/two.yaml': WRONG });
    mkdirSync(join(cwd, 'schema'));
    writeFileSync(join(cwd, 'schema', 'tables.sql'), TABLES);
    return cwd;
  };

  test('the engine is used if tables are known, and not otherwise, or with --no-engine', async () => {
    const cwd = setUp();
    const found = await run(['validate', '--schema', 'schema'], { cwd });
    expect(found).toMatchObject({
      code: 1,
      out: expect.stringContaining(
        'endpoints/two.yaml:5:10 error unknown expression identifier `idd` engine.unknown_column',
      ),
    });
    expect(found.out).toContain('Did you mean id?');
    expect((await run(['validate', '--schema', 'schema', '--no-engine'], { cwd })).code).toBe(0);
    expect(await run(['validate'], { cwd })).toMatchObject({
      code: 1, // it finds schema/ by itself
      out: expect.stringContaining('engine.unknown_column'),
    });
    rmSync(join(cwd, 'schema'), { recursive: true });
    expect(await run(['validate'], { cwd })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/neither schema nor seeds exists.*--no-engine/),
    });
    expect(await run(['validate', '--schema', 'nowhere'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('nowhere'),
    });
  });

  test('a table that cannot be created is a warning at its statement, and an error of the endpoints that read it', async () => {
    const cwd = setUp();
    writeFileSync(
      join(cwd, 'endpoints', 'two.yaml'),
      WRONG.replace('idd', 'id').replace('logs.t ', 'logs.bad '),
    );
    writeFileSync(join(cwd, 'schema', 'two.sql'), 'CREATE TABLE logs.bad (\n  id Strng\n) ENGINE = Log');
    const { code, out } = await run(['validate', '--format', 'json'], { cwd });
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
    expect(findings.filter(({ code: each }) => !each.startsWith('lint.'))).toMatchObject([
      {
        file: 'endpoints/two.yaml',
        line: 6,
        code: 'engine.unknown_table',
        hint: expect.stringMatching(
          /^table logs\.bad could not be created: .*Strng.*schema\/two\.sql:2:6\)$/,
        ),
      },
      { file: 'schema/two.sql', line: 2, column: 6, severity: 'warning', code: 'tables.not_created' },
    ]);
  });

  test('warnings fail only with --strict, and a comment suppresses one', async () => {
    const cwd = folder({ 'endpoints/one.yaml': BARE });
    expect(await run(['validate'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('warning the endpoint has no description lint.description_missing'),
    });
    expect((await run(['validate', '--strict'], { cwd })).code).toBe(1);
    writeFileSync(
      join(cwd, 'endpoints', 'one.yaml'),
      BARE.replace('name: one', 'name: one # millrace-ignore: lint.description_missing'),
    );
    expect(await run(['validate', '--strict'], { cwd })).toMatchObject({ code: 0, out: '' });
    writeFileSync(
      join(cwd, 'endpoints', 'one.yaml'),
      BARE.replace('name: one', 'name: one # millrace-ignore: lint.description'),
    );
    expect((await run(['validate', '--strict'], { cwd })).code).toBe(1);
  });

  test('a key to hash columns that is not set here is a warning, which --strict does not count', async () => {
    const folder = scratch();
    const file = `id: 00000000-0000-4000-8000-0000000000aa\nname: hashed\ndescription: A column that is hashed.\nquery: SELECT 'a' AS user\npii:\n  redact: true\n  columns: { user: hash }\n`;
    writeFileSync(join(folder, 'hashed.yaml'), file);
    const args = ['validate', '--strict', '--no-engine', folder];
    expect(await run(args)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/hashed\.yaml:7:20 warning .*MILLRACE_PII_HASH_KEY.* pii\.hash_without_key/),
    });
    expect(await run(args, { env: { MILLRACE_PII_HASH_KEY: 'k'.repeat(32) } })).toMatchObject({
      code: 0,
      out: '',
    });
  });

  test('--cost: the findings of millrace cost are among them, and only then', async () => {
    const cwd = folder({
      'schema/t.sql':
        'CREATE DATABASE shop;\nCREATE TABLE shop.t (tenant String, at DateTime, n UInt8) ENGINE = MergeTree ORDER BY (tenant, at);\n',
      'millrace.yaml': 'budget: { rows: 10 }\n',
      'endpoints/a.yaml': `id: 00000000-0000-4000-8000-000000000001\nname: a\nquery: SELECT sum(n) AS s FROM shop.t WHERE concat(tenant, '') = @tenant\nparameters: { tenant: { type: String, required: true } }\nexamples: [{ name: one, parameters: { tenant: x } }]\n`,
      'endpoints/b.yaml': 'id: 1\nname: b\nquery: SELECT 1 AS n\n',
    });
    const found = async (...flags: readonly string[]): Promise<readonly (readonly [string, string])[]> => {
      const { out } = await run(['validate', '--format', 'json', ...flags], { cwd });
      const { findings } = JSON.parse(out) as { findings: readonly { file: string; code: string }[] };
      return findings.flatMap(({ file, code }) => (code.startsWith('cost.') ? [[file, code] as const] : []));
    };
    expect(await found()).toEqual([]);
    const costs = [
      ['endpoints/a.yaml', 'cost.hidden_key'],
      ['endpoints/a.yaml', 'cost.rows'],
    ];
    expect(await found('--cost')).toEqual(costs);
    expect(await found('--cost', 'endpoints/b.yaml')).toEqual([]);
    expect(await run(['validate', '--cost', '--no-engine'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--cost needs the engine'),
    });
  });

  test('github: annotations, ten of a kind, all of them in the summary', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 14 }, (_, n) => [
        `endpoints/e${n}.yaml`,
        `name: e${n}\nquery: SELECT 1 AS n\nid: "1%,:"\ndescription: One.\n`,
      ]),
    );
    const cwd = folder(files);
    const summary = join(cwd, 'summary.md');
    const { code, out, err } = await run(['validate', '--format', 'github'], {
      cwd,
      env: { GITHUB_STEP_SUMMARY: summary },
    });
    expect(code).toBe(1);
    expect(out.trim().split('\n')).toHaveLength(10);
    expect(out).toContain(
      '::error file=endpoints/e0.yaml,line=3,col=5,title=schema.string_invalid::"1%25,:" is not a uuid',
    );
    expect(err).toContain('14 errors, 0 warnings; GitHub does not show 4 more');
    expect(readFileSync(summary, 'utf8').match(/^\| `endpoints/gm)).toHaveLength(14);
  });

  test('github: lines changed by the pull request come first', async () => {
    const cwd = folder({ 'endpoints/a.yaml': 'name: 1\n', 'endpoints/b.yaml': GOOD });
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], { cwd });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'base');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    writeFileSync(join(cwd, 'endpoints', 'b.yaml'), 'name: 2\n');
    git('commit', '-qam', 'change');
    const { out } = await run(['validate', '--format', 'github'], { cwd, env: { GITHUB_BASE_REF: 'main' } });
    expect(out.split('\n')[0]).toContain('file=endpoints/b.yaml');
  });

  test('sarif: 2.1.0, with rules and locations', async () => {
    const cwd = setUp();
    writeFileSync(join(cwd, 'endpoints', 'odd name.yaml'), 'name: 1\n');
    const { code, out } = await run(['validate', '--format', 'sarif', '--schema', 'schema'], { cwd });
    expect(code).toBe(1);
    const sarif = JSON.parse(out) as {
      version: string;
      runs: [
        { columnKind: string; tool: { driver: { name: string; rules: { id: string }[] } }; results: Sarif[] },
      ];
    };
    const [only] = sarif.runs;
    expect([sarif.version, only.columnKind, only.tool.driver.name]).toEqual([
      '2.1.0',
      'utf16CodeUnits',
      'millrace',
    ]);
    for (const { ruleId, ruleIndex, level, message, locations } of only.results) {
      expect(only.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect([['error', 'warning'].includes(level), message.text.length > 0, locations.length]).toEqual([
        true,
        true,
        1,
      ]);
    }
    const places = only.results.map(
      ({ locations: [{ physicalLocation: place }] }) =>
        `${place.artifactLocation.uri}:${place.region.startLine}`,
    );
    expect(places).toContain('endpoints/two.yaml:5');
    expect(places).toContain('endpoints/odd%20name.yaml:1');
  });

  interface Sarif {
    ruleId: string;
    ruleIndex: number;
    level: string;
    message: { text: string };
    locations: [{ physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }];
  }
});

describe('token create', () => {
  test('adds a hash, keeps comments, shows the key once, and the key works', async () => {
    const cwd = folder({ 'tokens.yaml': '# ours\ntokens: []\n' });
    const { code, out } = await run(
      [
        'token',
        'create',
        'dash',
        '--endpoints',
        'logs.*',
        'usage.*',
        '--allow',
        'sql',
        '--parameter',
        'project=abc',
        '--expires',
        '2099-01-01T00:00:00Z',
      ],
      { cwd },
    );
    expect(code).toBe(0);
    const text = readFileSync(join(cwd, 'tokens.yaml'), 'utf8');
    expect(text).toContain('# ours');
    expect(text).toContain(hashKey(out.trim()));
    expect(text).not.toContain(out.trim());
    expect(statSync(join(cwd, 'tokens.yaml')).mode & 0o077).toBe(0);
  });

  test('creates a missing file, and rejects a duplicate name', async () => {
    const cwd = scratch();
    expect((await run(['token', 'create', 'a'], { cwd })).code).toBe(0);
    const again = await run(['token', 'create', 'a'], { cwd });
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('already has a key named "a"') });
    expect((await run(['token', 'create', 'b'], { cwd })).code).toBe(0);
  });

  test.each([
    { why: 'an invalid name', args: ['a b'] },
    { why: 'an invalid glob', args: ['a', '--endpoints', 'Logs'] },
    { why: 'an invalid language', args: ['a', '--allow', 'php'] },
    { why: 'an invalid time', args: ['a', '--expires', 'tomorrow'] },
  ])('rejects $why', async ({ args }) => {
    expect((await run(['token', 'create', ...args])).code).toBe(2);
  });
});

describe('token rotate, list, revoke', () => {
  const FILE = `# ours
tokens:
  # the dashboards
  - name: dash
    sha256: ${hashKey('old')}
    endpoints: [logs.*] # all logs
    rate: 60/min
  - { name: other, sha256: ${hashKey('other')}, endpoints: ["*"], parameters: { project: abc }, expires: 2020-01-01T00:00:00Z }
`;
  const read = (cwd: string): string => readFileSync(join(cwd, 'tokens.yaml'), 'utf8');

  test('rotate creates a key, keeps the previous one for a while, and preserves comments', async () => {
    const cwd = folder({ 'tokens.yaml': FILE });
    const { code, out, err } = await run(['token', 'rotate', 'dash', '--keep', '7d'], { cwd });
    expect([code, err]).toEqual([0, expect.stringContaining('is accepted until 2')]);
    expect(read(cwd)).toContain('# the dashboards');
    expect(read(cwd)).toContain('# all logs');
    const keyring = await openLiveKeyring({
      path: join(cwd, 'tokens.yaml'),
      extra: [],
      jwt: undefined,
      observe: () => undefined,
      after,
    });
    const kindAt = async (key: string, days: number): Promise<string> =>
      (await keyring.current().authenticate(key, Date.now() + days * 86_400_000)).kind;
    expect([await kindAt(out.trim(), 0), await kindAt(out.trim(), 8)]).toEqual(['accepted', 'accepted']);
    expect([await kindAt('old', 6), await kindAt('old', 8)]).toEqual(['accepted', 'rejected']);
    await keyring.close();
    for (let times = 0; times < 7; times++)
      expect((await run(['token', 'rotate', 'dash', '--keep', '1h'], { cwd })).code).toBe(0);
    expect((await run(['token', 'list'], { cwd })).code).toBe(0); // the file is valid still
  });

  test('list shows the permissions of each, and no hash', async () => {
    const cwd = folder({ 'tokens.yaml': FILE });
    const { out } = await run(['token', 'list', '--format', 'json'], { cwd });
    expect(JSON.parse(out)).toEqual({
      tokens: [
        {
          name: 'dash',
          endpoints: ['logs.*'],
          allow: [],
          parameters: {},
          statements: false,
          pii: null,
          result_shape: null,
          rate: '60/min',
          budget: null,
          expires: null,
          expired: false,
          uses: 0,
          last_use: null,
        },
        {
          name: 'other',
          endpoints: ['*'],
          allow: [],
          parameters: { project: 'abc' },
          statements: false,
          pii: null,
          result_shape: null,
          rate: null,
          budget: null,
          expires: '2020-01-01T00:00:00Z',
          expired: true,
          uses: 0,
          last_use: null,
        },
      ],
    });
    const table = await run(['token', 'list'], { cwd });
    expect(table.out).toMatch(/^name +endpoints +allow/);
    expect(table.out).toContain('project=abc');
    expect(table.out).not.toContain(hashKey('old').slice(0, 8));
  });

  test('revoke removes an entry, and suggests the nearest name', async () => {
    const cwd = folder({ 'tokens.yaml': FILE });
    expect(await run(['token', 'revoke', 'dsh'], { cwd })).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean dash?'),
    });
    expect((await run(['token', 'revoke', 'other'], { cwd })).code).toBe(0);
    expect(read(cwd)).toContain('# all logs');
    expect(read(cwd)).not.toContain('other');
    expect((await run(['token', 'revoke', 'dash'], { cwd })).code).toBe(0);
    expect((await run(['token', 'list'], { cwd })).err).toContain('has no keys');
  });

  test('concurrent commands lose nothing', async () => {
    const cwd = folder({ 'tokens.yaml': 'tokens: []\n' });
    const names = ['a', 'b', 'c', 'd'];
    const done = await Promise.all(names.map((name) => run(['token', 'create', name], { cwd })));
    expect(done.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const { out } = await run(['token', 'list', '--format', 'json'], { cwd });
    const { tokens } = JSON.parse(out) as { tokens: { name: string }[] };
    expect(tokens.map(({ name }) => name).toSorted()).toEqual(names);
  });

  test.each([
    { why: 'an impossible time', args: ['rotate', 'dash', '--keep', 'soon'], code: 2 },
    { why: 'an empty name', args: ['rotate', 'nobody'], code: 1 },
    { why: 'an invalid rate', args: ['create', 'x', '--rate', 'fast'], code: 2 },
    { why: 'an invalid redaction', args: ['create', 'x', '--pii', 'no'], code: 2 },
  ])('rejects $why', async ({ args, code }) => {
    expect((await run(['token', ...args], { cwd: folder({ 'tokens.yaml': FILE }) })).code).toBe(code);
  });
});

describe('capacity', () => {
  const endpoint = (n: number, rest: string): string =>
    `id: 00000000-0000-4000-8000-00000000007${n}\nname: e${n}\nquery: SELECT 1 AS n\n${rest}`;

  test('prints the workloads of the files, as statements that the engine accepts', async () => {
    const cwd = folder({});
    const write = (n: number, rest: string): void =>
      writeFileSync(join(cwd, 'endpoints', `e${n}.yaml`), endpoint(n, rest));
    write(1, 'reservation: { enabled: true, workloads: [reports, exports], warming: background }\n');
    write(2, 'reservation: { enabled: true, workloads: [reports] }\n');
    write(3, 'reservation: { enabled: false, workloads: [unheeded] }\n');
    const { code, out } = await run(['capacity'], { cwd });
    expect(code).toBe(0);
    expect(out.split('\n').slice(2)).toEqual([
      'CREATE RESOURCE IF NOT EXISTS cpu (MASTER THREAD, WORKER THREAD);',
      'CREATE WORKLOAD IF NOT EXISTS all;',
      '-- used by e1',
      'CREATE WORKLOAD IF NOT EXISTS background IN all SETTINGS weight = 1;',
      '-- used by e1',
      'CREATE WORKLOAD IF NOT EXISTS exports IN all SETTINGS weight = 4;',
      '-- used by e1, e2',
      'CREATE WORKLOAD IF NOT EXISTS reports IN all SETTINGS weight = 4;',
      '',
    ]);
    const engine = await createEmbeddedEngine({
      ...REAL_TIME,
      path: join(cwd, 'data'),
      connections: 1,
      queue: 1,
      memory: 2 ** 30,
      observe: () => undefined,
    });
    for (let times = 0; times < 2; times++) await engine.execute(out);
    await engine.close(0);
    const { out: listed } = await run(['capacity', '--format', 'json'], { cwd });
    expect(JSON.parse(listed)).toMatchObject({
      workloads: [
        { name: 'background', weight: 1 },
        { name: 'exports' },
        { name: 'reports', endpoints: ['e1', 'e2'] },
      ],
    });
  });

  test('reports that no file names one', async () => {
    const cwd = folder({});
    expect(await run(['capacity'], { cwd })).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('nothing to create'),
    });
    expect((await run(['capacity', '--endpoints', 'nowhere'], { cwd })).code).toBe(2);
    expect((await run(['capacity', '--parent', 'a b'], { cwd })).code).toBe(2);
  });
});

describe('serve that cannot start', () => {
  test('without keys', async () => {
    const { code, err } = await run(['serve'], { cwd: folder({}) });
    expect(code).toBe(1);
    expect(err).toMatch(/MILLRACE_TOKENS[^]*token create[^]*--dev/);
  });

  test.each([
    {
      why: 'a missing tokens file',
      tokens: 'nowhere.yaml',
      flags: ['--check'],
      says: /no tokens file at nowhere\.yaml/,
    },
    {
      why: 'a tokens file with errors',
      tokens: 'bad.yaml',
      flags: [],
      says: /bad\.yaml:2:5 error[^]*sha256[^]*requires a valid tokens file to start/,
    },
  ])('with $why', async ({ tokens, flags, says }) => {
    const cwd = folder({ 'bad.yaml': 'tokens:\n  - { name: a, endpoints: ["*"] }\n' });
    const { code, err } = await run(['serve', '--tokens', tokens, ...flags], { cwd });
    expect(code).toBe(1);
    expect(err).toMatch(says);
  });

  test('on a port in use', async () => {
    const holder = createServer();
    const port = await new Promise<number>((resolve) =>
      holder.listen(0, '127.0.0.1', () => {
        const address = holder.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    const args = ['serve', '--dev', '--admin-port', '0', '--port', String(port)];
    const { code, err } = await start(args, { cwd: folder({}) }).finished; // the engine must end, too
    holder.close();
    expect(code).toBe(1);
    expect(err).toContain(`127.0.0.1:${port} is in use`);
  });

  test('without a folder of endpoints', async () => {
    const ports = ['--port', '0', '--admin-port', '0'];
    const { code, err } = await run(['serve', '--dev', '--endpoints', 'elsewhere', ...ports], {
      cwd: scratch(),
    });
    expect(code).toBe(1);
    expect(err).toContain('Folder elsewhere does not exist');
  });

  test('with failing seeds', async () => {
    const cwd = folder({});
    mkdirSync(join(cwd, 'seeds'));
    writeFileSync(join(cwd, 'seeds', '1.sql'), 'CREATE INVALID');
    const args = ['serve', '--dev', '--port', '0', '--admin-port', '0'];
    const { code, err } = await start(args, { cwd }).finished; // the engine must end, too
    expect(code).toBe(1);
    expect(err).toMatch(/Cannot load the seeds/);
  });

  test('with a data folder that cannot be created', async () => {
    const cwd = folder({ data: 'a file' });
    chmodSync(join(cwd, 'data'), 0o600);
    const { code, err } = await run(
      ['serve', '--dev', '--data', 'data/below', '--port', '0', '--admin-port', '0'],
      { cwd },
    );
    expect(code).toBe(1);
    expect(err).toContain('data/below');
  });
});
