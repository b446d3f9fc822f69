// Changes of the keys of an endpoint file beside an unchanged query, and the calls that they allow.
import type { Keys } from '../fixture.ts';

export interface KeyPair {
  readonly name: string;
  readonly before: Keys;
  readonly after: Keys;
  readonly isSecurity: boolean;
  /** Values that only the file after the change accepts, with which a call sees other tenants' rows. */
  readonly values?: Readonly<Record<string, string>>;
}

type Row = readonly [
  name: string,
  query: string,
  before: string,
  after: string,
  values?: Readonly<Record<string, string>>,
];

function parameters(isSecurity: boolean, rows: readonly Row[]): readonly KeyPair[] {
  return rows.map(([name, query, before, after, values]) => ({
    name,
    before: { query, parameters: `{ ${before} }` },
    after: { query, parameters: `{ ${after} }` },
    isSecurity,
    ...(values === undefined ? {} : { values }),
  }));
}

const OPTIONAL = 'SELECT path FROM app.events WHERE @owner IS NULL OR tenant = @owner';
const EMPTY = "SELECT path FROM app.events WHERE (@tenant = '' OR tenant = @tenant) AND ms > 5";
const ALL = "SELECT path FROM app.events WHERE @tenant = 'all' OR tenant = @tenant";
const ZERO = 'SELECT label FROM app.devices WHERE if(@org = 0, 1, org = @org)';
const LIKE = 'SELECT path FROM app.events WHERE tenant LIKE @tenant';
const MATCH = 'SELECT path FROM app.events WHERE match(tenant, @tenant)';
const PREFIX = 'SELECT path FROM app.events WHERE startsWith(tenant, @tenant)';
const PLAIN = 'SELECT path FROM app.events WHERE tenant = @tenant AND ms >= @least';
const TENANT = 'tenant: { type: String, required: true }';
const LEAST = 'least: { type: UInt32, default: 0 }';

export const LOOSER: readonly KeyPair[] = [
  ...parameters(true, [
    [
      'required becomes optional, and NULL means all',
      OPTIONAL,
      'owner: { type: String, required: true }',
      'owner: { type: String }',
      { owner: '\\\\N' },
    ],
    [
      'a default of the tenant is all',
      ALL,
      'tenant: { type: String, required: true }',
      'tenant: { type: String, default: all }',
      { tenant: 'all' },
    ],
    [
      'a default of the tenant is empty',
      EMPTY,
      'tenant: { type: String, required: true }',
      "tenant: { type: String, default: '' }",
      { tenant: '' },
    ],
    [
      'the default becomes all',
      ALL,
      'tenant: { type: String, default: a }',
      'tenant: { type: String, default: all }',
      { tenant: 'all' },
    ],
    [
      'an enum gains all',
      ALL,
      'tenant: { type: String, required: true, enum: [a, c] }',
      'tenant: { type: String, required: true, enum: [a, c, all] }',
      { tenant: 'all' },
    ],
    [
      'an enum is removed',
      ALL,
      'tenant: { type: String, required: true, enum: [a, c] }',
      'tenant: { type: String, required: true }',
      { tenant: 'all' },
    ],
    [
      'min_length is removed',
      EMPTY,
      'tenant: { type: String, required: true, min_length: 1 }',
      'tenant: { type: String, required: true }',
      { tenant: '' },
    ],
    [
      'min_length becomes 0',
      EMPTY,
      'tenant: { type: String, required: true, min_length: 1 }',
      'tenant: { type: String, required: true, min_length: 0 }',
      { tenant: '' },
    ],
    [
      'min is removed',
      ZERO,
      'org: { type: UInt32, required: true, min: 1 }',
      'org: { type: UInt32, required: true }',
      { org: '0' },
    ],
    [
      'min becomes 0',
      ZERO,
      'org: { type: UInt32, required: true, min: 1 }',
      'org: { type: UInt32, required: true, min: 0 }',
      { org: '0' },
    ],
    [
      'a pattern before LIKE is removed',
      LIKE,
      'tenant: { type: String, required: true, pattern: "[a-z]+" }',
      'tenant: { type: String, required: true }',
      { tenant: '%' },
    ],
    [
      'a pattern before LIKE is wider',
      LIKE,
      'tenant: { type: String, required: true, pattern: "[a-z]+" }',
      'tenant: { type: String, required: true, pattern: "[a-z%]+" }',
      { tenant: '%' },
    ],
    [
      'a pattern before match() is removed',
      MATCH,
      'tenant: { type: String, required: true, pattern: "[a-z]+" }',
      'tenant: { type: String, required: true }',
      { tenant: '.' },
    ],
    [
      'a format becomes free before match()',
      MATCH,
      'tenant: { type: String, required: true, enum: [a] }',
      'tenant: { type: String, required: true, enum: [a, ".*"] }',
      { tenant: '.*' },
    ],
    [
      'min_length before startsWith() is removed',
      PREFIX,
      'tenant: { type: String, required: true, min_length: 1 }',
      'tenant: { type: String, required: true }',
      { tenant: '' },
    ],
    [
      'an enum before startsWith() is removed',
      PREFIX,
      'tenant: { type: String, required: true, enum: [a] }',
      'tenant: { type: String, required: true }',
      { tenant: '' },
    ],
  ]),
  {
    name: 'a new column of a masked one',
    before: {
      query: 'SELECT id, name FROM app.users WHERE tenant = @tenant',
      parameters: `{ ${TENANT} }`,
      pii: '{ redact: true, columns: { name: mask } }',
    },
    after: {
      query: 'SELECT id, name, upper(name) AS label FROM app.users WHERE tenant = @tenant',
      parameters: `{ ${TENANT} }`,
      pii: '{ redact: true, columns: { name: mask } }',
    },
    isSecurity: true,
  },
  {
    name: 'a masked column under another name',
    before: {
      query: 'SELECT id, name FROM app.users WHERE tenant = @tenant',
      parameters: `{ ${TENANT} }`,
      pii: '{ redact: true, columns: { name: mask } }',
    },
    after: {
      query: "SELECT id, '' AS name, users.name AS label FROM app.users WHERE tenant = @tenant",
      parameters: `{ ${TENANT} }`,
      pii: '{ redact: true, columns: { name: mask } }',
    },
    isSecurity: true,
  },
  ...tenancies(true, [
    ['tenancy becomes none', '{ parameter: tenant }', '{ none: the rows belong to nobody }'],
    ['tenancy is removed', '{ parameter: tenant }', ''],
    ['tenancy names another parameter', '{ parameter: tenant }', '{ parameter: least }'],
    [
      'one more column counts',
      '{ parameter: tenant, columns: [tenant] }',
      '{ parameter: tenant, columns: [tenant, path] }',
    ],
    ['every column counts', '{ parameter: tenant, columns: [tenant] }', '{ parameter: tenant }'],
    [
      'one more shared table',
      '{ parameter: tenant }',
      '{ parameter: tenant, shared: { app.events: it is the same } }',
    ],
  ]),
];

function tenancies(
  isSecurity: boolean,
  rows: readonly (readonly [name: string, before: string, after: string])[],
): readonly KeyPair[] {
  const file = { query: PLAIN, parameters: `{ ${TENANT}, ${LEAST} }` };
  return rows.map(([name, before, after]) => ({
    name,
    before: { ...file, tenancy: before },
    after: { ...file, tenancy: after },
    isSecurity,
  }));
}

export const NOT_LOOSER: readonly KeyPair[] = [
  ...parameters(false, [
    [
      'another parameter becomes optional',
      PLAIN,
      `${TENANT}, least: { type: UInt32, required: true }`,
      `${TENANT}, ${LEAST}`,
    ],
    ['another default', PLAIN, `${TENANT}, ${LEAST}`, `${TENANT}, least: { type: UInt32, default: 5 }`],
    [
      'a wider range of another parameter',
      PLAIN,
      `${TENANT}, least: { type: UInt32, default: 5, max: 9 }`,
      `${TENANT}, least: { type: UInt32, default: 5, max: 90 }`,
    ],
    [
      'a wider type of another parameter',
      PLAIN,
      `${TENANT}, least: { type: UInt16, default: 5 }`,
      `${TENANT}, ${LEAST}`,
    ],
    [
      'a longer tenant',
      PLAIN,
      `tenant: { type: String, required: true, max_length: 10 }, ${LEAST}`,
      `tenant: { type: String, required: true, max_length: 20 }, ${LEAST}`,
    ],
    [
      'a shorter tenant',
      PLAIN,
      `${TENANT}, ${LEAST}`,
      `tenant: { type: String, required: true, min_length: 1 }, ${LEAST}`,
    ],
    [
      'an optional tenant becomes required',
      OPTIONAL,
      'owner: { type: String }',
      'owner: { type: String, required: true }',
    ],
    [
      'the default of all is removed',
      ALL,
      'tenant: { type: String, default: all }',
      'tenant: { type: String, required: true }',
    ],
    [
      'an enum loses all',
      ALL,
      'tenant: { type: String, required: true, enum: [a, all] }',
      'tenant: { type: String, required: true, enum: [a] }',
    ],
    [
      'a pattern before LIKE',
      LIKE,
      'tenant: { type: String, required: true }',
      'tenant: { type: String, required: true, pattern: "[a-z]+" }',
    ],
    [
      'a description',
      PLAIN,
      `${TENANT}, ${LEAST}`,
      `tenant: { type: String, required: true, description: whose }, ${LEAST}`,
    ],
  ]),
  ...tenancies(false, [
    ['tenancy is declared', '', '{ parameter: tenant }'],
    ['tenancy is stricter', '{ parameter: tenant }', '{ parameter: tenant, columns: [tenant] }'],
    [
      'one shared table less',
      '{ parameter: tenant, shared: { app.users: the same } }',
      '{ parameter: tenant }',
    ],
  ]),
];
