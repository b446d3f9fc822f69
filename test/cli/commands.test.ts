// Every command as a user runs it: what it prints, how it exits, what it says when it cannot.
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashKey } from '../../src/auth/keyring.ts';
import { run, scratch } from '../support/command.ts';

const GOOD =
  'id: 00000000-0000-4000-8000-000000000001\nname: one\nquery: SELECT @n AS n\nparameters: { n: { type: UInt8, required: true } }\n';

function folder(files: Readonly<Record<string, string>>): string {
  const path = scratch();
  mkdirSync(join(path, 'endpoints'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

describe('help and misuse', () => {
  test.each([[], ['serve'], ['validate'], ['query'], ['token'], ['token', 'create'], ['seed']])(
    '%s %s --help',
    async (...command) => {
      const { code, out } = await run([...command.filter(Boolean), '--help']);
      expect(code).toBe(0);
      expect(out).toMatch(/^Usage: millrace/);
    },
  );

  test('--version', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect(await run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });

  test.each([
    { why: 'an unknown command', args: ['srve'], says: /Did you mean serve\?/ },
    { why: 'an unknown flag', args: ['serve', '--prot', '1'], says: /Did you mean --port\?/ },
    { why: 'a missing argument', args: ['query'], says: /missing required argument 'endpoint'/ },
    { why: 'a bad choice', args: ['validate', '--format', 'xml'], says: /Allowed choices are human, json/ },
    {
      why: 'a bad setting',
      args: ['serve', '--port', 'http'],
      says: /--port: expected a whole number, found "http"/,
    },
    { why: 'a folder that is not there', args: ['validate', 'nowhere'], says: /nowhere does not exist/ },
    { why: 'a pair without =', args: ['query', 'one', 'n'], says: /"n" is not of the form name=value/ },
  ])('$why exits 2 with a line that helps', async ({ args, says }) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(says);
  });
});

describe('validate', () => {
  test('is quiet and exits 0 when all is well', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD });
    expect(await run(['validate'], { cwd })).toEqual({
      code: 0,
      out: '',
      err: '1 endpoint file, 0 errors, 0 warnings\n',
    });
  });

  test('shows every mistake of every file with a caret, and exits 1', async () => {
    const cwd = folder({
      'endpoints/a.yaml': GOOD.replace('@n', '@m'),
      'endpoints/b.yaml': `${GOOD}max_row: 1\n`,
      'endpoints/c.yaml': GOOD,
      'endpoints/d.yaml': GOOD,
    });
    const { code, out, err } = await run(['validate', 'endpoints'], { cwd });
    expect(code).toBe(1);
    expect(out.match(/^endpoints\S+:\d+:\d+ error/gm)).toEqual([
      'endpoints/a.yaml:3:15 error',
      'endpoints/a.yaml:4:15 error',
      'endpoints/b.yaml:5:1 error',
      'endpoints/d.yaml:1:5 error',
      'endpoints/d.yaml:2:7 error',
    ]);
    expect(out).toContain('    query: SELECT @m AS n\n                  ^\n');
    expect(err).toBe('4 endpoint files, 5 errors, 0 warnings\n');
  });

  test('--format json is for programs', async () => {
    const cwd = folder({ 'endpoints/b.yaml': `${GOOD}max_row: 1\n` });
    const { code, out } = await run(['validate', '--format', 'json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      findings: [
        {
          file: 'endpoints/b.yaml',
          line: 5,
          column: 1,
          severity: 'error',
          code: 'schema.unknown_key',
          message: 'unknown key "max_row"',
          hint: 'Did you mean "max_rows"?',
        },
      ],
    });
  });

  test('takes single files', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD, 'endpoints/two.yaml': 'broken' });
    expect((await run(['validate', 'endpoints/one.yaml'], { cwd })).code).toBe(0);
  });
});

describe('query', () => {
  test('prints rows as a table, as JSON, as CSV', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD });
    expect((await run(['query', 'one', 'n=7'], { cwd })).out).toBe('n\n-\n7\n');
    expect(JSON.parse((await run(['query', 'one', 'n=7', '--output', 'json'], { cwd })).out)).toEqual([
      { n: 7 },
    ]);
    expect((await run(['query', 'one', 'n=7', '--output', 'csv'], { cwd })).out).toBe('n\n7\n');
  });

  test('says what is wrong with a call', async () => {
    const cwd = folder({ 'endpoints/one.yaml': GOOD });
    const { code, err } = await run(['query', 'one', 'n=300', 'm=1'], { cwd });
    expect(code).toBe(1);
    expect(err).toMatch(/request\.parameters_invalid[^]*n: must be[^]*255/);
  });
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

  test('makes the file when there is none, and refuses a name twice', async () => {
    const cwd = scratch();
    expect((await run(['token', 'create', 'a'], { cwd })).code).toBe(0);
    const again = await run(['token', 'create', 'a'], { cwd });
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('already has a key named "a"') });
    expect((await run(['token', 'create', 'b'], { cwd })).code).toBe(0);
  });

  test.each([
    { why: 'a bad name', args: ['a b'] },
    { why: 'a bad glob', args: ['a', '--endpoints', 'Logs'] },
    { why: 'a bad language', args: ['a', '--allow', 'php'] },
    { why: 'a bad time', args: ['a', '--expires', 'tomorrow'] },
  ])('refuses $why', async ({ args }) => {
    expect((await run(['token', 'create', ...args])).code).toBe(2);
  });
});

describe('serve that cannot start', () => {
  test('without keys', async () => {
    const { code, err } = await run(['serve'], { cwd: folder({}) });
    expect(code).toBe(1);
    expect(err).toMatch(/MILLRACE_TOKENS[^]*token create[^]*--dev/);
  });

  test.each([
    { why: 'a tokens file that is missing', tokens: 'nowhere.yaml', says: /no tokens file at nowhere\.yaml/ },
    {
      why: 'a tokens file with errors',
      tokens: 'bad.yaml',
      says: /bad\.yaml:2:5 error[^]*sha256[^]*does not start without valid keys/,
    },
  ])('with $why', async ({ tokens, says }) => {
    const cwd = folder({ 'bad.yaml': 'tokens:\n  - { name: a, endpoints: ["*"] }\n' });
    const { code, err } = await run(['serve', '--tokens', tokens], { cwd });
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
    const { code, err } = await run(['serve', '--dev', '--admin-port', '0', '--port', String(port)], {
      cwd: folder({}),
    });
    holder.close();
    expect(code).toBe(1);
    expect(err).toContain(`127.0.0.1:${port} is in use`);
  });

  test('without a folder of endpoints', async () => {
    const { code, err } = await run(['serve', '--dev', '--port', '0', '--admin-port', '0'], {
      cwd: scratch(),
    });
    expect(code).toBe(1);
    expect(err).toContain('There is no folder endpoints');
  });

  test('with seeds that fail', async () => {
    const cwd = folder({});
    mkdirSync(join(cwd, 'seeds'));
    writeFileSync(join(cwd, 'seeds', '1.sql'), 'CREATE NONSENSE');
    const { code, err } = await run(['serve', '--dev', '--port', '0', '--admin-port', '0'], { cwd });
    expect(code).toBe(1);
    expect(err).toMatch(/seeds could not be loaded/);
  });

  test('over a data folder that cannot be made', async () => {
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
