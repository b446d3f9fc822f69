// Variants of endpoints: which are analysed, what is found in them, and their columns, on the engine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInspect, type InspectedFile } from '../../../src/service/endpoints/compile.ts';
import { createDescribe } from '../../../src/service/endpoints/describe.ts';
import { checkOnEngine } from '../../../src/cli/checks/engine/engine-check.ts';
import { NO_TABLES } from '../../../src/cli/checks/engine/tables-on-engine.ts';
import { lint } from '../../../src/cli/checks/lint.ts';
import { checkModels } from '../../../src/cli/checks/engine/model-check.ts';
import { alternatives, rowShapes } from '../../../src/service/endpoints/row-shapes.ts';
import { createEmbeddedEngine } from '../../../src/service/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../../src/service/engine/engine.ts';
import { REAL_TIME } from '../../support/real-time.ts';

const inspect = createInspect({ piiHashKey: undefined });
let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-variants-'));
  const options = { connections: 2, queue: 10, memory: 2 ** 30, observe: () => undefined, ...REAL_TIME };
  engine = await createEmbeddedEngine({ path: join(folder, 'data'), ...options });
  await engine.execute(`CREATE DATABASE shop;
CREATE TABLE shop.orders (tenant String, id UInt64, at DateTime, status String, amount Int64) ENGINE = MergeTree ORDER BY id;`);
});
afterAll(async () => {
  await engine.close(0);
  await rm(folder, { recursive: true, force: true });
});

function read(query: string, parameters: string): InspectedFile {
  const text = `id: 5c1f7c3e-8a55-4c8e-9d0b-6a1e7c1f2d30
name: shop.orders
query: |
${query.replaceAll(/^/gm, '  ')}
parameters:
  tenant: { type: String, required: true }
  ${parameters.trim()}
`;
  const { inspected, diagnostics } = inspect('shop.yaml', text);
  if (inspected === undefined) throw new Error(JSON.stringify(diagnostics));
  return inspected;
}

const names = ({ candidate }: InspectedFile): readonly string[] =>
  candidate.endpoint.variants().map(({ variant }) => variant);

const bind = ({ candidate: { endpoint } }: InspectedFile, sent: Record<string, string>) =>
  endpoint.binder.bind(
    new Map(Object.entries({ tenant: 'a', ...sent }).map(([name, value]) => [name, [value]])),
    0,
  );

const FILTERS = `SELECT id FROM shop.orders WHERE tenant = @tenant
/* if @status */ AND status = @status /* end */
/* if @large */ AND amount > 10 /* end */
/* if @ids */ AND id IN @ids /* end */
/* if @since */ AND at >= @since /* end */
/* if @until */ AND at < @until /* end */
/* if @text */ AND status LIKE @text /* end */`;
const OPTIONAL = `status: { type: String }
  large: { type: Bool }
  ids: { type: Array(UInt64), default: [] }
  since: { type: DateTime }
  until: { type: DateTime }
  text: { type: LowCardinality(Nullable(String)) }`;

describe('which variants there are', () => {
  test('of a query without choices and parts, one without a name', () => {
    const file = read('SELECT id FROM shop.orders WHERE tenant = @tenant', '');
    const { endpoint } = file.candidate;
    expect(names(file)).toEqual(['']);
    expect(endpoint.variantOf(bind(file, {}))).toBe(endpoint);
  });

  test('all combinations of six filters', () => {
    const file = read(FILTERS, OPTIONAL);
    expect(new Set(names(file)).size).toBe(64);
    expect(file.candidate.endpoint.hasEveryVariant).toBe(true);
    expect(file.candidate.endpoint.variant).toBe(
      'without status, without large, without ids, without since, without until, without text',
    );
  });

  test('what decides nothing makes no variant', () => {
    const file = read(
      'SELECT id FROM shop.orders WHERE tenant = @tenant /* if @status */ AND status = @status /* if @large */ ORDER BY @order /* end */ /* end */',
      'status: { type: String }\n  large: { type: Bool }\n  order: { choices: { id: id, at: at }, default: at }',
    );
    expect(names(file)).toEqual([
      'without status',
      'with status, without large',
      'with status, with large, order=at',
      'with status, with large, order=id',
    ]);
  });

  test.each([
    ['by: { type: String }', ['without by', 'by=day', 'by=hour', 'with another by']],
    ['by: { type: String, default: day }', ['by=day', 'by=hour', 'with another by']],
    ['by: { type: String, default: week }', ['with another by', 'by=day', 'by=hour']],
    ['by: { type: String, required: true, enum: [hour, day] }', ['by=day', 'by=hour']],
    ["by: { type: \"Enum8('hour', 'day')\" }", ['without by', 'by=day', 'by=hour']],
    ['by: { choices: { hour: id, day: at }, default: hour }', ['by=hour', 'by=day']],
  ])('values that conditions compare: %s', (declared, variants) => {
    const file = read(
      'SELECT /* if @by = day */ at::Date /* end */ /* if not @by = day and @by = hour */ at /* end */ /* if not @by = day and not @by = hour */ 1 /* end */ AS x FROM shop.orders WHERE tenant = @tenant',
      declared,
    );
    expect(names(file)).toEqual(variants);
    const { endpoint } = file.candidate;
    const chosen = (sent: Record<string, string>): string =>
      /SELECT\s+(\S+)/.exec(endpoint.variantOf(bind(file, sent)).query)?.[1] ?? '';
    expect([chosen({ by: 'day' }), chosen({ by: 'hour' })]).toEqual(['at::Date', 'at']);
    if (variants.includes('with another by')) expect(chosen({ by: 'x' })).toBe('1');
    if (variants.includes('without by')) expect(chosen({})).toBe('1');
  });

  test.each([
    ['Bool', 'true', 'by=true'],
    ['UInt8', '7', 'by=7'],
    ['Date', '2024-01-01', 'by=2024-01-01'],
    ['LowCardinality(String)', "'a b'", 'by=a b'],
  ])('a value of type %s', (type, value, variant) => {
    const query = `SELECT id /* if @by = ${value} */ , at /* end */ FROM shop.orders WHERE tenant = @tenant`;
    const file = read(query, `by: { type: ${type} }`);
    expect(names(file)).toContain(variant);
    const { query: chosen } = file.candidate.endpoint.variantOf(
      bind(file, { by: value.replaceAll("'", '') }),
    );
    expect(chosen.replaceAll(/\s+/g, ' ')).toContain('SELECT id , at FROM');
  });

  test('pairs with parts inside parts for values', () => {
    const file = read(
      `SELECT id /* if @by = x */ /* if not @status */ , at /* end */ /* end */ ${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `/* if @${name} */ , 1 AS ${name} /* end */`).join(' ')} FROM shop.orders WHERE tenant = @tenant`,
      `by: { type: String }\n  status: { type: String }\n  ${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}: { type: Bool }`).join('\n  ')}`,
    );
    expect(file.candidate.endpoint.hasEveryVariant).toBe(false);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      for (const decision of [`with ${name}`, `without ${name}`])
        expect(
          names(file).some(
            (each) => each.startsWith('by=x, without status') && each.split(', ').includes(decision),
          ),
        ).toBe(true);
  });

  test('pairs of more: each pair of decisions is in a variant', () => {
    const choices = ['a', 'b', 'c', 'd'].map(
      (name) => `${name}: { choices: { x: id, y: amount, z: at }, default: x }`,
    );
    const file = read(
      `SELECT @a AS a, @b AS b /* if @status */ , @c AS c /* if @large */ , @d AS d /* end */ /* end */ FROM shop.orders WHERE tenant = @tenant`,
      `${choices.join('\n  ')}\n  status: { type: String }\n  large: { type: Bool }`,
    );
    const found = names(file);
    expect(found.length).toBeLessThanOrEqual(64);
    expect(file.candidate.endpoint.hasEveryVariant).toBe(false);
    const values = (name: string) => ['x', 'y', 'z'].map((value) => `${name}=${value}`);
    const decisions = [values('a'), values('b'), values('c'), values('d'), ['with large', 'without large']];
    const missing = decisions.flatMap((some, index) =>
      decisions.slice(index + 1).flatMap((others) =>
        some.flatMap((one) =>
          others
            .filter((other) => !(one.startsWith('d=') && other === 'without large'))
            .filter(
              (other) => !found.some((name) => [one, other].every((each) => name.split(', ').includes(each))),
            )
            .map((other) => `${one} ${other}`),
        ),
      ),
    );
    expect(missing).toEqual([]);
    expect(names(file)).toEqual(found);
  });

  test('a call gets the one that its parameters choose, made once', () => {
    const file = read(
      `${FILTERS} ORDER BY @order`,
      `${OPTIONAL}\n  order: { choices: { id: id, at: at DESC, big: -amount }, multiple: true, default: [at, id] }`,
    );
    const { endpoint } = file.candidate;
    const chosen = endpoint.variantOf(
      bind(file, { order: 'big,id', large: 'true', ids: '1,2', text: 'a', since: '2024-01-01' }),
    );
    expect(chosen.query.replaceAll(/\s+/g, ' ')).toBe(
      "SELECT id FROM shop.orders WHERE tenant = {tenant:String} AND amount > 10 AND id IN {ids:Array(UInt64)} AND at >= {since:DateTime('UTC')} AND status LIKE {text:LowCardinality(String)} ORDER BY (-amount), id",
    );
    expect(chosen.variant).toContain('order=big+id');
    expect(
      endpoint.variantOf(
        bind(file, { order: 'big,id', large: '1', ids: '3', text: 'b', since: '2025-01-01' }),
      ),
    ).toBe(chosen);
    expect(endpoint.variantOf(bind(file, { large: 'false' }))).toBe(endpoint);
    expect(chosen.variantOf(bind(file, {}))).toBe(endpoint);
    expect([chosen.revision, chosen.id, chosen.name]).toEqual([
      endpoint.revision,
      endpoint.id,
      endpoint.name,
    ]);
  });

  test.each([
    'order=id;',
    'order=id) --',
    'order=id,id',
    'order=',
    'order=[]',
    'order=ID',
    "order=['id','x']",
  ])('%s chooses none, or the default', (sent) => {
    const file = read(
      'SELECT id FROM shop.orders WHERE tenant = @tenant ORDER BY @order',
      'order: { choices: { id: id, at: at }, multiple: true, default: at }',
    );
    const [name = '', value = ''] = sent.split('=');
    if (value === '')
      expect(file.candidate.endpoint.variantOf(bind(file, { [name]: value })).variant).toBe('order=at');
    else expect(() => bind(file, { [name]: value })).toThrow(/order must|1 parameter|invalid/);
  });

  test('a fragment, a name of a choice, and a comment of a part belong to the revision', () => {
    const part =
      'SELECT @x AS x FROM shop.orders WHERE tenant = @tenant /* if @status */ AND status = @status /* end */';
    const of = (query: string, choices: string) =>
      read(query, `x: { choices: { ${choices} }, default: a }\n  status: { type: String }`).candidate.endpoint
        .revision;
    const all = [
      of(part, 'a: id, b: at'),
      of(part, 'a: id, b: amount'),
      of(part, 'a: id, c: at'),
      of(part.replace('@status */ AND', '@status and @tenant */ AND'), 'a: id, b: at'),
    ];
    expect(new Set(all).size).toBe(4);
  });
});

const at = ({ line, column, code }: { line: number; column: number; code: string }) =>
  `${line}:${column} ${code}`;

test('the engine’s findings are in the fragment or the part, once, with the variants that have them', async () => {
  const file = read(
    `SELECT id, @what AS what FROM shop.orders WHERE tenant = @tenant
/* if @status */ AND statuss = @status /* end */
ORDER BY what`,
    'status: { type: String }\n  what: { choices: { good: id, bad: "1 + no_such_function(id)" }, default: good }',
  );
  const findings = await checkOnEngine(engine, file, NO_TABLES);
  expect(findings.map(at)).toEqual(['5:24 engine.unknown_column', '10:42 engine.unknown_function']);
  expect(findings[0]?.message).toMatch(/ \(with what=good, with status\)$/);
  expect(findings[1]?.message).toMatch(/ \(with what=bad\)$/);
});

test('each combination of filters is accepted by the engine, with values that fit', async () => {
  const file = read(FILTERS, OPTIONAL);
  expect(await checkOnEngine(engine, file, NO_TABLES)).toEqual([]);
  expect(lint(file.analysis).map(({ code }) => code)).toEqual([
    'lint.description_missing',
    'lint.description_missing',
    'lint.nullable_redundant',
  ]);
});

test('a variant that depends on rows of other tenants is found', async () => {
  const file = read(
    `SELECT id FROM shop.orders WHERE amount > 0
/* if @mine */ AND tenant = @tenant /* end */ AND @filter`,
    'mine: { type: Bool }\n  filter: { choices: { all: 1 = 1, tenant: tenant = @tenant }, default: tenant }',
  );
  const found = await checkModels(engine, file, { parameter: 'tenant' });
  expect(found.map(({ code, message }) => [code, /\(.*\)$/.exec(message)?.[0]])).toEqual([
    ['tenancy.not_confined', '(without mine, with filter=all)'],
  ]);
});

test('a column that another variant redacts needs a rule under its name', async () => {
  const file = read(
    'SELECT id, @columns FROM shop.orders WHERE tenant = @tenant',
    'columns: { choices: { plain: status, renamed: status AS state, count: length(status) AS size }, default: plain }\npii: { redact: true, columns: { status: mask } }',
  );
  const found = await checkModels(engine, file, undefined);
  expect(found.map(({ code, path, message }) => [code, path.at(-1), /\(.*\)$/.exec(message)?.[0]])).toEqual([
    ['pii.not_redacted', 'renamed', '(with columns=renamed)'],
    ['pii.not_redacted', 'count', '(with columns=count)'],
  ]);
});

describe('columns', () => {
  const shapesOf = async (file: InspectedFile) => rowShapes(createDescribe(engine), file.candidate.endpoint);

  test('alternatives of a choice and of a part', async () => {
    const file = read(
      'SELECT @columns /* if @total */ , count() OVER () AS total /* end */ FROM shop.orders WHERE tenant = @tenant',
      'columns: { choices: { few: id, many: "id, at, amount AS value", other: "status AS value, id, at" }, default: few }\n  total: { type: Bool }',
    );
    const shapes = await shapesOf(file);
    const listed = shapes && alternatives(shapes);
    expect(
      listed?.map((columns) => columns.map(({ name, types }) => `${name} ${types.join('|')}`).join(', ')),
    ).toEqual([
      'id UInt64',
      'id UInt64, total UInt64',
      'id UInt64, at DateTime, value Int64|String',
      'id UInt64, at DateTime, value Int64|String, total UInt64',
    ]);
  });

  test('an order of several columns changes none', async () => {
    const file = read(
      'SELECT @columns FROM shop.orders WHERE tenant = @tenant ORDER BY @order',
      'columns: { choices: { few: id, many: "id, at" }, default: few }\n  order: { choices: { id: id, at: at }, multiple: true, default: id }',
    );
    const shapes = await shapesOf(file);
    expect(shapes?.isComplete).toBe(true);
    expect(shapes && alternatives(shapes)?.length).toBe(2);
  });

  test('several choices of columns have more shapes than are listed', async () => {
    const file = read(
      'SELECT @columns FROM shop.orders WHERE tenant = @tenant',
      'columns: { choices: { id: id, at: at, status: status }, multiple: true, default: id }',
    );
    const shapes = await shapesOf(file);
    expect(shapes?.isComplete).toBe(false);
    expect(shapes && alternatives(shapes)).toBeUndefined();
  });
});
