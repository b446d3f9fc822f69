// Commands that create, format and generate types for files: the output is valid, deterministic, and works.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { typescriptOf } from '../../../src/sql/types/typescript-type.ts';
import { liftLiterals } from '../../../src/cli/commands/new/lift.ts';
import { formatYaml } from '../../../src/cli/yaml/format-yaml.ts';
import { run, scratch } from '../../support/command.ts';
import { KEY, sampleTables, startService, type TestService, SHIPPED } from '../../support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('new', () => {
  test.each([
    ['a placeholder without a value', 'SELECT 1 AS x WHERE 1 = {n:UInt8}', ['n']],
    [
      'a column with a reserved name',
      "SELECT 1 AS sql WHERE sql = 1 AND `format` = 'a'",
      ['sql_value', 'format_value'],
    ],
    ['a number that JSON cannot hold', 'SELECT 1 AS x WHERE x = 12345678901234567890', []],
  ])('--from-sql: %s gives a valid file', async (_why, sql, parameters) => {
    const cwd = scratch();
    writeFileSync(join(cwd, 'query.sql'), sql);
    expect((await run(['new', 'x', '--from-sql', 'query.sql'], { cwd })).code).toBe(0);
    expect(await run(['validate', '--no-engine'], { cwd })).toMatchObject({
      code: 0,
      out: expect.not.stringContaining('error'),
    });
    const file: unknown = parse(readFileSync(join(cwd, 'endpoints/x.yaml'), 'utf8'));
    const { parameters: found = {} } = file as { parameters?: object }; // it is valid
    expect(Object.keys(found)).toEqual(parameters);
  });

  test('writes a valid file, and never overwrites one', async () => {
    const cwd = scratch();
    const { code, err } = await run(['new', 'sales.by-day'], { cwd });
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('Next: npx --no-install millrace validate endpoints/sales.by-day.yaml'),
    ]);
    expect(await run(['validate', '--strict', '--no-engine'], { cwd })).toMatchObject({ code: 0, out: '' });
    expect(await run(['format', '--check', 'endpoints'], { cwd })).toMatchObject({ code: 0, out: '' });
    expect(await run(['new', 'sales.by-day'], { cwd })).toMatchObject({
      code: 1,
      err: expect.stringContaining('already exists'),
    });
    writeFileSync(
      join(cwd, 'endpoints', 'other.yaml'),
      readFileSync(join(cwd, 'endpoints', 'sales.by-day.yaml'), 'utf8').replace(
        'name: sales.by-day',
        'name: taken',
      ),
    );
    expect(await run(['new', 'taken'], { cwd })).toMatchObject({
      code: 1,
      err: expect.stringContaining('other.yaml already has the name taken'),
    });
  });

  test.each<{ why: string; sql?: string; page: string[]; by: string[]; query: string }>([
    {
      why: 'of a template',
      page: ['--page'],
      by: ['id DESC'],
      query: 'SELECT\n  number AS id,\n  @project AS project\nFROM numbers(1000)\n',
    },
    {
      why: 'in the order of the query',
      sql: 'SELECT number AS n, 1 AS k FROM numbers(9) ORDER BY n desc, k LIMIT 5',
      page: ['--page'],
      by: ['n DESC', 'k'],
      query: 'SELECT number AS n, 1 AS k FROM numbers(9)\n',
    },
    {
      why: 'by keys',
      sql: 'SELECT n FROM (SELECT number AS n FROM numbers(9) ORDER BY 1)',
      page: ['--page', 'n'],
      by: ['n'],
      query: 'SELECT n FROM (SELECT number AS n FROM numbers(9) ORDER BY 1)\n',
    },
  ])('--page: $why', async ({ sql, page, by, query }) => {
    const cwd = scratch();
    if (sql !== undefined) writeFileSync(join(cwd, 'q.sql'), sql);
    const from = sql === undefined ? [] : ['--from-sql', 'q.sql'];
    expect((await run(['new', 'paged', ...from, ...page], { cwd })).code).toBe(0);
    const file: unknown = parse(readFileSync(join(cwd, 'endpoints/paged.yaml'), 'utf8'));
    expect(file).toMatchObject({ page: { by, size: 100, max: 1000 }, query });
    const { code, out } = await run(['validate'], { cwd });
    expect([code, out]).toEqual([0, expect.not.stringContaining('page.')]);
  });

  test('--page needs keys', async () => {
    const cwd = scratch();
    writeFileSync(join(cwd, 'q.sql'), 'SELECT 1 AS n ORDER BY n + 1');
    for (const page of [['--page'], ['--page', 'n;']])
      expect(await run(['new', 'x', '--from-sql', 'q.sql', ...page], { cwd })).toMatchObject({
        code: 2,
        err: expect.stringMatching(/--page "/),
      });
  });

  test.each(['', 'Sales', 'a b', '1a', 'a..b', '../a', 'a'.repeat(101)])(
    'rejects the name "%s"',
    async (name) => {
      expect((await run(['new', name], { cwd: scratch() })).code).toBe(2);
    },
  );

  test('accepts a query, and turns the literals of its conditions into parameters', async () => {
    const cwd = scratch();
    writeFileSync(
      join(cwd, 'q.sql'),
      "-- errors\nSELECT id FROM logs.t WHERE project = 'ab''c' AND at >= '2024-01-01T00:00:00Z' AND status IN (500, 502)\nFORMAT JSON;\n",
    );
    const { code, err } = await run(['new', 'errors', '--from-sql', 'q.sql'], { cwd });
    expect([code, err]).toEqual([0, expect.stringContaining('@statuses: Array(Int64), was [500,502]')]);
    const file = parse(readFileSync(join(cwd, 'endpoints', 'errors.yaml'), 'utf8')) as {
      query: string;
      examples: [{ parameters: unknown }];
    };
    expect(file.query).toBe(
      '-- errors\nSELECT id FROM logs.t WHERE project = @project AND at >= @at_from AND status IN @statuses\n',
    );
    expect(file.examples[0].parameters).toEqual({
      project: "ab'c",
      at_from: '2024-01-01T00:00:00Z',
      statuses: [500, 502],
    });
    expect(await run(['validate', '--no-engine'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\S+ warning without a description: project, at_from, statuses [^]*$/),
    });
    writeFileSync(join(cwd, 'two.sql'), 'SELECT 1; SELECT 2');
    expect((await run(['new', 'two', '--from-sql', 'two.sql'], { cwd })).code).toBe(2);
    expect((await run(['new', 'none', '--from-sql', 'none.sql'], { cwd })).code).toBe(2);
  });

  test.each<{ why: string; sql: string; query: string; types?: Record<string, string> }>([
    {
      why: 'no text in strings and comments',
      sql: "SELECT 'a = 1' /* b = 2 */ FROM t WHERE c = d",
      query: "SELECT 'a = 1' /* b = 2 */ FROM t WHERE c = d",
    },
    {
      why: 'no literal outside conditions',
      sql: "SELECT a = 1, 'x' FROM t ORDER BY b = 2 LIMIT 5",
      query: "SELECT a = 1, 'x' FROM t ORDER BY b = 2 LIMIT 5",
    },
    {
      why: 'no literal inside an expression',
      sql: 'SELECT 1 FROM t WHERE a = 1 + 2 AND b > 3 * c',
      query: 'SELECT 1 FROM t WHERE a = 1 + 2 AND b > 3 * c',
    },
    {
      why: 'one parameter for the same value of the same column',
      sql: "SELECT 1 FROM t WHERE a = 'x' OR (b = 2 AND a = 'x') OR a = 'y'",
      query: 'SELECT 1 FROM t WHERE a = @a OR (b = @b AND a = @a) OR a = @a_2',
      types: { a: 'String', b: 'Int64', a_2: 'String' },
    },
    {
      why: 'negative numbers and fractions',
      sql: 'SELECT 1 FROM t WHERE a > -1.5',
      query: 'SELECT 1 FROM t WHERE a > @a_from',
      types: { a_from: 'Float64' },
    },
    {
      why: 'ClickHouse placeholders',
      sql: 'SELECT {n:UInt8}, {m: Nullable(String)} FROM t',
      query: 'SELECT @n, @m FROM t',
      types: { n: 'UInt8', m: 'String' },
    },
    {
      why: 'dates',
      sql: "SELECT 1 FROM t WHERE day = '2024-01-01' HAVING n NOT LIKE 'x%'",
      query: 'SELECT 1 FROM t WHERE day = @day HAVING n NOT LIKE @n',
      types: { day: 'Date', n: 'String' },
    },
    {
      why: 'placeholders, and literals with another value than theirs',
      sql: "SELECT 1 FROM t WHERE a = 1 AND {a:UInt8} > 0 AND b IN (SELECT 'x' WHERE c > 2)",
      query: "SELECT 1 FROM t WHERE a = @a_2 AND @a > 0 AND b IN (SELECT 'x' WHERE c > @c_from)",
      types: { a: 'UInt8', a_2: 'Int64', c_from: 'Int64' },
    },
    {
      why: 'conditions of aggregates, of a query that begins with FROM, and after QUALIFY',
      sql: 'FROM t SELECT count() FILTER (WHERE s >= 400) QUALIFY n = 1',
      query: 'FROM t SELECT count() FILTER (WHERE s >= @s_from) QUALIFY n = @n',
      types: { s_from: 'Int64', n: 'Int64' },
    },
    {
      why: 'no literal that is an operand of more',
      sql: "SELECT 1 FROM t WHERE a = 1 + b AND c = 'x' || d AND e BETWEEN 1 AND f AND g = toDate('2024-01-01', 'UTC')",
      query:
        "SELECT 1 FROM t WHERE a = 1 + b AND c = 'x' || d AND e BETWEEN 1 AND f AND g = toDate('2024-01-01', 'UTC')",
    },
    {
      why: 'no list with other elements than literals',
      sql: 'SELECT 1 FROM t WHERE a IN (1, b)',
      query: 'SELECT 1 FROM t WHERE a IN (1, b)',
    },
  ])('makes parameters of $why', ({ sql, query, types = {} }) => {
    const lifted = liftLiterals(sql);
    expect(lifted.query).toBe(query);
    expect(
      Object.fromEntries(Object.entries(lifted.parameters).map(([name, { type }]) => [name, type])),
    ).toEqual(types);
  });
});

describe('format', () => {
  test('keeps the order of keys if an alias would come before its anchor', () => {
    const tail = 'query: SELECT 1\nname: one\n';
    const text = `examples: [{ name: &n one }]\ndescription: *n\n${tail}`;
    expect(parse(formatYaml(text, 'endpoint'))).toEqual(parse(text));
    expect(formatYaml(text, 'endpoint').indexOf('&n')).toBeLessThan(
      formatYaml(text, 'endpoint').indexOf('*n'),
    );
    const sortable = `description: &n one\nexamples: [{ name: *n }]\n${tail}`;
    expect(formatYaml(sortable, 'endpoint')).toMatch(/^name: one\n/);
  });

  test('the shipped files are formatted', async () => {
    expect(await run(['format', '--check', join(ROOT, 'endpoints')])).toMatchObject({ code: 0, out: '' });
  });

  test('changes no value, and is idempotent', () => {
    const key = fc.constantFrom(
      'id',
      'name',
      'query',
      'parameters',
      'cache',
      'labels',
      'examples',
      'other',
      'a b',
    );
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'a\n  b\n',
        'trailing  \n    \n\nx',
        '# no comment',
        '@x',
        'yes',
        '1e3',
        "it's",
        '- a',
        'a: b',
      ),
    );
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }));
    const document = fc.array(fc.tuple(key, value, fc.option(fc.stringMatching(/^[ -~]{0,20}$/))), {
      maxLength: 9,
    });
    fc.assert(
      fc.property(document, (pairs) => {
        const entries = new Map(pairs.map(([name, item, comment]) => [name, { item, comment }]));
        const written = [...entries]
          .map(
            ([name, { item, comment }]) =>
              `${comment === null ? '' : `# ${comment}\n`}${stringify({ [name]: item })}`,
          )
          .join('\n');
        const formatted = formatYaml(written, 'endpoint');
        expect(parse(formatted)).toEqual(parse(written));
        expect(formatYaml(formatted, 'endpoint')).toBe(formatted);
        for (const { comment } of entries.values())
          if (comment !== null && comment.trim() !== '') expect(formatted).toContain(comment.trim());
      }),
      { seed: 9, numRuns: 400 },
    );
  });
});

/** What this file uses of the module that is written. */
interface ClientModule {
  createClient(options: { baseUrl: string; key: string }): {
    query(name: string, parameters: object, options?: object): Promise<unknown[]>;
    consumerQuery(name: string, query: object, parameters: object): Promise<unknown[]>;
  };
  MillraceError: new () => Error;
}

describe('types', () => {
  let service: TestService | undefined;
  afterAll(() => service?.stop());

  test.each([
    ['UInt64', 'number'],
    ['Nullable(String)', 'string | null'],
    ['Array(Nullable(UInt8))', '(number | null)[]'],
    ['LowCardinality(Nullable(String))', 'string | null'],
    ['Map(String, Array(Float64))', 'Record<string, (number | null)[]>'],
    ['Tuple(a UInt8, `b c` Nullable(String))', '{ "a": number; "b c": string | null }'],
    ['Tuple(UInt8, String)', '[number, string]'],
    ["Enum8('a' = 1, 'b\"*/' = 2)", '"a" | "b\\"*/"'],
    ['JSON(a.b String)', 'Record<string, unknown>'],
    ["DateTime64(6, 'UTC')", 'string'],
    ['Decimal(10, 2)', 'number'],
    ['AggregateFunction(sum, UInt8)', 'unknown'],
  ])('%s is %s', (type, expected) => {
    expect(typescriptOf(type, 'number')).toBe(expected);
  });

  test('64-bit integers have the type that the endpoint sets', () => {
    expect(typescriptOf('Array(UInt64)', 'string')).toBe('string[]');
  });

  test.each([
    ['DateTime64(6)', 'number'],
    ['Nullable(DateTime)', 'number | null'],
    ['Date', 'string'],
    ['JSON', 'Record<string, unknown>[]'],
    ['Tuple(a UInt64, b Tuple(c DateTime))', '{ "a": string; "b": { "c": number }[] }[]'],
    ['Array(Tuple(a Map(String, DateTime)))', '{ "a": Record<string, number>[] }[]'],
  ])("%s in the shape of BigQuery's results", (type, expected) => {
    expect(typescriptOf(type, 'string', 'bigquery')).toBe(expected);
  });

  test('rows are those that callers get: without dropped columns, masked ones as text, and either if callers choose', async () => {
    const cwd = scratch();
    mkdirSync(join(cwd, 'endpoints'));
    for (const [index, redact] of [true, false].entries())
      writeFileSync(
        join(cwd, `endpoints/${redact}.yaml`),
        `id: 00000000-0000-4000-8000-00000000000${index}\nname: r-${redact}\nquery: SELECT 1 AS n, 'a' AS email, NULL::Nullable(UInt8) AS maybe\npii: { redact: ${redact}, columns: { n: mask, email: drop, maybe: mask } }\n`,
      );
    const { out } = await run(['types', '--schema', join(ROOT, 'seeds')], { cwd });
    const rows = [...out.matchAll(/row: \{\n(.*?)\n {4}\};/gs)].map(([, row = '']) =>
      row.replace(/ +/g, ' '),
    );
    expect(rows).toEqual([
      ' "n": number | string;\n "email"?: string;\n "maybe": number | null | string | null;',
      ' "n": string;\n "maybe": string | null;',
    ]);
  });

  test('the module compiles under strict, and its client calls a running service', async () => {
    const cwd = scratch();
    const module = join(cwd, 'millrace.ts');
    const args = [
      'types',
      '--endpoints',
      join(ROOT, 'endpoints'),
      '--schema',
      join(ROOT, 'seeds'),
      '--out',
      module,
    ];
    expect((await run(args, { cwd })).code).toBe(0);
    await expect(readFileSync(module, 'utf8')).toMatchFileSnapshot(
      join(import.meta.dirname, '../../golden/types/shipped.txt'),
    );
    writeFileSync(
      join(cwd, 'use.ts'),
      `import { createClient, type RowOf } from './millrace.ts';
const client = createClient({ baseUrl: 'http://localhost', key: 'k' });
export const rows: Promise<RowOf<'usage.api-counts'>[]> = client.query('usage.api-counts', { interval: 'hourly', project: 'abc' });
void client.query('logs.all', { project: 'abc' }, { onMetadata: ({ columns }) => console.log(columns) });
export const own = client.consumerQuery('logs.all', { lql: 's:id' }, { project: 'abc' });
export async function follow(): Promise<string[]> {
  for await (const { kind, rows } of client.live('logs.all', { project: 'abc' })) return [kind, ...rows.map((row: RowOf<'logs.all'>) => row.id)];
  for await (const { rows: [first] } of client.consumerLive('logs.all', { sql: 'SELECT 1' }, { project: 'abc' })) return Object.keys(first ?? {});
  return [];
}
// @ts-expect-error -- an endpoint without live calls
void client.live('usage.api-counts', { interval: 'hourly', project: 'abc' });
// @ts-expect-error -- not one of the choices
void client.query('usage.api-counts', { interval: 'weekly', project: 'abc' });
// @ts-expect-error -- a parameter is missing
void client.query('logs.all', {});
// @ts-expect-error -- no such endpoint
void client.query('logs.al', { project: 'abc' });
`,
    );
    const flags = [
      '--strict',
      '--noEmit',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    ];
    execFileSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags, 'millrace.ts', 'use.ts'],
      { cwd, stdio: 'pipe' },
    );

    service = await startService({ endpoints: SHIPPED, sql: [await sampleTables()] });
    const { createClient, MillraceError } = (await import(module)) as ClientModule;
    const client = createClient({ baseUrl: service.service.address, key: KEY });
    const seen: unknown[] = [];
    const onMetadata = (metadata: unknown): unknown => seen.push(metadata);
    expect(await client.query('logs.all', { project: 'abc' }, { onMetadata })).toEqual([]);
    expect(seen).toMatchObject([{ rows: 0, truncated: false }]);
    expect(
      await client.consumerQuery(
        'logs.all',
        { sql: 'SELECT count() AS n FROM edge_logs' },
        { project: 'abc' },
      ),
    ).toEqual([{ n: 0 }]);
    const rejected = await client
      .query('usage.api-counts', { interval: 'hourly', project: '(' })
      .catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(MillraceError);
    expect(rejected).toMatchObject({
      status: 400,
      code: 'request.parameters_invalid',
      errors: [{ parameter: 'project' }],
    });
  });

  test('descriptions cannot end the comment, and names are quoted', async () => {
    const cwd = scratch();
    for (const name of ['endpoints', 'seeds']) mkdirSync(join(cwd, name)); // it reads no table
    writeFileSync(
      join(cwd, 'endpoints', 'x.yaml'),
      'id: 00000000-0000-4000-8000-000000000001\nname: x\ndescription: "*/ export const hacked = 1; /*\\n*/"\nquery: SELECT 1 AS `"]; hacked */`, @a AS b\nparameters: { a: { type: String, enum: ["\\"; hacked", "`${1}`"] } }\n',
    );
    expect((await run(['types', '--out', 'out.ts'], { cwd })).code).toBe(0);
    const { out } = await run(['types', '--out', 'out.ts', '--check'], { cwd });
    expect(out).toBe('');
    execFileSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '--strict',
        '--noEmit',
        '--target',
        'es2022',
        '--skipLibCheck',
        '--types',
        '',
        '--lib',
        'es2022,dom',
        'out.ts',
      ],
      { cwd, stdio: 'pipe' },
    );
    expect(readFileSync(join(cwd, 'out.ts'), 'utf8')).not.toMatch(/^\s*export const hacked/m);
  });
});
