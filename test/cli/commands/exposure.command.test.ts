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
