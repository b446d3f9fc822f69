// Changes of choices and optional parts: each variant is compared with what the same calls get now.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { comparedVariants, pairVariants } from '../../../src/cli/compare/variants.ts';
import { fileOf, openComparer, sideOf, type Comparer } from './fixture.ts';

let comparer: Comparer;
beforeAll(async () => {
  comparer = await openComparer(`CREATE DATABASE shop;
CREATE TABLE shop.orders (tenant String, id UInt64, status String, amount Int64) ENGINE = MergeTree ORDER BY id;`);
});
afterAll(() => comparer.close());

const TENANT = 'tenant: { type: String, required: true }';
const file = (query: string, parameters: string): string =>
  fileOf({
    query: JSON.stringify(query),
    parameters: `{ ${TENANT}, ${parameters} }`,
    tenancy: '{ parameter: tenant }',
  });

const ORDERED = 'SELECT id FROM shop.orders WHERE tenant = @tenant AND @only ORDER BY @order';
const choices = (only: string, order = 'id: id, amount: amount DESC'): string =>
  `only: { choices: { ${only} }, default: all }, order: { choices: { ${order} }, default: id }`;
const ALL = "all: id > 0, paid: status = 'paid'";
const PART = 'SELECT id FROM shop.orders WHERE tenant = @tenant';
const STATUS = 'status: { type: String }';

test.each<[why: string, before: string, after: string, changes: readonly string[]]>([
  [
    'another order of one choice',
    file(ORDERED, choices(ALL)),
    file(ORDERED, choices(ALL, 'id: id, amount: amount')),
    ['query.changed with order=amount'],
  ],
  [
    'the same fragment, written differently',
    file(ORDERED, choices(ALL)),
    file(ORDERED, choices(ALL.replace('id > 0', '0 < id'))),
    ['query.rewritten with only=all'],
  ],
  [
    'a new choice',
    file(ORDERED, choices(ALL)),
    file(ORDERED, choices(`${ALL}, large: amount > 100`)),
    ['parameter.enum_widened', 'query.rows_added with only=large'],
  ],
  [
    'a new choice of rows that another one returns',
    file(ORDERED, choices(`${ALL}, some: amount > 10`)),
    file(ORDERED, choices(`${ALL}, some: amount > 10, large: amount > 100`)),
    ['parameter.enum_widened'],
  ],
  [
    'a new order of a result that is cut',
    file(`${ORDERED} LIMIT 10`, choices(ALL)),
    file(`${ORDERED} LIMIT 10`, choices(ALL, 'id: id, amount: amount DESC, status: status')),
    ['parameter.enum_widened'],
  ],
  [
    'a choice that is gone',
    file(ORDERED, choices(ALL)),
    file(ORDERED, choices('all: id > 0')),
    ['parameter.enum_narrowed'],
  ],
  [
    'a condition that becomes optional',
    file(`${PART} AND status = @status`, STATUS),
    file(`${PART} /* if @status */ AND status = @status /* end */`, STATUS),
    ['query.changed without status', 'tenant.not_confined without status'],
  ],
  [
    'the condition on the tenant becomes optional',
    file('SELECT id FROM shop.orders WHERE tenant = @tenant', 'mine: { type: Bool }').replace(
      '@tenant"',
      '@tenant AND (@mine OR 1)"',
    ),
    file(
      'SELECT id FROM shop.orders WHERE 1 /* if @mine */ AND tenant = @tenant /* end */',
      'mine: { type: Bool }',
    ),
    ['query.changed', 'tenant.not_confined without mine'],
  ],
  [
    'a new optional part',
    file(PART, 'a: { type: Bool }').replace('@tenant"', '@tenant AND (@a OR 1)"'),
    file(
      `${PART} AND (@a OR 1) /* if @status */ AND status = @status /* end */`,
      `a: { type: Bool }, ${STATUS}`,
    ),
    ['parameter.added_optional'],
  ],
  [
    'an optional condition that becomes an optional part',
    file(`${PART} AND (@status IS NULL OR status = @status)`, STATUS),
    file(`${PART} /* if @status */ AND status = @status /* end */`, STATUS),
    ['query.changed'],
  ],
  [
    'an optional part that becomes an optional condition',
    file(`${PART} /* if @status */ AND status = @status /* end */`, STATUS),
    file(`${PART} AND ifNull(status = @status, 1)`, STATUS),
    ['query.changed'],
  ],
  [
    'an optional condition that becomes an optional part of another one',
    file(`${PART} AND (@status IS NULL OR status = @status)`, STATUS),
    file(`${PART} /* if @status */ AND status != @status /* end */`, STATUS),
    ['query.changed', 'query.rows_removed with status', 'tenant.not_confined with status'],
  ],
  [
    'a new optional part that shows rows of other tenants',
    file(PART, 'a: { type: Bool }').replace('@tenant"', '@tenant AND (@a OR 1)"'),
    file(
      `${PART} AND (@a OR 1) /* if @all */ UNION ALL SELECT id FROM shop.orders WHERE @a IS NULL /* end */`,
      'a: { type: Bool }, all: { type: Bool }',
    ),
    ['parameter.added_optional', 'SECURITY with all'],
  ],
  [
    'the part for a value that had been in the part for all others',
    file(`${PART} /* if not @status = paid */ AND amount > 10 /* end */`, STATUS),
    file(
      `${PART} /* if @status = new */ AND amount > 100 /* end */ /* if not @status = paid and not @status = new */ AND amount > 10 /* end */`,
      STATUS,
    ),
    ['query.changed with status=new', 'query.rows_removed with status=new'],
  ],
  [
    'a part for other calls that is gone',
    file(
      `${PART} /* if @status */ AND status = @status /* end */ /* if not @status */ AND amount > 10 /* end */`,
      STATUS,
    ),
    file(`${PART} /* if @status */ AND status = @status /* end */`, STATUS),
    ['query.changed without status', 'query.rows_added without status'],
  ],
  [
    'another name in a condition on a choice',
    file(
      `${PART} /* if @by = id */ AND amount > 10 /* end */ ORDER BY @by`,
      'by: { choices: { id: id, at: amount }, default: id }',
    ),
    file(
      `${PART} /* if not @by = at */ AND amount > 10 /* end */ ORDER BY @by`,
      'by: { choices: { id: id, at: amount }, default: id }',
    ),
    [],
  ],
])('%s', async (_why, before, after, expected) => {
  const changes = await comparer.changesBetween(before, after);
  const shown = changes.map(({ code, message, class: kind }) => {
    const condition = /\(((?:with|without) [^()]*)\)$/.exec(message)?.[1];
    const isTenant = kind === 'security';
    return [isTenant && expected.some((each) => each.startsWith('SECURITY')) ? 'SECURITY' : code, condition]
      .filter((each) => each !== undefined)
      .join(' ');
  });
  expect([...new Set(shown)].toSorted()).toEqual(expected.toSorted());
});

/** Six optional conditions and a choice: 128 variants, of which some are compared. */
const MANY = ['a', 'b', 'c', 'd', 'e', 'f'].map(
  (name) => `/* if @${name} */ AND amount != @${name} /* end */`,
);
const MANY_PARAMETERS = `${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}: { type: Int64 }`).join(', ')}, order: { choices: { id: id, amount: amount DESC }, default: id }`;
const many = (parts: readonly string[], parameters = MANY_PARAMETERS, where = ''): string =>
  file(`${PART} ${where} ${parts.join(' ')} ORDER BY @order`, parameters);

test.each<[why: string, after: string, codes: readonly string[]]>([
  ['in another order', many(MANY.toReversed()), ['query.rewritten']],
  [
    'in other words',
    many(MANY.map((part) => part.replace('amount !=', 'NOT amount ='))),
    ['query.rewritten'],
  ],
  [
    'with one more',
    many([...MANY, '/* if @g */ AND amount != @g /* end */'], `${MANY_PARAMETERS}, g: { type: Int64 }`),
    ['parameter.added_optional'],
  ],
  [
    'with one more choice',
    many(MANY, MANY_PARAMETERS.replace('id: id', 'id: id, newest: id DESC')),
    ['parameter.enum_widened'],
  ],
  [
    'with one less',
    many(MANY.slice(1), MANY_PARAMETERS.replace('a: { type: Int64 }, ', '')),
    ['parameter.removed', 'query.changed', 'tenant.filter_removed'],
  ],
  [
    'with a condition on all',
    many(MANY, MANY_PARAMETERS, 'AND id > 5'),
    ['query.changed', 'query.rows_removed'],
  ],
  [
    'with one of them by rows of all',
    many([
      ...MANY.slice(1),
      '/* if @a */ AND amount != (SELECT max(id) FROM shop.orders WHERE id < @a) /* end */',
    ]),
    ['query.changed', 'query.rows_removed', 'tenant.filter_changed', 'tenant.not_confined'],
  ],
])('of more than 64 variants: %s', async (_why, after, codes) => {
  const changes = await comparer.changesBetween(many(MANY), after);
  expect([...new Set(changes.map(({ code }) => code))].toSorted()).toEqual(codes);
});

test('an optional part that is gone leaves no decision to name', async () => {
  const before = file(`${PART} AND id > @least /* if @status */ AND status = @status /* end */`, `${STATUS}, least: { type: UInt64, default: 1 }`);
  const changes = await comparer.changesBetween(before, file(`${PART} AND id > @least`, 'least: { type: UInt64, default: 1 }'));
  const found = changes.find(({ code }) => code === 'tenant.not_confined');
  expect(found?.message).toMatch(/@status .*shop\.orders$/);
}); // prettier-ignore

test('the same variants are compared on both sides, once each', () => {
  const [old, now] = [many(MANY), many([...MANY.slice(2), MANY[1] ?? '', MANY[0] ?? ''])].map(
    (text) => sideOf({ 'one.yaml': text }).served[0],
  );
  if (old === undefined || now === undefined) throw new Error('both are served');
  const pairs = pairVariants(old, now);
  const nameOf = (name: string): string => name.split(', ').toSorted().join(', ');
  expect(pairs.length).toBeGreaterThan(6);
  for (const each of pairs) {
    expect(each.isNew).toBe(false);
    expect(nameOf(each.now.analysis.variant)).toBe(nameOf(each.old.analysis.variant));
  }
  expect(new Set(pairs.map((each) => each.old)).size).toBe(pairs.length);
  expect(comparedVariants(old, now)).toEqual([pairs.map((each) => each.old), pairs.map((each) => each.now)]);
});
