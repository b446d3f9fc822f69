// What the explorer says an endpoint exposes to the holder of the key.
import { expect, test } from 'vitest';
import { exposureFacts } from '../../explorer/src/frame/exposure.ts';
import type { Endpoint } from '../../explorer/src/service/listing.ts';

const ENDPOINT: Endpoint = {
  id: '00000000-0000-4000-8000-000000000000',
  name: 'shop.orders',
  version: null,
  versions: [],
  deprecated: null,
  description: '',
  revision: '',
  parameters: [{ name: 'tenant', type: 'String', required: true }],
  tenant: null,
  columns: [
    { name: 'id', type: 'UInt64', typescript: 'number' },
    { name: 'email', type: 'String', typescript: 'string', redacted: 'mask' },
    { name: 'meta', type: 'JSON', typescript: 'unknown', redacted: 'parts' },
  ],
  max_rows: 10,
  cache: null,
  warming: null,
  pii: { redact: true },
  limits: { time: 1, rate: null, budget: {} },
  examples: [],
  sandbox: { enabled: false },
};
const LOCKED = [{ name: 'tenant', type: 'String', required: true, locked: true }] as const;
const SANDBOX: Endpoint['sandbox'] = {
  enabled: true,
  languages: ['sql', 'lql'],
  dialects: ['clickhouse'],
  default_table: null,
  tables: [{ name: 'o', columns: [] }],
  functions: {},
};

test.each<[why: string, endpoint: Partial<Endpoint>, facts: Readonly<Record<string, string | undefined>>]>([
  [
    'redaction, without tenants',
    {},
    {
      Rows: 'not limited by your key',
      Columns: 'id, email (masked), meta (partly redacted)',
      'Your queries': undefined,
      'Personal data': 'detected in strings and redacted in every response to you',
    },
  ],
  ['a locked parameter', { parameters: LOCKED }, { Rows: 'limited by tenant, fixed by your key' }],
  ['a locked tenant', { tenant: 'tenant', parameters: LOCKED }, { Rows: 'of one tenant, fixed by your key' }],
  [
    'a budget',
    { limits: { time: 1, rate: null, budget: { read: '1 GiB per day', time: '60 s per hour' } } },
    { Budget: 'reading 1 GiB per day and 60 s per hour of the engine, for your key' },
  ],
  ['any tenant', { tenant: 'tenant' }, { Rows: 'of the tenant in the request, which may be any' }],
  [
    'consumer queries, columns not known',
    { sandbox: SANDBOX, columns: null, pii: { redact: false } },
    {
      'Your queries': 'in SQL and LQL, over o',
      Columns: undefined,
      'Personal data': 'not redacted, unless a request asks for it',
    },
  ],
])('%s', (_, endpoint, expected) => {
  const facts = new Map(exposureFacts({ ...ENDPOINT, ...endpoint }).map(({ name, text }) => [name, text]));
  for (const [name, text] of Object.entries(expected)) expect(facts.get(name)).toBe(text);
});
