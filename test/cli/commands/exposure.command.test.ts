// `millrace exposure` as a user runs it, and keys and columns that reveal too much in `validate` and `serve`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, scratch } from '../../support/command.ts';

const SCHEMA = `CREATE DATABASE shop;
CREATE TABLE shop.buyers (tenant String, id UInt64, name String, email String) ENGINE = MergeTree ORDER BY id;`;

const ENDPOINT = `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30
name: shop.buyers
description: Buyers of a tenant.
query: |
  WITH buyers AS (
    SELECT name, email AS contact, lower(email) AS label FROM shop.buyers WHERE tenant = @tenant
  )
  SELECT contact, uniq(label) AS labels FROM buyers GROUP BY contact
parameters: { tenant: { type: String, required: true, enum: [a, b], description: Whose buyers. } }
tenancy: { parameter: tenant }
pii: { redact: true, columns: { contact: mask } }
sandbox: { enabled: true, languages: [sql] }
cache: { ttl: 60, until: data, check: 5 }
`;

const TOKENS = `tokens:
  - { name: a, sha256: ${'a'.repeat(64)}, endpoints: ['shop.*'], parameters: { tenant: a } }
  - { name: backend, sha256: ${'b'.repeat(64)}, endpoints: ['shop.*'] }
`;

function folder(files: Readonly<Record<string, string>>): string {
  const path = scratch();
  for (const name of ['endpoints', 'schema']) mkdirSync(join(path, name));
  const all = {
    'endpoints/shop.yaml': ENDPOINT,
    'schema/1.sql': SCHEMA,
    'tokens.yaml': TOKENS,
    'millrace.yaml': 'tokens: tokens.yaml\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(path, name), text);
  return path;
}

test('prints what endpoints expose', async () => {
  const { code, out, err } = await run(['exposure'], { cwd: folder({}) });
  expect([code, err]).toEqual([0, '']);
  expect(out).toBe(`shop.buyers  endpoints/shop.yaml
  tenants           separated by @tenant
  keys              a, backend
  consumer queries  sql (clickhouse)
  redaction         every response: ip, email, contact: mask
  cache             until the data changes, checked every 5 s, at most 60 s
  rows              at most 1000

  table buyers of the sandbox
    reads shop.buyers: confined by @tenant
    column   type    from                             redacted
    name     String  shop.buyers.name
    contact  String  shop.buyers.email                mask
    label    String  computed from shop.buyers.email

  saved query
    reads shop.buyers: confined by @tenant
    column   type    from                            redacted
    contact  String  shop.buyers.email               mask
    labels   UInt64  aggregate of shop.buyers.email
`);
});

test('the same for programs', async () => {
  const { code, out } = await run(['exposure', '--format', 'json', 'endpoints/shop.yaml'], {
    cwd: folder({}),
  });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    endpoints: [
      {
        endpoint: 'shop.buyers',
        tenant: 'tenant',
        keys: ['a', 'backend'],
        queries: [
          {
            table: 'buyers',
            columns: [{ name: 'name' }, { name: 'contact', rule: 'mask' }, { name: 'label' }],
          },
          { reads: [{ name: 'shop.buyers', kind: 'table', confinedBy: ['tenant'], isShared: false }] },
        ],
      },
    ],
  });
});

test('validate warns of keys for any tenant and of functions of redacted columns', async () => {
  const { code, out } = await run(['validate', '--format', 'json'], { cwd: folder({}) });
  expect(code).toBe(0);
  const { findings } = JSON.parse(out) as { findings: { code: string; file: string; line: number }[] }; // our own report
  expect(findings.map((each) => [each.code, each.file, each.line])).toEqual([
    ['pii.not_redacted', 'endpoints/shop.yaml', 6],
    ['tenancy.key_not_locked', 'tokens.yaml', 3],
  ]);
});

test('a key with a value that its endpoint rejects is an error, in validate and at start', async () => {
  const cwd = folder({ 'tokens.yaml': TOKENS.replace('tenant: a', 'tenant: c') });
  const validated = await run(['validate', '--no-engine'], { cwd });
  expect([validated.code, validated.out]).toEqual([1, expect.stringContaining('tokens.yaml:2:')]);
  expect(validated.out).toContain('tenancy.key_value_rejected');
  const served = await run(['serve', '--port', '0', '--admin-port', '0'], { cwd });
  expect(served.code).toBe(1);
  expect(served.err).toContain('tenancy.key_value_rejected');
  expect(served.err).toContain('requires a valid tokens file to start');
});
