// Weaker declarations of parameters that restrict rows, found through the models of the queries over a real engine.
import { afterAll, expect, test } from 'vitest';
import { codesOf, fileOf, openComparer, type Keys } from './fixture.ts';

const comparer = await openComparer(`CREATE DATABASE shop;
CREATE TABLE shop.orders (store String, id UInt64, day Date, status String, note String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE shop.stores (store String, city String) ENGINE = MergeTree ORDER BY store;
CREATE TABLE shop.rates (day Date, rate Float64) ENGINE = MergeTree ORDER BY day;`);
afterAll(() => comparer.close());

const PLAIN = 'store = @store';
const STRING = 'type: String, required: true';

interface Row {
  readonly why: string;
  /** Of `SELECT … FROM shop.orders`. */
  readonly where: string;
  /** The declarations of all parameters before, and of those that change. */
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly codes: readonly string[];
  readonly keys?: Keys;
}

const SECURE: readonly Row[] = [
  {
    why: 'the parameter that confines every table may be left out',
    where: PLAIN,
    before: { store: STRING },
    after: { store: 'type: String' },
    codes: ['tenant.parameter_optional'],
  },
  {
    why: 'a default that disables the condition',
    where: "(@store = '' OR store = @store)",
    before: { store: STRING },
    after: { store: "type: String, default: ''" },
    codes: ['tenant.parameter_optional'],
  },
  {
    why: 'another default that disables the condition',
    where: "(@store = '*' OR store = @store)",
    before: { store: 'type: String, default: main' },
    after: { store: "type: String, default: '*'" },
    codes: ['tenant.default_changed'],
  },
  {
    why: 'a default for LIKE',
    where: 'store LIKE @store',
    before: { store: 'type: String, default: main' },
    after: { store: "type: String, default: '%'" },
    codes: ['tenant.default_changed'],
  },
  {
    why: 'an empty string, for which the condition is true',
    where: "(@store = '' OR store = @store)",
    before: { store: `${STRING}, min_length: 1` },
    after: { store: STRING },
    codes: ['tenant.values_widened'],
  },
  ...[
    'store LIKE @store',
    'match(store, @store)',
    "startsWith(store, @store) AND note != ''",
    'position(store, @store) > 0',
  ].map((where) => ({
    why: `a pattern removed in ${where}`,
    where,
    before: { store: `${STRING}, pattern: '[a-z]+'` },
    after: { store: STRING },
    codes: ['tenant.values_widened'],
  })),
  {
    why: 'a looser pattern',
    where: 'store ILIKE @store',
    before: { store: `${STRING}, pattern: '[a-z]+'` },
    after: { store: `${STRING}, pattern: '[a-z%]+'` },
    codes: ['parameter.pattern_changed', 'tenant.values_widened'],
  },
  {
    why: 'a member of an enum',
    where: PLAIN,
    before: { store: `${STRING}, enum: [north]` },
    after: { store: `${STRING}, enum: [north, south]` },
    codes: ['tenant.values_widened'],
  },
  {
    why: 'no enum',
    where: `store IN (@store) AND status = 'open'`,
    before: { store: `${STRING}, enum: [north]` },
    after: { store: STRING },
    codes: ['tenant.values_widened'],
  },
  {
    why: 'a declared tenancy',
    where: `${PLAIN} AND status = @status`,
    before: { store: `${STRING}, enum: [north]`, status: `${STRING}, enum: [open]` },
    after: { store: STRING },
    keys: { tenancy: '{ parameter: store }' },
    codes: ['tenant.values_widened'],
  },
];

const HARMLESS: readonly Row[] = [
  {
    why: 'an optional filter beside the one that confines',
    where: `${PLAIN} AND (@status = '' OR status = @status)`,
    before: { store: STRING, status: STRING },
    after: { status: "type: String, default: ''" },
    codes: ['parameter.now_optional'],
  },
  {
    why: 'a search beside the one that confines',
    where: `${PLAIN} AND note LIKE @note`,
    before: { store: STRING, note: `${STRING}, pattern: '[a-z]+'` },
    after: { note: STRING },
    codes: ['parameter.pattern_removed'],
  },
  {
    why: 'a period',
    where: `${PLAIN} AND day >= @since AND day = @day`,
    before: { store: STRING, since: 'type: Date, required: true', day: 'type: Date, required: true' },
    after: { since: "type: Date, default: '2020-01-01'", day: "type: Date, default: '2020-01-01'" },
    codes: ['parameter.now_optional'],
  },
  {
    why: 'a pattern, where only equal rows are selected',
    where: PLAIN,
    before: { store: `${STRING}, pattern: '[a-z]+'` },
    after: { store: STRING },
    codes: ['parameter.pattern_removed'],
  },
  {
    why: 'the filter of an endpoint with a declared tenancy',
    where: `${PLAIN} AND status = @status`,
    before: { store: STRING, status: `${STRING}, enum: [open]` },
    after: { status: `${STRING}, enum: [open, closed]` },
    keys: { tenancy: '{ parameter: store }' },
    codes: ['parameter.enum_widened'],
  },
  {
    why: 'an endpoint without tenants',
    where: PLAIN,
    before: { store: STRING },
    after: { store: 'type: String, default: main' },
    keys: { tenancy: '{ none: a public list }' },
    codes: ['parameter.now_optional'],
  },
  {
    why: 'a number of rows',
    where: "store = 'main' LIMIT @count",
    before: { count: 'type: UInt16, default: 10, max: 100' },
    after: { count: 'type: UInt16, default: 20, max: 200' },
    codes: ['parameter.default_changed', 'parameter.range_widened'],
  },
  {
    why: 'narrower',
    where: PLAIN,
    before: { store: 'type: String, default: main' },
    after: { store: `${STRING}, enum: [north]` },
    codes: ['parameter.enum_narrowed', 'parameter.now_required'],
  },
];

async function codesFor({ where, before, after, keys = {} }: Row): Promise<readonly string[]> {
  const [old = '', now = ''] = [before, { ...before, ...after }].map((parameters) =>
    fileOf({
      query: `SELECT id, note FROM shop.orders WHERE ${where}`,
      parameters: `{ ${Object.entries(parameters)
        .map(([name, spec]) => `${name}: { ${spec} }`)
        .join(', ')} }`,
      ...keys,
    }),
  );
  return codesOf(await comparer.changesBetween(old, now));
}

test.each(SECURE)('$why: $codes', async (row) => {
  expect(await codesFor(row)).toEqual(row.codes);
});

test.each(HARMLESS)('$why: no security change', async (row) => {
  expect(await codesFor(row)).toEqual(row.codes);
});

test('a parameter that does not confine every table is not the tenant, and a parameter of a shared table does not count', async () => {
  const file = (spec: string, shared: string): string =>
    fileOf({
      query:
        'SELECT o.id, r.rate FROM shop.orders AS o JOIN shop.rates AS r ON r.day = o.day WHERE o.store = @store AND r.rate > @rate',
      parameters: `{ store: { ${spec} }, rate: { type: Float64, required: true } }`,
      tenancy: shared,
    });
  const pair = (shared: string) =>
    comparer.changesBetween(file(`${STRING}, enum: [a]`, shared), file(`${STRING}, enum: [a, b]`, shared));
  expect(codesOf(await pair(''))).toEqual(['tenant.values_widened']);
  expect(codesOf(await pair('{ parameter: store, shared: { shop.rates: public } }'))).toEqual([
    'tenant.values_widened',
  ]);
});

test('a change says who may read what', async () => {
  const file = (spec: string): string =>
    fileOf({ query: `SELECT id FROM shop.orders WHERE ${PLAIN}`, parameters: `{ store: { ${spec} } }` });
  const [change] = await comparer.changesBetween(file(STRING), file("type: String, default: '%'"));
  expect(change?.message).toBe(
    'store is optional: any caller may omit it, and gets the rows that "%" selects',
  );
});
