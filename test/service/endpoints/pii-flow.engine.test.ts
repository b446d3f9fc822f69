// Result columns that are made of redacted ones: each finding at the line and column marked by «.
import { locateAll } from '../../../src/service/config/locate-finding.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInspect } from '../../../src/service/endpoints/compile.ts';
import { findUnknownNames } from '../../../src/cli/checks/engine/known-names.ts';
import { findSourceFault } from '../../../src/cli/checks/engine/source-check.ts';
import { findNotFollowed, findUnredacted } from '../../../src/service/endpoints/pii-flow.ts';
import { modelsOf } from '../../../src/service/endpoints/query-models.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const TABLES = `CREATE DATABASE crm;
CREATE TABLE crm.people (id UInt64, name String, email String, phone UInt64, city String, meta Tuple(user Tuple(name String), host String), json JSON, attributes Map(String, String)) ENGINE = MergeTree ORDER BY id;
CREATE TABLE crm.documents (id UInt64, doc JSON, typed JSON(user.email String), any Dynamic, either Variant(JSON, String), map Map(String, String), items Array(Tuple(sku String, email String))) ENGINE = MergeTree ORDER BY id;
CREATE TABLE crm.visits (person UInt64, path String, email String) ENGINE = MergeTree ORDER BY person;
CREATE DICTIONARY crm.emails (id UInt64, email String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'crm' TABLE 'people')) LAYOUT(HASHED()) LIFETIME(0);
CREATE VIEW crm.contacts AS SELECT id, email AS contact FROM crm.people;`;

const inspect = createInspect({ piiHashKey: 'key' });
let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-pii-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute(TABLES);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

async function findingsOf(text: string): Promise<readonly Finding[]> {
  const { inspected, diagnostics } = inspect('crm.yaml', text);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  const models = await modelsOf(engine, inspected);
  const unredacted = findUnredacted(inspected, models).map(({ finding }) => finding);
  return locateAll(inspected.document, [...unredacted, ...findNotFollowed(inspected, models)]);
}

type Row = readonly [
  why: string,
  query: string,
  columns: string,
  severities: readonly ('error' | 'warning')[],
  more?: string,
];

const ROWS: readonly Row[] = [
  ['only the redacted column', 'SELECT id, email FROM crm.people', 'email: mask', []],
  ['the same column again', 'SELECT email, email AS «contact FROM crm.people', 'email: mask', ['error']],
  ['a function of it', 'SELECT name, upper(name) AS «label FROM crm.people', 'name: mask', ['warning']],
  ['a function of it with a rule', 'SELECT name, upper(name) AS label FROM crm.people', 'name: mask, label: mask', []],
  ['a redacted function of it', 'SELECT upper(name) AS label, «name FROM crm.people', 'label: mask', ['error']],
  ['in any case', 'SELECT name AS Name, name AS «other FROM crm.people', 'NAME: hash', ['error']],
  ['in another line', 'SELECT\n  name,\n  concat(name, city) AS «label\n  FROM crm.people', 'name: mask', ['warning']],
  ['counted', 'SELECT city, count(DISTINCT p.email) AS people, any(p.email) AS email FROM crm.people p GROUP BY city', 'email: mask', []],
  ['the largest one', 'SELECT city, any(p.email) AS email, max(p.email) AS «last FROM crm.people p GROUP BY city', 'email: mask', ['error']],
  ['a list of all', 'SELECT any(p.email) AS email, groupArray(p.email) AS «list FROM crm.people p', 'email: mask', ['error']],
  ['hashed', 'SELECT email, sipHash64(email) AS visitor, hex(SHA256(email)) AS h FROM crm.people', 'email: drop', []],
  ['compared', "SELECT email, email LIKE '%@a.example' AS is_ours, if(email = '', 1, 2) AS n FROM crm.people", 'email: drop', []],
  ['a branch', "SELECT email, if(id = 1, email, '') AS «mine FROM crm.people", 'email: drop', ['error']],
  ['another column of the same name', 'SELECT p.email AS email, v.email AS other FROM crm.people p JOIN crm.visits v ON v.person = p.id', 'email: mask', []],
  ['a WITH table', 'WITH c AS (SELECT email, email AS «contact FROM crm.people) SELECT contact, email FROM c', 'email: mask', ['error']],
  ['a table of the sandbox', 'WITH c AS (SELECT email, lower(email) AS «contact FROM crm.people) SELECT 1 AS one FROM c', 'email: mask', ['warning'], 'sandbox: { enabled: true }'],
  ['renamed by the saved query', 'WITH c AS (SELECT email FROM crm.people) SELECT email AS «e FROM c', 'email: mask', ['error'], 'sandbox: { enabled: true }'],
  ['a branch of a union', "SELECT email, '' AS «x FROM crm.people UNION ALL SELECT email, email FROM crm.people", 'email: mask', ['error']],
  ['a view', 'SELECT c.contact AS email, p.email AS «x FROM crm.people p JOIN crm.contacts c ON c.id = p.id', 'email: mask', ['error']],
  ['a value of several', "SELECT coalesce(nullIf(name, ''), toString(id)) AS label, id, city FROM crm.people", 'label: mask', []],
  ['one of two parts', "SELECT concat(name, ' ', toString(id)) AS label, id, «name FROM crm.people", 'label: mask', ['error']],
  ['an element of a tuple', 'SELECT meta, meta.user.name AS «who, meta.host AS host FROM crm.people', 'meta.user.name: mask', ['error']],
  ['a tuple as a whole', 'SELECT meta, meta AS «raw FROM crm.people', 'meta.user: mask', ['error']],
  ['a tuple with a rule for the same element', 'SELECT meta, meta AS raw FROM crm.people', 'meta.user: mask, raw.user: mask', []],
  ['a tuple as text', 'SELECT meta, toJSONString(meta) AS «text FROM crm.people', 'meta.user: mask', ['error']],
  ['a path of JSON', 'SELECT json, json.user.name::String AS «who, json.host::String AS host FROM crm.people', 'json.user: mask', ['error']],
  ['a key of a map', "SELECT attributes, attributes['user'] AS «who, attributes['host'] AS host FROM crm.people", 'attributes.user: mask', ['error']],
  ['a map that is built', "SELECT map('user', name, 'city', city) AS m, name AS «who, city FROM crm.people", 'm.user: mask', ['error']],
  ['a dictionary', "SELECT dictGet('crm.emails', 'email', id) AS email, dictGet('crm.emails', 'email', id) AS «x FROM crm.people", 'email: mask', ['error']],
  ['a name with a dot', 'SELECT name AS `user.name`, name AS «x FROM crm.people', 'user: mask', ['error']],
  ['no rules', 'SELECT email, email AS contact FROM crm.people', '', []],
]; // prettier-ignore

test.each(ROWS.map(([why, ...row]) => ({ why, row })))(
  '$why',
  async ({ row: [query, columns, severities, more = ''] }) => {
    const lines = query.split('\n').map((line) => `  ${line}\n`);
    const marked = `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: crm.people\nquery: |\n${lines.join('')}pii: { redact: true, columns: { ${columns} } }\n${more}\n`;
    const found = await findingsOf(marked.replace('«', ''));
    expect(found.map(({ severity }) => severity)).toEqual(severities);
    if (severities.length !== 1) return;
    const before = marked.slice(0, marked.indexOf('«')).split('\n');
    expect(found[0]).toMatchObject({
      code: 'pii.not_redacted',
      line: before.length,
      column: (before.at(-1)?.length ?? 0) + 1,
    });
  },
);

// The engine has many names for one value: each of these returns what the rule is about under another name.
test.each([
  ['doc.user.email: mask', 'doc', [
    'doc.user.email', 'doc.user.email.:String', 'doc.user.email.:`String`', '"doc.user.email.:`String`"',
    'doc.^user', 'doc.^`user`', 'doc.user.^email', 'doc.user.email::String', 'doc.user.email.:`Array(JSON)`', 'doc.user[].email', 'doc.user[][].email',
    'doc.user.:`Array(JSON)`.email', 'doc.user.:`Array(JSON)`.email.:`Array(String)`', 'doc.user.:JSON.email', 'doc.user[].^email', 'doc.user[1].email',
    "getSubcolumn(doc, 'user.email')", "getSubcolumn(doc, 'user.email.:`String`')", "getSubcolumn(doc, '^`user`')", "tupleElement(doc, 'user')",
    "tupleElement(doc.^user, 'email')", "dynamicElement(doc.user.email, 'String')", "JSONExtractString(doc::String, 'user', 'email')",
    "JSONExtractRaw(toJSONString(doc), 'user')", "JSONExtract(doc::String, 'user', 'email', 'String')", "JSON_VALUE(doc::String, '$.user.email')",
    "simpleJSONExtractRaw(doc::String, 'user')", "JSONExtractString(doc::String, 1, 'email')", 'arrayJoin(doc.user[]).email', 'd.doc.user.email.:String', 'crm.documents.doc.^user', '(doc.user.email.:String AS z)',
    '(SELECT any(doc.user.email.:String) FROM crm.documents)', 'any(doc.user.email.:String) OVER ()', "concat(doc.user.email.:String, '\\n')",
  ]],
  ['typed.user.email: mask', 'typed', ['typed.user.email', 'typed.user.email.:String', 'typed.^user', "getSubcolumn(typed, 'user.email')", 'typed::String']],
  ['any.user: mask', 'any', ['any.JSON.user', 'any.JSON.^user', 'any.JSON.user.:String', 'any.`Array(JSON)`.user', 'any.`Array(JSON)`', "dynamicElement(any, 'JSON')", 'any.String']],
  ['either.user: mask', 'either', ['either.JSON.user', 'either.JSON', 'either.JSON.user.:String', "variantElement(either, 'JSON')"]],
  ['map.email: mask', 'map', ["map['email']", 'map.key_email', 'map.values', 'mapValues(map)', "arrayElement(map, 'email')", "getSubcolumn(map, 'key_email')", "getSubcolumn(map, 'values')"]],
  ['items.email: mask', 'items', ['items.email', 'items.2', 'items[1].email', 'items[1].2', "getSubcolumn(items, 'email')", 'tupleElement(items, 2)', 'arrayMap(i -> i.email, items)', 'arrayJoin(items).email', 'arrayJoin(items.email)']],
] as const)('%s by every name of the engine', async (rule, column, names) => {
  for (const name of names) {
    for (const query of [`SELECT ${column}, ${name} AS other FROM crm.documents AS d`, `WITH t AS (SELECT * FROM crm.documents) SELECT ${column}, other FROM (SELECT ${column}, ${name.replace('crm.documents.', '')} AS other FROM t AS d)`]) {
      const found = await findingsOf(`id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: crm.people\nquery: |\n  ${query}\npii: { redact: true, columns: { ${rule} } }\n`);
      const isFunction = name.startsWith('concat');
      expect.soft(found.map(({ code, severity }) => `${code} ${severity}`), query).toEqual([`pii.not_redacted ${isFunction ? 'warning' : 'error'}`]);
    }
  }
}); // prettier-ignore

// Others of the same document have no rule.
test.each([
  ['doc.user.email: mask', 'doc.user.emails.:String AS a, doc.^items AS b, doc.items[].email AS c, doc.user.id.:Int64 AS n, doc FROM crm.documents'],
  ['map.email: mask', "map.key_host AS a, map['host'] AS b, length(map.keys) AS n, map FROM crm.documents"],
  ['items.email: mask', 'items.sku AS a, items.size0 AS n, items FROM crm.documents'],
  ['any.user: mask', 'any.JSON.host AS a, any FROM crm.documents'],
])('%s, and no other path', async (rule, query) => {
  const found = await findingsOf(`id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: crm.people\nquery: SELECT ${query}\npii: { redact: true, columns: { ${rule} } }\n`);
  expect(found).toEqual([]);
}); // prettier-ignore

const atSource = (query: string, columns: string): string =>
  `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30\nname: crm.people\nquery: ${query}\npii: { redact: true, at: source, columns: { ${columns} } }\n`;

test('at the source, a rule applies to whatever is made of the stored column', async () => {
  const query = 'SELECT upper(name) AS label, email AS contact FROM crm.people';
  expect(await findingsOf(atSource(query, 'name: mask, email: hash'))).toEqual([]);
  expect(await findingsOf(atSource(query, 'label: mask, email: hash'))).toEqual([]);
});

test('a hashed column that no table has is reported at its name, with the nearest one', async () => {
  const { inspected } = inspect('crm.yaml', atSource('SELECT id FROM crm.people', 'emial: hash'));
  const found = inspected && (await findSourceFault(engine, inspected));
  expect(found).toMatchObject([
    { path: ['pii', 'columns', 'emial'], onKey: true, hint: 'Did you mean email?' },
  ]);
});

test.each([
  ['SELECT id, name FROM crm.people AS p', 'name: mask', []],
  ['SELECT id AS n FROM crm.people WHERE length(email) > 1', 'email: hash', []],
  ['SELECT id, phone + 1 AS n FROM crm.people', 'phone: mask', ['pii.source_not_redacted']],
  ['SELECT id, email FROM crm.people', 'email: drop', ['pii.source_not_redacted']],
  ['SELECT crm.people.id FROM crm.people', 'email: mask', ['pii.source_not_redacted']],
  ['SELECT name AS who FROM crm.people', 'who: hash', ['pii.source_not_redacted']],
  ['SELECT name FROM crm.people', 'nam: mask', ['pii.unknown_column']],
])('%s with %s', async (query, columns, codes) => {
  const { inspected } = inspect('crm.yaml', atSource(query, columns));
  if (inspected === undefined) throw new Error('the file has errors');
  const found = [
    ...(await findSourceFault(engine, inspected)),
    ...(await findUnknownNames(engine, inspected, new Map())),
  ];
  expect(found.map(({ code }) => code)).toEqual(codes);
});
