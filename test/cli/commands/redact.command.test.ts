// `millrace redact --explain` as a user runs it: what it reports, and that it prints no value.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';

const SEED = `CREATE DATABASE app;
CREATE TABLE app.visits (tenant String, id UInt32, ts UInt32, message String, ip String, client UInt32, phone_no UInt64, surname String,
  session String, contact String, meta JSON, attrs Map(String, String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO app.visits SELECT if(number < 40, 'a', 'b'), number, 1700000000 + number, concat('GET /x from 203.0.113.', toString(number)), concat('10.20.30.', toString(number)),
  toUInt32(16777216 + number * 60000000), 4915112345000 + number, concat('Zweistein', toString(number)), concat(substring(base64Encode(SHA256(toString(number))), 1, 8), 'Qk7fPz0aWm2Rt'),
  'kim [at] corp.example', concat('{"user":{"name":"Petronella"},"card":"4111111111111111","n":', toString(number), '}'), map(concat('kim', toString(number), '@corp.example'), 'v')
  FROM numbers(50);`;

const SAVED = `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30
name: app.visits
query: SELECT * FROM app.visits WHERE tenant = @tenant
parameters: { tenant: { type: String, required: true } }
pii: { redact: true, columns: { surname: mask, no_such: drop } }
examples: [{ name: one, parameters: { tenant: a } }]
`;

const TABLES = SAVED.replace('2d30', '2d31')
  .replace('app.visits', 'app.tables')
  .replace(
    'SELECT * FROM app.visits WHERE tenant = @tenant',
    'WITH v AS (SELECT * FROM app.visits WHERE tenant = @tenant), w AS (SELECT message FROM app.visits WHERE tenant = @tenant) SELECT count() AS n FROM v',
  )
  .concat('sandbox: { enabled: true }\n');

const SOURCE = SAVED.replace('2d30', '2d32')
  .replace('name: app.visits', 'name: app.source')
  .replace('redact: true', 'redact: true, at: source');

let cwd: string;
beforeAll(() => {
  cwd = scratch();
  for (const name of ['endpoints', 'seeds']) mkdirSync(join(cwd, name));
  writeFileSync(join(cwd, 'seeds/1.sql'), SEED);
  for (const [name, text] of Object.entries({ saved: SAVED, tables: TABLES, source: SOURCE }))
    writeFileSync(join(cwd, `endpoints/${name}.yaml`), text);
});

/** Anything of the rows. */
const VALUES = /203\.0|10\.20\.30|Zweistein|Qk7f|kim|corp|Petronella|4111|491511/;

const explain = async (...args: string[]) => {
  const { code, out, err } = await run(['redact', '--explain', ...args], { cwd });
  expect([code, VALUES.test(out), err.includes('millrace:')]).toEqual([0, false, false]);
  return out;
};

interface Report {
  readonly samples: readonly {
    readonly name: string;
    readonly rows: number;
    readonly found: readonly {
      path: string;
      detector: string;
      values: number;
      isRedacted: string;
      line?: string;
    }[];
    readonly rules: readonly unknown[];
    readonly look: readonly { path: string; reason: string; line: string }[];
  }[];
  readonly unused: readonly string[];
}

test('what was found, by detector, column and path, and what a person should look at', async () => {
  const { samples, unused } = JSON.parse(await explain('app.visits', '--json')) as Report;
  const [sample] = samples;
  expect([samples.length, sample?.name, sample?.rows, unused]).toEqual([1, 'result', 40, ['no_such']]);
  expect(
    sample?.found.map(({ path, detector, values, isRedacted }) => [path, detector, values, isRedacted]),
  ).toEqual([
    ['message', 'ip', 40, 'detector'],
    ['ip', 'ip', 40, 'detector'],
    ['meta.card', 'card', 40, 'no'],
  ]);
  expect(sample?.found[2]?.line).toBe('detectors: [ip, email, card]');
  expect(sample?.rules).toEqual([{ path: 'surname', action: 'mask', values: 40 }]);
  expect(sample?.look.map(({ path, reason, line }) => [path, reason, line])).toEqual([
    ['client', 'ip_as_number', 'columns: { client: mask }'],
    ['phone_no', 'phone_as_number', 'columns: { phone_no: mask }'],
    ['phone_no', 'name', 'columns: { phone_no: mask }'],
    ['session', 'high_entropy', 'columns: { session: mask }'],
    ['contact', 'spelled_out_email', 'columns: { contact: mask }'],
    ['contact', 'name', 'columns: { contact: mask }'],
    ['meta.card', 'name', 'columns: { meta.card: mask }'],
    ['meta.user.name', 'name', 'columns: { meta.user.name: mask }'],
  ]);
});

test('as text, with parameters', async () => {
  const out = await explain('app.visits', 'tenant=b', '--rows', '5');
  expect(out).toContain('result: 5 rows');
  expect(out).toMatch(/message +ip +5 +100% +xxx \/x xxxx 999\.9\.999\.99 +detector/);
  expect(out).toMatch(/Rules that applied to nothing here: no_such/);
});

test('each table of consumer queries; stored tables of a query that is redacted at the source', async () => {
  const tables = JSON.parse(await explain('app.tables', '--json')) as Report;
  expect(tables.samples.map(({ name, rows }) => [name, rows])).toEqual([['table v', 40], ['table w', 40]]); // prettier-ignore
  const source = JSON.parse(await explain('app.source', '--json')) as Report;
  expect(source.samples.map(({ name, rows }) => [name, rows])).toEqual([['stored table app.visits', 50]]);
});

test.each([
  [['app.visit', '--explain'], 1, 'There is no endpoint app.visit; did you mean app.visits?'],
  [['app.visits'], 2, 'add --explain'],
  [['app.visits', '--explain', '--rows', '0'], 2, 'It is a number from 1 to 100000'],
  [['app.visits', '--explain', 'other=1'], 1, 'other'],
])('%j exits with %d', async (args, exit, message) => {
  const { code, err } = await run(['redact', ...args], { cwd });
  expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
});
