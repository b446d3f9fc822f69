// Endpoints as tools: definitions, arguments and answers of files that are not the shipped ones, on the real engine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { FULL_ACCESS } from '../../../../src/service/app/local.ts';
import { openTestRuntime, type TestRuntime } from '../../../../src/service/app/test-runtime.ts';
import type { Principal } from '../../../../src/service/auth/principal.ts';
import { createPrincipal } from '../../../../src/service/auth/principal.ts';
import { assembleCatalog, type Candidate, type Catalog } from '../../../../src/service/endpoints/catalog.ts';
import { createCompile } from '../../../../src/service/endpoints/compile.ts';
import { createDescribe, type Describe } from '../../../../src/service/endpoints/describe.ts';
import { createEmbeddedEngine } from '../../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../../src/service/engine/engine.ts';
import type { Caller } from '../../../../src/service/fronts/mcp/caller.ts';
import { toolError } from '../../../../src/service/fronts/mcp/endpoints/tool-error.ts';
import { createEndpointTools } from '../../../../src/service/fronts/mcp/endpoints/tools.ts';
import type { ToolDefinition, ToolResult } from '../../../../src/service/fronts/mcp/tool.ts';
import { localCall } from '../../../../src/service/request/call.ts';
import { REAL_TIME } from '../../../support/real-time.ts';
import { answer } from '../../../../src/service/request/answer.ts';

const compile = createCompile({ piiHashKey: undefined });
const ajv = addFormats.default(new Ajv.default({ strict: false, allErrors: true }));

/** A file of an endpoint; its id depends on its name. */
function candidateOf(keys: Readonly<Record<string, unknown>>): Candidate {
  const id = `00000000-0000-4000-8000-${Buffer.from(String(keys['name'])).toString('hex').padStart(12, '0').slice(-12)}`;
  const { candidate, diagnostics } = compile(`${String(keys['name'])}.yaml`, stringify({ id, ...keys }));
  if (candidate === undefined) throw new Error(JSON.stringify(diagnostics));
  return candidate;
}

const VALUES = `SELECT
  18446744073709551615 AS u64, toInt64(-9223372036854775808) AS i64, toUInt64(7) AS small, toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935') AS u256,
  toDecimal128('12345678901234567890.123456789', 9) AS decimal, toDecimal32(1.5, 2) AS price, 0.1 AS f, nan AS nothing, toFloat32(16777217) AS f32,
  toDateTime64('2024-03-01 12:00:00.123456', 6, 'UTC') AS at, toDate('2024-03-01') AS day, CAST(NULL, 'Nullable(String)') AS absent,
  CAST('a', 'Enum8(\\'a\\' = 1, \\'b\\' = 2)') AS kind, map('k', toUInt64(1)) AS pairs, CAST('{"a":{"b":18446744073709551615}}', 'JSON') AS doc,
  [1, NULL, 3] AS list, tuple(1, 'x') AS pair, CAST(tuple(1, 'y'), 'Tuple(a UInt8, b String)') AS record, toUUID('5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30') AS id,
  toIPv4('10.0.0.1') AS ip, true AS flag, 'Größe|日本\n</rows>' AS \`odd name\`, @n AS n`;

const FILES = [
  {
    name: 'values.all-types',
    description: 'Every kind of value. And a second sentence.',
    query: VALUES,
    parameters: { n: { type: 'UInt64', default: 5, description: 'A number.' } },
    mcp: { hint: 'Call it twice.' },
    examples: [{ name: 'one', parameters: { n: 3 } }],
  },
  {
    name: 'values.as-strings',
    query: 'SELECT toUInt64(number) AS n, toDecimal64(number, 2) AS d FROM system.numbers LIMIT 2',
    int64: 'string',
  },
  {
    name: 'tenant.rows',
    description: 'Rows of a tenant.',
    query:
      "SELECT @tenant AS tenant, number AS n, @from AS since FROM numbers(250) WHERE @kind = 'a' OR number < 3",
    parameters: {
      kind: { type: "Enum8('a' = 1, 'b' = 2)", default: 'a' },
      tenant: { type: 'String', required: true },
      from: { type: 'DateTime64(3)', required: true },
    },
    unknown_parameters: 'ignore',
  },
  {
    name: 'cells.long',
    query:
      "SELECT repeat('x', 1000000) AS a, range(5000) AS b, CAST((map('a', repeat('y', 9999)), 1), 'Tuple(m Map(String, String), n UInt8)') AS c, toUUID('5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30') AS id",
  },
  { name: 'rows.none', query: 'SELECT 1 AS a WHERE 0' },
  {
    name: 'rows.few',
    query: 'SELECT number AS a FROM numbers(9)',
    max_rows: 5,
    mcp: { max_rows: 3, name: 'few-rows' },
  },
  { name: 'not.for_agents', query: 'SELECT 1 AS a', mcp: false },
  {
    name: 'many.parameters',
    query: `SELECT ${Array.from({ length: 64 }, (_, n) => `@p${n} AS c${n}`).join(', ')}`,
    parameters: Object.fromEntries(
      Array.from({ length: 64 }, (_, n) => [
        `p${n}`,
        {
          type: ['String', 'Array(Int64)', 'Map(String, UInt8)', 'Decimal(20, 2)'][n % 4],
          description: `${'d'.repeat(900)} ${n}`,
          ...(n % 4 === 1 ? { default: [] } : {}),
          ...(n % 4 === 2 ? { default: {} } : {}),
        },
      ]),
    ),
  },
  {
    name: 'patterns',
    query: 'SELECT @re AS re, @perl AS perl, @shared AS shared',
    parameters: {
      re: { type: 'String', format: 'regex', default: '(?i)a' },
      perl: { type: 'String', pattern: '(?i)[a-z]+', default: 'A' },
      shared: { type: 'String', pattern: 'a|b', default: 'a' },
    },
  },
  {
    name: 'kinds',
    query: `SELECT ${Array.from({ length: 15 }, (_, n) => `@p${n} AS c${n}`).join(', ')}`,
    parameters: Object.fromEntries(
      [
        { type: 'UInt64', default: 1 }, { type: 'Int64', default: -1, min: -5 }, { type: 'Int128', default: 1 }, { type: 'UInt256', default: 1 },
        { type: 'Decimal(10, 2)', default: 1.5 }, { type: 'Nullable(UInt64)', description: 'One.' }, { type: 'Nullable(String)', default: 'a' },
        { type: 'Nullable(DateTime64(3))' }, { type: 'DateTime', default: 'now-1h' }, { type: 'Date', default: '2024-03-01' }, { type: 'Array(UInt64)', default: [] },
        { type: 'Array(Nullable(Decimal(20, 2)))', default: [] }, { type: 'Map(String, UInt64)', default: {} }, { type: 'Nullable(Enum8(\'a\' = 1))' }, { type: 'Float64', default: 0.5 },
      ].map((spec, n) => [`p${n}`, spec]),
    ),
  }, // prettier-ignore
  { name: 'a.b', query: 'SELECT 1 AS one' },
  { name: 'a_b', query: 'SELECT 2 AS two' },
  { name: 'query', query: 'SELECT 3 AS three' },
  { name: `long.${'x'.repeat(90)}`, query: 'SELECT 4 AS four' },
];

const KEY = createPrincipal('k', 'k', { endpoints: ['tenant.*'], allow: [], parameters: { tenant: 't1' } });

let engine: Engine;
let folder: string;
let described: Describe;
let runtime: TestRuntime;
const candidates = FILES.map(candidateOf);
const { catalog } = assembleCatalog(candidates);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-tools-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  described = createDescribe(engine);
  runtime = openTestRuntime({ engine, candidates });
});
afterAll(async () => {
  await runtime.close();
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

/** With the rights of a principal for lists; calls run with full access. */
function callerOf(principal: Principal, of: Catalog = catalog): Caller {
  const path = runtime.pathAt(undefined);
  return {
    principal,
    catalog: of,
    answer: (endpoint, fields, format = 'ndjson') =>
      answer(path, localCall({ requestId: 'r', endpoint }, fields, format)),
  } as Caller;
}

const source = () => createEndpointTools({ describe: described });
const list = (principal = FULL_ACCESS): Promise<readonly ToolDefinition[]> =>
  source().list(callerOf(principal));
async function definitionOf(name: string, principal = FULL_ACCESS): Promise<ToolDefinition> {
  const found = (await list(principal)).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}
async function call(
  name: string,
  given: Readonly<Record<string, unknown>>,
  principal = FULL_ACCESS,
): Promise<ToolResult> {
  const caller = callerOf(principal);
  const tool = await source().find(caller, name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool.run(given, caller).catch((error: unknown) => toolError(error, 'r'));
}
const textOf = ({ content }: ToolResult): string =>
  content.map((each) => ('text' in each ? each.text : '')).join('\n');
const rowsOf = ({ structuredContent }: ToolResult): unknown =>
  (structuredContent as { readonly rows: unknown }).rows; // of the tools here

describe('names', () => {
  test('are those of the endpoints, without dots; reserved and shared names get a suffix', async () => {
    const names = (await list()).map(({ name }) => name);
    expect(names).toEqual([
      expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
      expect.stringMatching(/^a_b_[0-9a-f]{8}$/),
      'cells_long',
      'kinds',
      expect.stringMatching(/^long_x{50}_[0-9a-f]{8}$/),
      'many_parameters',
      'patterns',
      expect.stringMatching(/^query_[0-9a-f]{8}$/),
      'few-rows',
      'rows_none',
      'tenant_rows',
      'values_all-types',
      'values_as-strings',
    ]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
  });

  test.each(['not_for_agents', 'not.for_agents', 'rows_few', 'none', 'a_b', '', '__proto__'])(
    '%j is no tool',
    async (name) => {
      expect(await source().find(callerOf(FULL_ACCESS), name)).toBeUndefined();
    },
  );

  test('endpoints that a key may not call have no influence on the names of others', async () => {
    const key = createPrincipal('one', 'one', { endpoints: ['a.*'], allow: [] });
    expect((await list(key)).map(({ name, title }) => [name, title])).toEqual([['a_b', 'a.b']]);
    expect(await source().find(callerOf(key), 'a_b')).toBeDefined();
  });

  test('tools that a key may not call do not exist for it', async () => {
    expect((await list(KEY)).map(({ name }) => name)).toEqual(['tenant_rows']);
    expect(await source().find(callerOf(KEY), 'rows_none')).toBeUndefined();
  });
});

describe('a definition', () => {
  test('has what the file says', async () => {
    const { outputSchema: _outputSchema, ...definition } = await definitionOf('values_all-types');
    expect(definition).toEqual({
      name: 'values_all-types',
      title: 'values.all-types',
      description: 'Every kind of value. And a second sentence.\nCall it twice.\nExample: {"n":3}',
      inputSchema: {
        type: 'object',
        properties: {
          n: {
            type: 'integer',
            minimum: 0,
            default: 5,
            description: 'A number. Send numbers beyond 2^53 as strings.',
            examples: [3],
          },
        },
        additionalProperties: false,
      },
      annotations: {
        title: 'values.all-types',
        readOnlyHint: true,
        idempotentHint: true,
        destructiveHint: false,
        openWorldHint: false,
      },
    });
  });

  test('has no locked parameters, and says which they are', async () => {
    const { inputSchema, description } = await definitionOf('tenant_rows', KEY);
    expect(inputSchema).toMatchObject({ required: ['from'], properties: { kind: {}, from: {} } });
    expect(JSON.stringify(inputSchema)).not.toContain('tenant');
    expect(description).toContain('Set by your key: tenant.');
    expect(JSON.stringify(await definitionOf('tenant_rows', KEY))).not.toContain('t1');
  });

  test('is bounded, whatever the file has', async () => {
    const definition = await definitionOf('many_parameters');
    expect(JSON.stringify(definition).length).toBeLessThan(40_000);
    expect(Object.keys((definition.inputSchema as { readonly properties: object }).properties)).toHaveLength(
      64,
    ); // of our own schema
  });

  test('has regular expressions only where JavaScript has them too', async () => {
    const { inputSchema } = await definitionOf('patterns');
    expect(inputSchema).toMatchObject({
      properties: {
        re: { type: 'string', default: '(?i)a', description: 'A regular expression (RE2).' },
        perl: {
          type: 'string',
          default: 'A',
          description: 'Must match the regular expression (RE2) (?i)[a-z]+',
        },
        shared: { pattern: '^(?:a|b)$' },
      },
    });
    expect(JSON.stringify(inputSchema)).not.toContain('"format"');
  });

  test('every argument has one type, also inside, and no other schema has a list of them', async () => {
    const typesIn = (node: unknown): unknown[] => {
      if (typeof node !== 'object' || node === null) return [];
      const own = 'type' in node && !('properties' in node && typeof node.type === 'object') ? [node.type] : [];
      return [...own, ...Object.values(node).flatMap(typesIn)];
    };
    const schemas = await list();
    for (const { inputSchema, outputSchema } of schemas) {
      expect(typesIn([inputSchema, outputSchema]).filter((type) => typeof type !== 'string')).toEqual([]);
      expect(typesIn(inputSchema)).not.toContain('null');
      for (const property of Object.values(inputSchema.properties ?? {})) expect(property).toHaveProperty('type', expect.any(String));
    }
    const kinds = (await definitionOf('kinds')).inputSchema.properties as Record<string, { type: string; description?: string }>; // of our own schema
    expect(Object.values(kinds).map(({ type }) => type)).toEqual([
      'integer', 'integer', 'integer', 'integer', 'number', 'integer', 'string', 'string', 'string', 'string', 'array', 'array', 'object', 'string', 'number',
    ]);
    expect(kinds['p5']?.description).toBe('One. Send numbers beyond 2^53 as strings. May be null.');
  }); // prettier-ignore

  test('numbers beyond 2^53 are accepted as strings, and null where the type has it', async () => {
    const given = { p0: '18446744073709551615', p1: -3, p2: '170141183460469231731687303715884105727', p4: '12345678.25', p5: null, p10: ['18446744073709551615', 1], p11: ['123456789012345678.25', null], p12: { a: '18446744073709551615' } };
    const { structuredContent } = await call('kinds', given);
    expect(structuredContent).toMatchObject({
      rows: [{ c0: '18446744073709551615', c1: -3, c2: '170141183460469231731687303715884105727', c5: null, c6: 'a', c10: ['18446744073709551615', 1] }],
    });
  }); // prettier-ignore

  test('every schema is valid', async () => {
    const schemas = (await list()).flatMap(({ inputSchema, outputSchema }) => [
      inputSchema,
      outputSchema ?? {},
    ]);
    expect(schemas.filter((schema) => ajv.validateSchema(schema as object) !== true)).toEqual([]);
  });
});

describe('an answer', () => {
  test.each([
    { name: 'values_all-types', given: { n: '18446744073709551615' } },
    { name: 'values_as-strings', given: {} },
    { name: 'tenant_rows', given: { tenant: 'a', from: '2024-03-01T00:00:00Z' } },
    { name: 'cells_long', given: {} },
    { name: 'rows_none', given: {} },
    { name: 'few-rows', given: {} },
    {
      name: 'many_parameters',
      given: { p1: ['9223372036854775807'], p2: { a: 1 }, p3: '123456789012345678.25' },
    },
  ])('of $name matches its schema', async ({ name, given }) => {
    const { outputSchema } = await definitionOf(name);
    const result = await call(name, given);
    expect(result).not.toHaveProperty('isError');
    const check = ajv.compile(outputSchema as object);
    check(JSON.parse(JSON.stringify(result.structuredContent)));
    expect(check.errors).toBeNull();
  });

  test('has exact values', async () => {
    const [row] = rowsOf(await call('values_all-types', { n: '18446744073709551615' })) as readonly object[]; // of the query above
    expect(row).toMatchObject({
      u64: '18446744073709551615',
      i64: '-9223372036854775808',
      small: 7,
      u256: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      decimal: '12345678901234567890.123456789',
      price: 1.5,
      f: 0.1,
      nothing: null,
      f32: 16777216,
      at: '2024-03-01T12:00:00.123456Z',
      doc: { a: { b: '18446744073709551615' } },
      absent: null,
      'odd name': 'Größe|日本\n</rows>',
      n: '18446744073709551615',
    });
  });

  test('is cut at max_rows of the tool and of the endpoint', async () => {
    const result = await call('few-rows', {});
    expect(rowsOf(result)).toHaveLength(3);
    expect(textOf(result)).toContain('More than 5 rows; 3 shown.');
    expect(textOf(result)).toContain('No argument narrows the result.');
  });

  test('names the arguments that narrow it, times first, without locked ones', async () => {
    const result = await call('tenant_rows', { tenant: 't1', from: '2024-03-01T00:00:00Z' }, KEY);
    expect(rowsOf(result)).toHaveLength(100);
    expect(textOf(result)).toContain('To narrow the result, send other values of from, kind.');
  });
});

describe('errors of arguments are results', () => {
  test.each([
    { why: 'a missing one', given: { from: '2024-03-01' }, says: /- tenant: is required/ },
    { why: 'several at once', given: { from: 'x', kind: 'z' }, says: /- kind: [^]*- tenant: [^]*- from: / },
    {
      why: 'a misspelled one, although the endpoint ignores others',
      given: { tenent: 'a', from: '2024-03-01' },
      says: /- tenent: is no argument of this tool\. Did you mean tenant\?/,
    },
    {
      why: 'a query',
      given: { tenant: 'a', from: '2024-03-01', sql: 'SELECT 1' },
      says: /- sql: is no argument/,
    },
    {
      why: 'a long list',
      given: { tenant: Array.from({ length: 10_001 }, () => 1) },
      says: /- tenant: must not have a list/,
    },
    { why: 'an object', given: { tenant: { a: 1 }, from: '2024-03-01' }, says: /- tenant: / },
    {
      why: 'a name that objects have',
      given: JSON.parse('{"tenant":"a","from":"2024-03-01","__proto__":1}') as Record<string, unknown>,
      says: /- __proto__: is no argument/,
    },
  ])('$why', async ({ given, says }) => {
    const result = await call('tenant_rows', given);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Error request\.parameters_invalid \(400\): /);
    expect(textOf(result)).toMatch(says);
    expect(textOf(result)).toMatch(/\nHint: Correct each argument/);
    expect(textOf(result)).toMatch(/\nRequest id: r$/);
  });
});

describe('many endpoints', () => {
  const thousand = Array.from({ length: 1000 }, (_, n) =>
    candidateOf({
      name: `team${n % 10}.report-${n}`,
      description:
        `${n === 500 ? 'Latency percentiles of payments. ' : 'Counts. '}${'Long description. '.repeat(200)}`.slice(
          0,
          4000,
        ),
      query: n === 501 ? 'SELECT 1 AS exchange_rate' : `SELECT ${n} AS n, @day AS day`,
      ...(n === 501 ? {} : { parameters: { day: { type: 'Date', required: true } } }),
      ...(n === 502 ? { mcp: false } : {}),
    }),
  );
  const many = assembleCatalog(thousand).catalog;
  const deps = { describe: { result: async () => [{ name: 'exchange_rate', type: 'UInt8' }] } };
  const tools = createEndpointTools(deps);
  const run = async (
    name: string,
    given: Readonly<Record<string, unknown>>,
    principal = FULL_ACCESS,
  ): Promise<ToolResult> => {
    const caller = callerOf(principal, many);
    const tool = await tools.find(caller, name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.run(given, caller).catch((error: unknown) => toolError(error));
  };
  interface Found {
    readonly endpoints: readonly { readonly name: string; readonly arguments: readonly string[] }[];
    readonly total: number;
    readonly pages: number;
  }
  const find = async (given: Readonly<Record<string, unknown>>, principal = FULL_ACCESS): Promise<Found> =>
    (await run('find_endpoints', given, principal)).structuredContent as unknown as Found; // of the output schema

  test('are three tools of at most 6 KB', async () => {
    const definitions = await tools.list(callerOf(FULL_ACCESS, many));
    expect(definitions.map(({ name }) => name)).toEqual([
      'find_endpoints',
      'describe_endpoint',
      'call_endpoint',
    ]);
    expect(Buffer.byteLength(JSON.stringify(definitions))).toBeLessThan(6 * 1024);
  });

  test('a key that may call few of them has tools of its own', async () => {
    const key = createPrincipal('few', 'few', { endpoints: ['team3.report-3*'], allow: [] });
    const names = (await tools.list(callerOf(key, many))).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['team3_report-3', 'team3_report-33']));
    expect(await find({}, key)).toMatchObject({ total: names.length });
  });

  test.each([
    { query: 'latency payment', first: 'team0_report-500' },
    { query: 'report-777', first: 'team7_report-777' },
    { query: 'TEAM4 Report 44', first: 'team4_report-44' },
  ])('$query finds $first first', async ({ query, first }) => {
    const { endpoints } = await find({ query });
    expect(endpoints[0]?.name).toBe(first);
  });

  test('endpoints that a key may not call have no influence on the order', async () => {
    const key = createPrincipal('some', 'some', { endpoints: ['team0.report-50*', 'team5.*'], allow: [] });
    const alone = createEndpointTools(deps);
    const only = assembleCatalog(thousand.filter(({ endpoint }) => key.covers(endpoint.name))).catalog;
    const caller = callerOf(FULL_ACCESS, only);
    const query = 'latency payments team5 report counts 500';
    const expected = await (await alone.find(caller, 'find_endpoints'))?.run({ query }, caller);
    expect(await run('find_endpoints', { query }, key)).toEqual(expected);
  });

  test('pages are bounded, in the order of names without a query', async () => {
    const first = await find({});
    expect(first).toMatchObject({ total: 999, pages: 50 });
    expect(first.endpoints).toHaveLength(20);
    expect(first.endpoints[0]).toEqual({
      name: 'team0_report-0',
      description: 'Counts.',
      arguments: ['day*'],
    });
    expect((await find({ page: 50 })).endpoints).toHaveLength(19);
    expect((await find({ page: 51 })).endpoints).toEqual([]);
    expect(textOf(await run('find_endpoints', {})).length).toBeLessThan(8000);
    expect(await find({ query: 'zzzz' })).toMatchObject({ total: 0, pages: 1 });
  });

  test('one is described with its arguments and columns', async () => {
    const { structuredContent, content } = await run('describe_endpoint', { name: 'team0_report-500' });
    expect(structuredContent).toMatchObject({
      name: 'team0_report-500',
      arguments: {
        required: ['day'],
        properties: {
          day: { anyOf: [{ type: 'string', format: 'date' }, { examples: ['now-24h', 'now/d'] }] },
        },
      },
      columns: ['exchange_rate UInt8'],
      max_rows: 100,
    });
    expect(JSON.stringify(content).length).toBeLessThan(4000);
    expect(await run('describe_endpoint', { name: 'team0.report-500' })).toMatchObject({ structuredContent });
  });

  test.each([
    {
      name: 'describe_endpoint',
      given: { name: 'teem7_report-777' },
      says: /route\.endpoint_unknown[^]*Did you mean team7_report-777\?/,
    },
    { name: 'describe_endpoint', given: { name: 'team2_report-502' }, says: /route\.endpoint_unknown/ },
    { name: 'describe_endpoint', given: {}, says: /- name: is required/ },
    {
      name: 'call_endpoint',
      given: { name: 'team0_report-500', arguments: [] },
      says: /- arguments: must be an object/,
    },
    {
      name: 'call_endpoint',
      given: { name: 'team0_report-500', arguments: { days: 1 } },
      says: /Did you mean day\?/,
    },
    { name: 'find_endpoints', given: { page: 0 }, says: /- page: must be/ },
    { name: 'find_endpoints', given: { query: 5 }, says: /- query: must be a string/ },
  ])('$name with $given is an error', async ({ name, given, says }) => {
    const result = await run(name, given);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(says);
  });
});

test('few endpoints with very long definitions are searched too', async () => {
  const wide = assembleCatalog(
    Array.from({ length: 30 }, (_, n) =>
      candidateOf({
        name: `wide.n${n}`,
        query: 'SELECT @p AS p',
        parameters: {
          p: {
            type: 'String',
            enum: Array.from({ length: 200 }, (__, value) => `${value} ${'v'.repeat(50)}`),
          },
        },
      }),
    ),
  ).catalog;
  const [first] = await createEndpointTools({ describe: { result: async () => [] } }).list(
    callerOf(FULL_ACCESS, wide),
  );
  expect(first?.name).toBe('find_endpoints');
});

test('one endpoint is called by name', async () => {
  const result = await call('call_endpoint', { name: 'few-rows' });
  expect(rowsOf(result)).toEqual([{ a: 0 }, { a: 1 }, { a: 2 }]);
});
