// Rules by name for values inside of columns: whatever the types around such a value, no response depends on it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { some } from '../../support/runs.ts';
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
    type: 'Map(String, Map(String, String))',
    value: "map('profile', map('name', '$', 'x', 'y'), 'b', map('name', 'z'))",
    columns: 'c.profile.name: mask',
    shown: { profile: { name: 'REDACTED', x: 'y' }, b: { name: 'z' } },
    parts: ["c['profile']['name']", "c['profile']", 'mapValues(c)', 'c.values', 'c.key_profile'],
  },
  {
    type: 'Map(String, Map(String, String))',
    value: "map('profile', map('name', '$', 'x', 'y'), 'b', map('name', 'z'))",
    columns: 'c.profile.name: drop',
    shown: { profile: { x: 'y' }, b: { name: 'z' } },
    parts: ["c['profile']['name']", "c['profile']"],
  },
  {
    type: 'Map(LowCardinality(String), Map(String, UInt64))',
    value: "map('profile', map('age', #, 'x', 1))",
    columns: 'c.profile.age: mask',
    shown: { profile: { x: 1 } },
    inRows: { profile: { age: 'REDACTED', x: 1 } },
    parts: ["c['profile']['age']"],
  },
  {
    type: 'Map(String, Map(String, String))',
    value: "map('a.b', map('c', '$', 'f', 'y'), 'a', map('b.c', '$', 'B.C.d', '$', 'b', 'y'))",
    columns: 'c.a.b.c: mask',
    shown: { 'a.b': { c: 'REDACTED', f: 'y' }, a: { 'b.c': 'REDACTED', 'B.C.d': 'REDACTED', b: 'y' } },
    parts: ["c['a.b']['c']", "c['a']['b.c']"],
  },
  {
    type: 'Map(String, Map(String, String))',
    value: "map('PROFILE', map('Name', '$'), 'Profile', map('name.first', '$'), 'PROFILE.NAME', map('a', '$'))",
    columns: 'c.profile.Name: mask',
    shown: { PROFILE: { Name: 'REDACTED' }, Profile: { 'name.first': 'REDACTED' } },
    inRows: {
      PROFILE: { Name: 'REDACTED' },
      Profile: { 'name.first': 'REDACTED' },
      'PROFILE.NAME': 'REDACTED',
    },
    parts: ["c['PROFILE']['Name']", 'c.key_PROFILE'],
  },
  {
    type: 'Map(String, String)',
    value: "map('José', '$', 'JOSÉ', '$', 'Jose\u0301', '$', 'ÉTÉ.x', '$', 'x', 'y')",
    columns: 'c.josé: mask, c.e\u0301té: drop',
    shown: { José: 'REDACTED', JOSÉ: 'REDACTED', 'Jose\u0301': 'REDACTED', x: 'y' },
    parts: ["c['José']", "c['JOSÉ']", "c['Jose\u0301']", 'c.`key_Jose\u0301`', 'c.`key_JOSÉ`'],
  },
  {
    type: 'JSON',
    value: `'{"JOSÉ":{"NAME":"$"},"Jose\u0301":{"name":"$"},"a😀;]":"$","k":1}'`,
    columns: "c.josé.name: drop, 'c.A😀;]': drop",
    shown: { k: 1 },
    inRows: { JOSÉ: {}, 'Jose\u0301': {}, k: 1 },
    parts: ['c.`JOSÉ`.NAME', 'c.`Jose\u0301`.name'],
  },
  {
    type: 'Map(String, String)',
    value:
      "map('\u0958', '$', '\u1f71', '$', 'İd', '$', '\u00ea\u0301', '$', 'ma_h\u00f4\u0323', '$', 'x\u0307\u0323', '$', 'J\u030c', '$', 'x', 'y', '\u00ea', 'y')",
    columns: 'c.\u0958: drop, c.\u03ac: drop, c.İd: drop, c.\u1ebf: drop, c.ma_hộ: drop, c.x\u0323\u0307: drop, c.\u01f0: mask',
    shown: { 'J\u030c': 'REDACTED', x: 'y', '\u00ea': 'y' },
    parts: ["c['\u0958']", "c['\u1f71']", "c['İd']", "c['\u00ea\u0301']", "c['ma_h\u00f4\u0323']", "c['x\u0307\u0323']", "c['J\u030c']"],
  },
  {
    type: 'JSON',
    value:
      `'{"\u0958":"$","\u1f71":"$","İd":"$","\u00ea\u0301":"$","ma_h\u00f4\u0323":"$","\uac00\u11a8":"$","x\u0307\u0323":{"a":"$"},"\u212aey":"$","a\u037e":"$","k":1}'`,
    columns: "c.\u0958: drop, c.\u1f71: drop, c.İd: drop, c.\u1ebf: drop, c.ma_hộ: drop, c.\uac01: drop, c.x\u0323\u0307: drop, c.key: drop, 'c.a;': drop",
    shown: { k: 1 },
    parts: ['c.`\u0958`', 'c.`\u00ea\u0301`'],
  },
  {
    type: 'JSON(`\u0958` String, `a\u037e` String)',
    value: `'{"\u0958":"$","a\u037e":"$","k":1}'`,
    columns: "c.\u0958: drop, 'c.a;': drop",
    shown: { k: 1 },
  },
  {
    // More forms than the expression of SKIP REGEXP lists.
    type: 'Map(String, JSON)',
    value: `map('a', '{"x\u0308\u0304\u0301\u0302\u0331\u0323\u0327\u0328":"$","k":1}', 'b', '{"k":1}')`,
    columns: 'c.a.x\u0327\u0328\u0331\u0323\u0308\u0304\u0301\u0302: drop',
    shown: { a: {}, b: { k: 1 } },
    inRows: { a: { k: 1 }, b: { k: 1 } },
    parts: ["c['a']"],
  },
  {
    type: 'Map(String, Map(String, JSON))',
    value: `map('a3', map('b', '{"e":"$","x":1}'), 'z', map('b', '{"e":"z"}'))`,
    columns: Array.from({ length: 60 }, (_, index) => `c.a${index}.b.e: mask`).join(', '),
    shown: { a3: { b: { e: 'REDACTED', x: 1 } }, z: { b: { e: 'z' } } },
    parts: ["c['a3']['b'].e"],
  },
  {
    type: 'Map(String, JSON)',
    value: `map('profile', '{"name":"$","x":1}', 'b', '{"name":"z"}')`,
    columns: 'c.profile.name: drop',
    shown: { profile: { x: 1 }, b: { name: 'z' } },
    parts: ["c['profile'].name", "c['profile']", 'mapValues(c)'],
  },
  {
    type: 'Map(String, JSON)',
    value: `map('profile', '{"name":"$","tags":[{"id":"$"}]}', 'b', '{}')`,
    columns: 'c.profile.name: mask, c.profile.tags.id: mask',
    shown: { profile: { name: 'REDACTED' }, b: {} },
    inRows: { profile: { name: 'REDACTED', tags: [{ id: 'REDACTED' }] }, b: {} },
    parts: ["c['profile'].name", "c['profile'].tags"],
  },
  {
    type: 'Map(String, JSON(name String))',
    value: `map('profile', '{"name":"$"}', 'b', '{"name":"z"}')`,
    columns: 'c.profile.name: mask',
    shown: { b: { name: 'z' } },
    inRows: { profile: { name: 'REDACTED' }, b: { name: 'z' } },
    parts: ["c['profile'].name"],
  },
  {
    type: 'Map(String, Tuple(name String, n UInt8))',
    value: "map('profile', ('$', 1), 'b', ('z', 2))",
    columns: 'c.profile.name: drop',
    shown: { profile: { n: 1 }, b: { name: 'z', n: 2 } },
    parts: ["c['profile'].1", "c['profile'].name", 'mapValues(c)'],
  },
  {
    type: 'Map(String, Tuple(name String, age UInt64))',
    value: "map('profile', ('z', #), 'b', ('z', 2))",
    columns: 'c.profile.age: mask',
    shown: { b: { name: 'z', age: 2 } },
    inRows: { profile: { name: 'z', age: 'REDACTED' }, b: { name: 'z', age: 2 } },
    parts: ["c['profile'].age"],
  },
  {
    type: 'Map(String, Array(Tuple(name String)))',
    value: "map('profile', [tuple('$'), tuple('x')])",
    columns: 'c.profile.name: mask',
    shown: { profile: [{ name: 'REDACTED' }, { name: 'REDACTED' }] },
    parts: ["c['profile'][1].1"],
  },
  {
    type: 'Map(String, Array(Map(String, Nullable(String))))',
    value: "map('profile', [map('name', '$'), map('name', NULL)])",
    columns: 'c.profile.name: mask',
    shown: { profile: [{ name: 'REDACTED' }, { name: 'REDACTED' }] },
    inRows: { profile: [{ name: 'REDACTED' }, { name: null }] },
    parts: ["c['profile'][1]['name']"],
  },
  {
    type: 'Map(String, Variant(Map(String, String), UInt64))',
    value: "map('profile', map('name', '$')::Variant(Map(String, String), UInt64))",
    columns: 'c.profile.name: mask',
    shown: { profile: { name: 'REDACTED' } },
    parts: ["variantElement(c['profile'], 'Map(String, String)')['name']"],
  },
  {
    type: 'Map(String, Dynamic)',
    value: "map('profile', map('name', '$')::Dynamic, 'b', map('k', 'z')::Dynamic, 'd', 7::Int64::Dynamic)",
    columns: 'c.profile.name: mask',
    shown: { profile: 'REDACTED', b: '{"k":"z"}', d: 7 },
    inRows: { profile: { name: 'REDACTED' }, b: { k: 'z' }, d: 7 },
    parts: ["c['profile']"],
  },
  {
    type: 'Map(UInt8, Map(String, String))',
    value: "map(7, map('name', '$'), 8, map('name', 'z'))",
    columns: 'c.7.name: mask',
    shown: { '7': { name: 'REDACTED' }, '8': { name: 'z' } },
    parts: ["c[7]['name']", 'c.key_7'],
  },
  {
    type: 'Dynamic',
    value: "map('name', '$')",
    columns: 'c.name: mask',
    shown: 'REDACTED',
    inRows: { name: 'REDACTED' },
    parts: ["dynamicElement(c, 'Map(String, String)')"],
  },
  {
    type: 'Dynamic',
    value: `'{"user":{"name":"$"}}'::JSON`,
    columns: 'c.user.name: drop',
    shown: 'REDACTED',
    inRows: { user: {} },
    parts: ["dynamicElement(c, 'JSON')"],
  },
  {
    type: 'Dynamic',
    value: "tuple('$')::Tuple(name String)",
    columns: 'c.name: mask',
    shown: 'REDACTED',
    inRows: { name: 'REDACTED' },
    parts: ["dynamicElement(c, 'Tuple(name String)')"],
  },
  {
    type: 'Dynamic(max_types=0)',
    value: "[map('name', '$')]",
    columns: 'c.name: mask',
    shown: 'REDACTED',
    inRows: [{ name: 'REDACTED' }],
  },
  {
    type: 'Array(Dynamic)',
    value: "[map('name', '$')::Dynamic, 7::Int64::Dynamic, 'x'::Dynamic, NULL, ['a']::Array(Nullable(String))::Dynamic]",
    columns: 'c.name: mask',
    shown: ['REDACTED', 7, 'x', null, ['a']],
    inRows: [{ name: 'REDACTED' }, 7, 'x', null, ['a']],
    parts: ['c[1]'],
  },
  {
    type: 'Tuple(a Dynamic, b UInt8)',
    value: "(map('name', '$')::Dynamic, 1)",
    columns: 'c.a.name: mask',
    shown: { a: 'REDACTED', b: 1 },
    inRows: { a: { name: 'REDACTED' }, b: 1 },
    parts: ['c.a', 'c.1'],
  },
  {
    type: 'Variant(Map(String, String), UInt64)',
    value: "map('name', '$', 'x', 'y')",
    columns: 'c.name: mask',
    shown: { name: 'REDACTED', x: 'y' },
    parts: ["variantElement(c, 'Map(String, String)')['name']", "c.`Map(String, String)`"],
  },
  {
    type: 'Variant(Array(Tuple(name String)), Array(Map(String, String)))',
    value: "[tuple('$')]::Array(Tuple(name String))",
    columns: 'c.name: mask',
    shown: [{ name: 'REDACTED' }],
  },
  {
    type: 'Variant(Tuple(age UInt64), UInt8)',
    value: 'tuple(#)::Tuple(age UInt64)',
    columns: 'c.age: mask',
    shown: 'REDACTED',
    inRows: { age: 'REDACTED' },
  },
  {
    type: 'Variant(JSON, UInt64)',
    value: `'{"name":"$","x":1}'::JSON`,
    columns: 'c.name: drop',
    shown: { x: 1 },
  },
  {
    type: 'Array(Map(String, Map(String, String)))',
    value: "[map('profile', map('name', '$')), map('b', map('name', 'z'))]",
    columns: 'c.profile.name: mask',
    shown: [{ profile: { name: 'REDACTED' } }, { b: { name: 'z' } }],
    parts: ["c[1]['profile']['name']"],
  },
  {
    type: 'Array(Array(Tuple(name String, n UInt8)))',
    value: "[[('$', 1)]]",
    columns: 'c.name: mask',
    shown: [[{ name: 'REDACTED', n: 1 }]],
    parts: ['c[1][1].1', 'c.name', 'c.1'],
  },
  {
    type: 'Nested(name String, inner Nested(age UInt64))',
    value: "[('$', [tuple(#)])]",
    columns: 'c.name: mask, c.inner.age: mask',
    shown: [{ name: 'REDACTED', inner: [{ age: 'REDACTED' }] }],
    parts: ['c.name', 'c.inner', 'c.inner.age'],
  },
  {
    type: 'Tuple(Tuple(name String), Map(String, String))',
    value: "(tuple('$'), map('name', '$', 'x', 'y'))",
    columns: 'c.name: mask',
    shown: [{ name: 'REDACTED' }, { name: 'REDACTED', x: 'y' }],
    parts: ['c.1', 'c.1.name', "c.2['name']", 'c.1.1', 'tupleElement(c, 1)'],
  },
  {
    type: 'Tuple(String, Array(Tuple(String, UInt64)))',
    value: "('x', [('$', #)])",
    columns: 'c.2.1: mask, c.2.2: mask',
    shown: ['x', [['REDACTED', 'REDACTED']]],
    inRows: ['x', [['Smith', 5]]],
    parts: ['c.2', 'c.2.1', 'c.2.2', 'c.2[1].1'],
  },
  {
    type: 'Tuple(`user.name` String, `User` Tuple(`Name` String), n UInt8)',
    value: "('$', tuple('$'), 1)",
    columns: 'c.user.name: mask',
    shown: { 'user.name': 'REDACTED', User: { Name: 'REDACTED' }, n: 1 },
    parts: ['c.1', 'c.`user.name`', 'c.User', 'c.User.Name', 'c.2.1'],
  },
  {
    type: 'Tuple(Profile Map(String, JSON))',
    value: `tuple(map('user', '{"name":"$","x":1}'::JSON))`,
    columns: 'c.profile.user.name: mask',
    shown: { Profile: { user: { name: 'REDACTED', x: 1 } } },
    parts: ["c.Profile['user'].name", 'c.1'],
  },
  {
    type: 'Array(JSON)',
    value: `['{"user":{"name":"$"},"x":1}'::JSON]`,
    columns: 'c.user.name: drop',
    shown: [{ x: 1 }],
    inRows: [{ user: {}, x: 1 }],
    parts: ['c[1].user.name', 'c.user.name'],
  },
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
  {
    type: 'AggregateFunction(any, Tuple(name UInt64))',
    value: "initializeAggregation('anyState', tuple(#)::Tuple(name UInt64))",
    columns: 'c.name: mask',
    shown: undefined,
    inRows: expect.anything(),
  },
]; // prettier-ignore

/** Functions of a value, of which any response would show it; and a condition with groups. */
const functionsOf = (part: string, table: string): string =>
  `SELECT ${part} AS x, toString(x) AS s, upper(s) AS u, reverse(s) AS r, hex(toJSONString(x)) AS h, length(s) AS n, s = 'Smith' AS e FROM ${table}`;
const groupsOf = (part: string, table: string): string =>
  `SELECT count() AS n, max(length(s)) AS m FROM (SELECT toString(${part}) AS s FROM ${table} WHERE s LIKE '%Smith%' OR s LIKE '%5%' GROUP BY s)`;

const differ = ([a, b]: readonly [Response, Response]): boolean => a.body !== b.body || a.status !== b.status;
const rowOf = (body: string): unknown => (JSON.parse(body) as { readonly c?: unknown }).c; // our own rows

const IS_WHOLE = process.env['FUZZ_CASES'] !== undefined;
/**
 * Of every second one that is run, the column in a query of a consumer, of the others in a saved one; of every third a part in a query of a
 * consumer, and of every ninth in a saved one. All of them with `npm run test:all`.
 */
const numbered = some(CASES, 3).map((each, index) => ({
  ...each,
  index,
  table: `nested_${index}`,
  isConsumed: IS_WHOLE || (index % 2 === 0 && each.shown !== undefined),
  isSaved: IS_WHOLE || index % 2 === 1 || each.shown === undefined,
}));

/** One of the queries for every so many cases, in turn. */
const inTurn = (queries: readonly string[], index: number, each: number): readonly string[] =>
  IS_WHOLE
    ? queries
    : queries.filter((_, place) => index % each === 0 && place === (index / each) % queries.length);

test.each(numbered)(
  '$type with $columns',
  async ({ index, type, value, columns, shown, inRows, parts = [], table, isConsumed, isSaved }) => {
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
    const [atResult] = await consumer(undefined);
    expect(rowOf(atResult.body), 'in rows').toEqual(inRows ?? shown);
    if (shown !== undefined) {
      const ofColumn = functionsOf('c', 't').replace('SELECT', 'SELECT c,');
      expect(differ(await open(consumerQuery(ofColumn))), 'without redaction').toBe(true);
      if (isConsumed) {
        const answers = await consumer(consumerQuery(ofColumn));
        check('consumer', ofColumn, answers);
        expect(rowOf(answers[0].body)).toEqual(shown);
      }
      const ofParts = parts.map((part) => functionsOf(part, 't')).concat(groupsOf('c', 't'));
      for (const text of inTurn(ofParts, index, 3))
        check('consumer', text, await consumer(consumerQuery(text)));
      const stored = `DB.${table}`;
      const saved = [functionsOf('c', stored), groupsOf(parts.at(0) ?? 'c', stored)];
      for (const query of inTurn(saved, index, 9))
        check('at: source', query, await exchange.saved(query, `{ ${pii}, at: source }`));
    }
    if (isSaved) {
      const row = `SELECT * FROM DB.${table}`;
      const atSource = await exchange.saved(row, `{ ${pii}, at: source }`);
      check('at: source', row, atSource);
      expect(rowOf(atSource[0].body)).toEqual(shown);
    }
    expect(failures).toEqual([]);
  },
);

test.each([
  ['Map(String, Map(String, String))', "map('user', map('id', '4711'))"],
  ['Map(String, Tuple(id String))', "map('user', tuple('4711'))"],
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
