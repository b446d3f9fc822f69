import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingNames } from '../../../src/service/config/settings.ts';
import { loadSettings, type SettingsSources } from '../../../src/service/config/load-settings.ts';

const none: SettingsSources = {
  flags: {},
  env: {},
  file: { path: '/nowhere/millrace.yaml', required: false },
};

async function file(text: string): Promise<SettingsSources['file']> {
  const path = join(await mkdtemp(join(tmpdir(), 'millrace-')), 'millrace.yaml');
  await writeFile(path, text);
  return { path, required: true };
}

async function settingsOf(sources: SettingsSources) {
  const loaded = await loadSettings(sources);
  if (!('settings' in loaded)) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.settings;
}

test('every setting of the schema is resolved', () => {
  const sources = [
    'effective-settings.ts',
    'clickhouse-settings.ts',
    'jwt-settings.ts',
    'tinybird-settings.ts',
    'trace-settings.ts',
    'export-settings.ts',
  ]
    .map((name) => readFileSync(join(import.meta.dirname, '../../../src/service/config', name), 'utf8'))
    .join('\n');
  const parts = [...sources.matchAll(/const \{([^}]*)\} = all\b/g)].map(([, names]) => names).join();
  const read = new Set(
    [...`${parts} ${sources.match(/\b(?:all|given)\.\w+/g)?.join(' ')}`.matchAll(/\w+/g)].map(String),
  );
  const unused = settingNames().filter(({ key }) => !read.has(key));
  expect(unused.map(({ key }) => key)).toEqual([]);
});

describe('settings', () => {
  test('have the documented defaults', async () => {
    expect(await settingsOf(none)).toMatchObject({
      host: '127.0.0.1',
      port: 4000,
      endpoints: 'endpoints',
      tokens: undefined,
      data: '.millrace',
      seeds: 'seeds',
      headerPrefix: 'SVC',
      clickhouse: undefined,
    });
  });

  test('precedence is flag, environment, file, default', async () => {
    const sources = {
      flags: { port: '1' },
      env: { MILLRACE_PORT: '2', MILLRACE_HOST: 'env' },
      file: await file('port: 3\nhost: file\ndata: file\n'),
    };
    expect(await settingsOf(sources)).toMatchObject({ port: 1, host: 'env', data: 'file', seeds: 'seeds' });
  });

  test('an empty variable counts as unset', async () => {
    expect(await settingsOf({ ...none, env: { MILLRACE_HOST: '' } })).toMatchObject({ host: '127.0.0.1' });
  });

  test('the file can reference environment variables', async () => {
    const sources = {
      ...none,
      env: { PW: 's3cret' },
      file: await file('clickhouse_url: http://h:8123\nclickhouse_password: ${PW}\n'),
    };
    expect((await settingsOf(sources)).clickhouse).toMatchObject({
      urls: ['http://h:8123'],
      user: 'default',
      password: 's3cret',
    });
  });

  test('servers and their users', async () => {
    const env = {
      CLICKHOUSE_URL: 'https://a:8443,https://b:8443, https://c/db',
      CLICKHOUSE_CONSUMER_USER: 'guest',
      CLICKHOUSE_CERTIFICATE: 'own.pem',
      CLICKHOUSE_KEY: 'own.key',
      CLICKHOUSE_COMPRESSION: 'true',
    };
    expect((await settingsOf({ ...none, env })).clickhouse).toEqual({
      urls: ['https://a:8443', 'https://b:8443', 'https://c/db'],
      user: 'default',
      password: '',
      consumer: { user: 'guest', password: '' },
      ca: undefined,
      certificate: { cert: 'own.pem', key: 'own.key' },
      isCompressed: true,
      pingTimeoutMs: 1500,
      rowPolicies: false,
    });
  });

  test.each([
    {
      env: { CLICKHOUSE_URL: 'http://a,ftp://b' },
      code: 'schema.string_invalid',
      why: 'a server with another protocol',
    },
    { env: { CLICKHOUSE_URL: 'http://a,' }, code: 'schema.string_invalid', why: 'an address that is empty' },
    {
      env: { CLICKHOUSE_KEY: 'own.key' },
      code: 'settings.certificate_incomplete',
      why: 'a key without certificate',
    },
    ...[
      ['REDIS_URL', 'redis://:a#b@host', 'redis://:a/b@host', 'redis://:50%@host', 'redis://host/cache'],
      [
        'REDIS_URL',
        'redis://host?db=3',
        'redis://host/0?db=3',
        'redis://host/0?',
        'rediss://host/1?tls=true',
      ],
      ['REDIS_URL', 'redisx://host', 'redis+tls://host'],
      [
        'MILLRACE_PUBLIC_URL',
        'api.example.com',
        'ftp://host',
        'https://[',
        'https://u:p@host',
        'https://host?a=b',
        'https://host#a',
      ],
      ['REDIS_URL', 'redis://host/0#3', 'redis://host#', 'redis://:a?b@host'],
      ['CLICKHOUSE_URL', 'http://a,http://:p#a@b', 'http://a#b', 'http://a, http://b#'],
      [
        'CLICKHOUSE_URL',
        'http://a?database=b',
        'http://a,http://b/?clickhouse_setting_readonly=0',
        'http://a?',
      ],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://[', 'http://a/v1#traces'],
    ].flatMap(([name = '', ...urls]) =>
      urls.map((url) => ({ env: { [name]: url }, code: 'settings.url_invalid', why: `the URL ${url}` })),
    ),
    ...[
      'redis://a:6379,b:6379',
      'redis://:p@a,b/0',
      'rediss://a,b,c',
      'redis-sentinel://host:26379/0',
      'redis+sentinel://host/mymaster',
      'redis+cluster://host',
      'redis-cluster://a,b',
    ].map((url) => ({
      env: { REDIS_URL: url },
      code: 'settings.redis_unsupported',
      why: `the address of several servers ${url}`,
    })),
    ...['https://[/', 'https://user:password@host/', 'https://host/keys#1'].map((url) => ({
      env: { MILLRACE_JWT_ISSUER: 'i', MILLRACE_JWT_AUDIENCE: 'a', MILLRACE_JWT_JWKS_URL: url },
      code: 'settings.url_invalid',
      why: `the URL of keys ${url}`,
    })),
    {
      env: { MILLRACE_EXPORT_S3_OBJECT: '{endpoint}.csv' },
      code: 'settings.export_object',
      why: 'one name for all objects',
    },
    {
      env: { MILLRACE_EXPORT_S3_OBJECT: '{id}/{key}' },
      code: 'settings.export_object',
      why: 'an unknown placeholder',
    },
    {
      env: { MILLRACE_EXPORT_S3_KEY: 'k' },
      code: 'settings.export_credentials',
      why: 'a key without its secret',
    },
  ])('$why is rejected', async ({ env, code }) => {
    const loaded = await loadSettings({ ...none, env });
    expect('diagnostics' in loaded && loaded.diagnostics.map((each) => each.code)).toEqual([code]);
  });

  test.each([
    ['https://app.example.com/', /without the slash at its end/],
    [
      'https://app.example.com,https://b.example.com:8443/',
      /https:\/\/b\.example\.com:8443, without the slash/,
    ],
    ['https://app.example.com/page', /Write https:\/\/app\.example\.com, /],
    ['https://app.example.com?a', /Write https:\/\/app\.example\.com, /],
    ['https://user:pw@app.example.com', /Write https:\/\/app\.example\.com, /],
    ['app.example.com', /scheme/],
    ['localhost:3000', /scheme/],
    ['null', /scheme/],
    ['file:///home', /scheme/],
    ['https://', /scheme/],
    ['https://a b', /scheme/],
    ['https://a:99999', /scheme/],
    ['https://*.example.com', /each origin/],
    ['*,https://a', /alone/],
    ['https://a,,https://b', /single commas/],
    ['https://a,', /single commas/],
  ])('the origins %s are rejected in a sentence', async (origins, hint) => {
    const loaded = await loadSettings({ ...none, env: { MILLRACE_CORS_ORIGINS: origins } });
    expect('diagnostics' in loaded && loaded.diagnostics).toMatchObject([
      { code: 'settings.origin_invalid', hint: expect.stringMatching(hint) },
    ]);
    if (!('diagnostics' in loaded)) return;
    expect(JSON.stringify(loaded.diagnostics)).not.toMatch(/\^|pw@app.*Write.*pw|pattern/);
  });

  test.each([
    ['*', '*'],
    [' * ', '*'],
    ['https://app.example.com', ['https://app.example.com']],
    [
      'HTTPS://App.Example.com:443,http://a:80 , http://a:8080',
      ['https://app.example.com', 'http://a', 'http://a:8080'],
    ],
    ['http://[::1]:3000, http://127.0.0.1:3000', ['http://[::1]:3000', 'http://127.0.0.1:3000']],
    ['https://bücher.example', ['https://xn--bcher-kva.example']],
  ])('the origins %s are read as browsers write them', async (origins, expected) => {
    const loaded = await loadSettings({ ...none, env: { MILLRACE_CORS_ORIGINS: origins } });
    expect('settings' in loaded && loaded.settings.corsOrigins).toEqual(expected);
  });

  test('the file reads only variables that are named, if names are given; secrets are then not used', async () => {
    const text =
      'contact: ${OPEN}\nclickhouse_url: ${URL}\nclickhouse_password: a${PW}\nredis_url: ${PW}\npii_hash_key: ${PW}\n';
    const env = { OPEN: 'https://ops.example', PW: 'canary', URL: 'canary' };
    const settings = await settingsOf({ ...none, env, variables: ['OPEN'], file: await file(text) });
    expect(settings.contact).toBe('https://ops.example');
    expect(settings.piiHashKey).toBe('${PW}');
    expect(JSON.stringify(settings)).not.toContain('canary');
    const other = await loadSettings({ ...none, env, variables: ['NONE'], file: await file(text) });
    expect(other).toMatchObject({
      diagnostics: [{ code: 'settings.unnamed_variable', line: 1, column: 10 }],
    });
  });

  test('a variable that is named and not set', async () => {
    const sources = { ...none, variables: ['NONE'], file: await file('data: ${NONE}\n') };
    expect(await loadSettings(sources)).toMatchObject({
      diagnostics: [{ code: 'settings.missing_variable' }],
    });
  });

  test('a message has no value of a variable', async () => {
    const text = 'data: d\nport: ${PW}\nlog_level: a${PW}\nprot: 1\n';
    const loaded = await loadSettings({ ...none, env: { PW: 'canary' }, file: await file(text) });
    const found = 'diagnostics' in loaded ? loaded.diagnostics : [];
    expect(found.map(({ line, column }) => `${line}:${column}`).toSorted()).toEqual(['2:7', '3:12', '4:1']);
    expect(JSON.stringify(found)).not.toContain('canary');
    expect(JSON.stringify(found)).toContain('a${PW}');
  });

  test.each([
    {
      why: 'a variable that is not set',
      text: 'host: a\ndata: ${NOT_THERE}\n',
      codes: ['settings.missing_variable'],
      at: [2, 7],
    },
    { why: 'an unknown key', text: 'prot: 4000\n', codes: ['schema.unknown_key'], at: [1, 1] },
    { why: 'a port out of range', text: 'port: 70000\n', codes: ['schema.out_of_bounds'], at: [1, 7] },
    { why: 'malformed YAML', text: 'port: [\n', codes: ['yaml.bad_indent'], at: [1, 8] },
  ])('$why is reported at its location', async ({ text, codes, at }) => {
    const loaded = await loadSettings({ ...none, file: await file(text) });
    const found = 'diagnostics' in loaded ? loaded.diagnostics : [];
    expect(found.map((each) => each.code)).toEqual(codes);
    expect(found[0]).toMatchObject({ line: at[0], column: at[1] });
  });

  test('invalid flags and variables are reported by name, all at once', async () => {
    const loaded = await loadSettings({ ...none, flags: { queue: 'many' }, env: { MILLRACE_PORT: 'http' } });
    const found = 'diagnostics' in loaded ? loaded.diagnostics : [];
    expect(found.map((each) => [each.file, each.code])).toEqual([
      ['MILLRACE_PORT', 'schema.wrong_type'],
      ['--queue', 'schema.wrong_type'],
    ]);
  });

  test('are shown with their sources, without secrets', async () => {
    const loaded = await loadSettings({
      flags: { port: '1' },
      env: {
        CLICKHOUSE_PASSWORD: 'hidden',
        REDIS_URL: 'redis://u:hidden@h:1/0',
        MILLRACE_JWT_ISSUER: 'https://u:hidden@i',
        MILLRACE_JWT_AUDIENCE: 'a',
        MILLRACE_JWT_JWKS_URL: 'https://i/k',
      },
      file: await file('host: h\n'),
    });
    const shown = 'settings' in loaded ? loaded.settings.shown : {};
    expect(shown).toMatchObject({
      port: { value: 1, source: 'flag' },
      host: { value: 'h', source: 'file' },
      clickhouse_password: { value: '***', source: 'environment' },
      redis_url: { value: '***', source: 'environment' },
      jwt_issuer: { value: 'https://u:***@i', source: 'environment' },
      endpoints: { value: 'endpoints', source: 'default' },
      tokens: { value: null, source: 'default' },
    });
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  test('a named file that is missing is a finding', async () => {
    const loaded = await loadSettings({ ...none, file: { path: '/nowhere/else.yaml', required: true } });
    expect('diagnostics' in loaded && loaded.diagnostics[0]).toMatchObject({
      code: 'settings.unreadable',
      file: '/nowhere/else.yaml',
    });
  });

  test('each one has its own variable', () => {
    const variables = settingNames().map((name) => name.env);
    expect(new Set(variables).size).toBe(variables.length);
    expect(variables.every((name) => /^(MILLRACE|CLICKHOUSE|REDIS|OTEL)_[A-Z0-9_]+$/.test(name))).toBe(true);
  });
});
