// Rules by name for values inside of columns: whatever the types around such a value, no response depends on it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExchange, TRACES, type Exchange, type Response } from './exchange.ts';

let exchange: Exchange;
beforeAll(async () => {
  exchange = await openExchange();
});
afterAll(() => exchange.close());

/** The values of `$` and `#` in the two databases. */
const SECRETS = { first: ['Smith', '5'], second: ['Jones-12', '987'] } as const;

interface Case {
  readonly type: string;
  /** With `$` for the text and `#` for the number to be redacted. */
  readonly value: string;
  readonly columns: string;
  /** The column in a response. */
  readonly shown: unknown;
  /** Expressions for the value, apart from the column itself. */
  readonly parts?: readonly string[];
  /** If the pass over the rows of a saved query leaves something else than the engine does. */
  readonly inRows?: unknown;
}

const CASES: readonly Case[] = [
  {
    type: 'JSON',
    value: `'{"user":[{"name":"$"}],"ssn":"$","SSN":"$","k":1}'`,
    columns: 'c.user.name: mask, c.ssn: drop',
    shown: { k: 1 },
    inRows: { user: [{ name: 'REDACTED' }], k: 1 },
    parts: ['c.ssn', 'c.SSN', 'c.user', 'c.user[].name'],
  },
  {
    type: 'JSON(user.name String)',
    value: `'{"user":{"name":"$","x":1},"k":1}'`,
    columns: 'c.user.name: mask',
    shown: { user: { name: 'REDACTED', x: 1 }, k: 1 },
    parts: ['c.user.name', 'c.^user', 'JSONAllPaths(c)'],
  },
  {
    type: 'JSON(user.name String, User.Age UInt64)',
    value: `'{"user":{"name":"$"},"User":{"Age":#},"k":1}'`,
    columns: 'c.user.name: drop, c.user.age: mask',
    shown: { k: 1 },
    inRows: { user: {}, User: { Age: 'REDACTED' }, k: 1 },
    parts: ['c.user.name', 'c.User.Age', 'c.^User'],
  },
  {
    type: 'JSON(user Map(String, String), list Array(JSON))',
    value: `'{"user":{"name":"$"},"list":[{"name":"$"}],"k":1}'`,
    columns: 'c.user.name: mask, c.list.name: mask',
    shown: { k: 1 },
    inRows: { user: { name: 'REDACTED' }, list: [{ name: 'REDACTED' }], k: 1 },
    parts: ['c.user', "c.user['name']", 'c.list', 'c.list.name', 'c.list[1].name'],
  },
]; // prettier-ignore

/** Functions of a value, of which any response would show it; and a condition with groups. */
const functionsOf = (part: string, table: string): string =>
  `SELECT ${part} AS x, toString(x) AS s, upper(s) AS u, reverse(s) AS r, hex(toJSONString(x)) AS h, length(s) AS n, s = 'Smith' AS e FROM ${table}`;
const groupsOf = (part: string, table: string): string =>
  `SELECT count() AS n, max(length(s)) AS m FROM (SELECT toString(${part}) AS s FROM ${table} WHERE s LIKE '%Smith%' OR s LIKE '%5%' GROUP BY s)`;

const differ = ([a, b]: readonly [Response, Response]): boolean => a.body !== b.body || a.status !== b.status;
const rowOf = (body: string): unknown => (JSON.parse(body) as { readonly c?: unknown }).c; // our own rows

const numbered = CASES.map((each, index) => ({ ...each, table: `nested_${index}` }));

test.each(numbered)(
  '$type with $columns',
  async ({ type, value, columns, shown, inRows, parts = [], table }) => {
    for (const [database, [text, number]] of Object.entries(SECRETS)) {
      await exchange.engine.execute(
        `CREATE TABLE ${database}.${table} (id UInt8, c ${type}) ENGINE = MergeTree ORDER BY id SETTINGS flatten_nested = 0`,
      );
      await exchange.engine.execute(
        `INSERT INTO ${database}.${table} SELECT 1, ${value.replaceAll('$', text).replaceAll('#', number)}`,
      );
    }
    const pii = `redact: true, columns: { ${columns} }`;
    const consumer = exchange.over(table, `{ ${pii} }`);
    const open = exchange.over(table, '{ redact: false }');
    const failures: string[] = [];
    const check = (how: string, query: string, [a, b]: readonly [Response, Response]): void => {
      const isSafe = a.status === 200 && !differ([a, b]) && !TRACES.test(a.body);
      if (!isSafe) failures.push(`${how}: ${query}: ${a.status} ${a.body} / ${b.status} ${b.body}`);
    };
    const consumerQuery = (text: string) => ({ language: 'sql', dialect: 'clickhouse', text }) as const;
    if (shown !== undefined) {
      expect(differ(await open(consumerQuery(functionsOf('c', 't')))), 'without redaction').toBe(true);
      for (const text of ['c', ...parts].map((part) => functionsOf(part, 't')).concat(groupsOf('c', 't')))
        check('consumer', text, await consumer(consumerQuery(text)));
      const stored = `DB.${table}`;
      for (const query of [functionsOf('c', stored), groupsOf(parts.at(0) ?? 'c', stored)])
        check('at: source', query, await exchange.saved(query, `{ ${pii}, at: source }`));
    }
    const row = `SELECT * FROM DB.${table}`;
    const atSource = await exchange.saved(row, `{ ${pii}, at: source }`);
    check('at: source', row, atSource);
    expect(failures).toEqual([]);
    expect(rowOf(atSource[0].body)).toEqual(shown);
    const [atResult] = await consumer(undefined);
    expect(rowOf(atResult.body), 'in rows').toEqual(inRows ?? shown);
  },
);

test.each([
  ['JSON(user.id UInt64)', '\'{"user":{"id":4711}}\''],
  ["JSON(user.id DateTime('Europe/Berlin'))", '\'{"user":{"id":"2024-01-01 12:00:00"}}\''],
])('hashes in %s are those of rows', async (type, value) => {
  const table = `hashed_${type.replaceAll(/\W/g, '')}`;
  for (const database of ['first', 'second']) {
    await exchange.engine.execute(`CREATE TABLE ${database}.${table} (id UInt8, c ${type}) ENGINE = Memory`);
    await exchange.engine.execute(`INSERT INTO ${database}.${table} SELECT 1, ${value}`);
  }
  const over = exchange.over(table, '{ redact: true, columns: { c.user.id: hash } }');
  const [inRows] = await over(undefined);
  const [below] = await over({ language: 'sql', dialect: 'clickhouse', text: 'SELECT id, c FROM t' });
  expect(below).toEqual({ ...inRows, isChanged: false });
  expect(rowOf(below.body)).toEqual({ user: { id: expect.stringMatching(/^[0-9a-f]{32}$/) } });
});
