// Changes of choices and optional parts: each variant is compared with what the same calls get now.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileOf, openComparer, type Comparer } from './fixture.ts';

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
    ['query.changed', 'tenant.filter_removed', 'tenant.not_confined without mine'],
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
    'a new optional part that shows rows of other tenants',
    file(PART, 'a: { type: Bool }').replace('@tenant"', '@tenant AND (@a OR 1)"'),
    file(
      `${PART} AND (@a OR 1) /* if @all */ UNION ALL SELECT id FROM shop.orders WHERE @a IS NULL /* end */`,
      'a: { type: Bool }, all: { type: Bool }',
    ),
    ['parameter.added_optional', 'SECURITY with all'],
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
