// Values of every type on the real engine, and JSON whose values differ by row: which rows a filter matches.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { column, compiled, type Lab, openLab } from './corpus.ts';

const COLUMNS = `id UInt8, timestamp DateTime64(6, 'UTC'), event_message Nullable(String), metadata JSON,
  typed JSON(code UInt16, name Nullable(String), \`sub.list\` Array(String), headers Map(String, String)),
  nest Nested(a String, b UInt8), tup Tuple(a String, b Tuple(c UInt8, \`d\` String)), bare Tuple(UInt8, String),
  low Map(LowCardinality(String), LowCardinality(String)), lists Map(String, Array(String)),
  items Array(Tuple(sku String, count UInt8)), flag Bool, second DateTime, day Date, far Date32,
  kind Enum8('on' = 1, 'off' = 2), uid UUID, ip4 IPv4, ip6 IPv6, single Float32, dec Decimal(18, 4),
  fixed FixedString(5), lc LowCardinality(String), maybe Nullable(String), count Nullable(UInt8),
  words Array(Nullable(String)), singles Array(Float32), dyn Dynamic, variant Variant(String, UInt64),
  nanos DateTime64(9), holder Tuple(json JSON, k String), big UInt256, id64 UInt64, text String, iso String`;

const ROWS = [
  {
    id: 1,
    timestamp: '2024-01-01 00:00:00',
    event_message: 'one',
    metadata: {
      n: 5,
      s: 'abc',
      at: '2024-01-01T00:00:00Z',
      arr: [1, 2],
      tags: ['popular', 'x'],
      ok: true,
      o: { p: 1 },
      level: 'error',
      mix: [1, 'a', null, true],
      when: ['2024-01-01T00:00:00Z'],
      deep: { a: { b: { c: 'x' } } },
    },
    typed: { code: 500, name: 'a', sub: { list: ['p', 'q'] }, headers: { 'a.b': '1' }, other: 7 },
    'nest.a': ['q', 'w'],
    'nest.b': [1, 2],
    tup: { a: 'x', b: { c: 3, d: 'dd' } },
    bare: [7, 'uu'],
    low: { k: '5' },
    lists: { k: ['r'] },
    items: [{ sku: 'xx', count: 1 }],
    flag: true,
    second: '2024-01-01 00:00:00',
    day: '2024-01-01',
    far: '1950-06-01',
    kind: 'on',
    uid: '550e8400-e29b-41d4-a716-446655440000',
    ip4: '10.0.0.1',
    ip6: '2001:db8::1',
    single: 0.1,
    dec: '1.5',
    fixed: 'ab',
    lc: 'lc',
    maybe: 'm',
    count: 1,
    words: ['a', null],
    singles: [0.1],
    dyn: 5,
    variant: 's',
    nanos: '2024-01-01 00:00:00.123456789',
    holder: { json: { p: { q: 4 } }, k: 'kk' },
    big: '99999999999999999999999',
    id64: '9007199254740993',
    text: '9007199254740993',
    iso: '2024-01-01T00:00:00Z',
  },
  {
    id: 2,
    timestamp: '2024-01-02 00:00:00',
    event_message: 'two',
    metadata: {
      n: '5',
      s: 7,
      at: '2024-01-02T03:04:05Z',
      fine: '2024-01-02T03:04:05.5Z',
      arr: ['1', 'b'],
      tags: ['unpop'],
      ok: 'true',
      o: 5,
      level: 'warning',
      big: 'BIG',
    },
    typed: { code: 200, headers: {} },
    id64: '9007199254740992',
    text: '9007199254740992.5',
    iso: '2024-01-02T00:00:00Z',
    dyn: 'x',
    variant: 6,
    kind: 'off',
    day: '2024-01-02',
    second: '2024-01-01 23:59:59',
    low: { k: 'v' },
  },
  {
    id: 3,
    timestamp: '2024-01-03 00:00:00',
    event_message: null,
    metadata: { n: 'five', s: '', at: 'soon', arr: [], level: 'info', ok: false, big: 9007199254740992 },
    text: '-',
    iso: 'never',
    kind: 'on',
  },
  {
    id: 4,
    timestamp: '2024-01-04 00:00:00',
    event_message: 'four',
    metadata: {},
    text: 'x',
    iso: '12',
    kind: 'on',
  },
  {
    id: 5,
    timestamp: '2024-01-05 00:00:00',
    event_message: 'five',
    metadata: {
      n: 1.5,
      s: null,
      d: '2024-01-05',
      arr: 'no',
      tags: [null, 'popular'],
      level: 'notice',
      e: { f: { g: 1 } },
    },
    text: '1e3',
    iso: '2024-01-05',
    kind: 'on',
    dyn: null,
  },
];

let lab: Lab;
beforeAll(async () => {
  // More than a number of this language holds.
  const values = ROWS.map((row) => JSON.stringify(row).replace('"BIG"', '9007199254740993')).join('\n');
  lab = await openLab({
    tables: { zoo: 'SELECT * FROM app.zoo' },
    setup: `CREATE TABLE app.zoo (${COLUMNS}) ENGINE = MergeTree ORDER BY id;
      INSERT INTO app.zoo FORMAT JSONEachRow ${values}`,
  });
});
afterAll(() => lab.close());

/** The ids that a filter finds, in the order of the rows. */
async function idsOf(lql: string): Promise<readonly unknown[]> {
  return column(await lab.ask(`f:zoo s:id ${lql}`), 'id').toReversed();
}

describe('JSON with any type per row', () => {
  test.each([
    { lql: 'm.n:5', ids: [1, 2], why: 'a number, or a string that is one' },
    { lql: 'm.n:"5"', ids: [1, 2] },
    { lql: 'm.n:>1', ids: [1, 2, 5], why: 'five is not a number' },
    { lql: 'm.n:1.5', ids: [5] },
    { lql: 'm.n:1..2', ids: [5] },
    { lql: 'm.n:five', ids: [3] },
    { lql: 'm.s:abc', ids: [1] },
    { lql: 'm.s:7', ids: [2] },
    { lql: 'm.s:""', ids: [3], why: 'a missing value is not an empty string' },
    { lql: 'm.s:NULL', ids: [4, 5] },
    { lql: 'm.ok:true', ids: [1, 2] },
    { lql: 'm.ok:false', ids: [3] },
    { lql: 'm.o:NULL', ids: [3, 4, 5], why: 'an object is not null' },
    { lql: 'm.o.p:1', ids: [1] },
    { lql: 'm.o:5', ids: [2] },
    { lql: 'm.deep.a:NULL', ids: [2, 3, 4, 5] },
    { lql: 'm.deep.a.b.c:x', ids: [1] },
    { lql: 'm.big:9007199254740993', ids: [2], why: 'exact, although a Float64 is not' },
    { lql: 'm.big:>=9007199254740993', ids: [2] },
    { lql: 'm.big:9007199254740992..9007199254740993', ids: [2, 3] },
    { lql: 'm.at:2024-01-01T00:00:00Z', ids: [1], why: 'the engine parses times in JSON' },
    { lql: 'm.at:"2024-01-01T00:00:00Z"', ids: [1] },
    { lql: 'm.at:2024-01-01T02:00:00+02:00', ids: [1] },
    { lql: 'm.fine:"2024-01-02T03:04:05.5Z"', ids: [2] },
    { lql: 'm.fine:2024-01-02T03:04:05.5Z', ids: [2] },
    { lql: 'm.at:>2024-01-01T00:00:00Z', ids: [2] },
    { lql: 'm.at:2024-01-02', ids: [2], why: 'a day is the whole day' },
    { lql: 'm.at:2024-01-01..2024-01-02', ids: [1, 2] },
    { lql: 'm.d:2024-01-05', ids: [5] },
    { lql: 'm.d:"2024-01-05"', ids: [5] },
    { lql: 'm.at:soon', ids: [3] },
    { lql: 'm.arr:@>1', ids: [1, 2] },
    { lql: 'm.arr:@>b', ids: [2] },
    { lql: 'm.arr:@>no', ids: [], why: 'a string is not an array' },
    { lql: 'm.tags:@>popular', ids: [1, 5] },
    { lql: 'm.tags:@>~^pop', ids: [1, 5] },
    { lql: 'm.tags:@>~pop$', ids: [2] },
    { lql: 'm.mix:@>true', ids: [1] },
    { lql: 'm.mix:@>1', ids: [1] },
    { lql: 'm.when:@>2024-01-01T00:00:00Z', ids: [1] },
    { lql: 'm.when:@>"2024-01-01T00:00:00Z"', ids: [1] },
    { lql: 'm.level:info..warning', ids: [2, 3, 5] },
    { lql: 'm.level:~r', ids: [1, 2] },
    { lql: 'm.n:~^5', ids: [1, 2] },
    { lql: 'typed.code:500', ids: [1] },
    { lql: 'typed.name:NULL', ids: [2, 3, 4, 5] },
    { lql: 'typed.sub.list:@>q', ids: [1] },
    { lql: 'typed.headers.a.b:1', ids: [1] },
    { lql: 'typed.headers.a.b:NULL', ids: [2, 3, 4, 5] },
    { lql: 'typed.other:7', ids: [1] },
    { lql: 'holder.json.p.q:4', ids: [1] },
    { lql: 'holder.json.p:NULL', ids: [2, 3, 4, 5] },
    { lql: 'dyn:5', ids: [1] },
    { lql: 'dyn:x', ids: [2] },
    { lql: 'variant:6', ids: [2] },
    { lql: 'variant:s', ids: [1] },
  ])('$lql finds $ids', async ({ lql, ids }) => {
    expect(await idsOf(lql)).toEqual(ids);
    expect(await idsOf(`-${lql}`)).toEqual([1, 2, 3, 4, 5].filter((id) => !ids.includes(id)));
  });
});

describe('columns', () => {
  test.each([
    { lql: 'nest.a:@>q', ids: [1] },
    { lql: 'nest.b:@>2', ids: [1] },
    { lql: 'tup.a:x', ids: [1] },
    { lql: 'tup.b.c:3', ids: [1] },
    { lql: 'bare.2:uu', ids: [1] },
    { lql: 'low.k:5', ids: [1] },
    { lql: 'low.k:v', ids: [2] },
    { lql: 'low.k:NULL', ids: [3, 4, 5] },
    { lql: 'lists.k:@>r', ids: [1] },
    { lql: 'lists.k:NULL', ids: [2, 3, 4, 5] },
    { lql: 'items.sku:@>xx', ids: [1] },
    { lql: 'items.count:@>1', ids: [1] },
    { lql: 'flag:true', ids: [1] },
    { lql: 'second:2024-01-01', ids: [1, 2], why: 'the whole day' },
    { lql: 'second:>2024-01-01T00:00:00', ids: [2] },
    { lql: 'second:1704067200', ids: [1] },
    { lql: 'second:1704067200..1704153599', ids: [1, 2] },
    { lql: 'day:2024-01-02', ids: [2] },
    { lql: 'day:<=2024-01-01', ids: [1, 3, 4, 5] },
    { lql: 'far:<1960-01-01', ids: [1] },
    { lql: 'nanos:2024-01-01', ids: [1] },
    { lql: 'nanos:>2024-01-01T00:00:00.123456Z', ids: [1] },
    { lql: 'nanos:<2261-12-31', ids: [1, 2, 3, 4, 5] },
    { lql: 'nanos:>1900-01-01', ids: [1, 2, 3, 4, 5] },
    { lql: 'kind:off', ids: [2] },
    { lql: 'kind:none', ids: [] },
    { lql: 'uid:550e8400-e29b-41d4-a716-446655440000', ids: [1] },
    { lql: 'ip4:10.0.0.1', ids: [1] },
    { lql: 'ip4:>10.0.0.0', ids: [1] },
    { lql: 'ip6:2001:0db8:0:0:0:0:0:1', ids: [1] },
    { lql: 'single:0.1', ids: [1] },
    { lql: 'singles:@>0.1', ids: [1] },
    { lql: 'dec:1.5', ids: [1] },
    { lql: 'fixed:ab', ids: [1] },
    { lql: 'lc:lc', ids: [1] },
    { lql: 'maybe:NULL', ids: [2, 3, 4, 5] },
    { lql: 'count:1', ids: [1] },
    { lql: 'words:@>a', ids: [1] },
    { lql: 'big:99999999999999999999999', ids: [1] },
    { lql: 'id64:9007199254740993', ids: [1] },
    { lql: 'text:9007199254740993', ids: [1] },
    { lql: 'text:>=9007199254740992', ids: [1, 2] },
    { lql: 'text:1000', ids: [5] },
    { lql: 'text:x', ids: [4] },
    { lql: 'iso:>2024-01-01T00:00:00Z', ids: [2, 3, 5], why: 'a string column is compared as a string' },
    { lql: 'two', ids: [2] },
    { lql: '~^.o', ids: [4] },
  ])('$lql finds $ids', async ({ lql, ids }) => {
    expect(await idsOf(lql)).toEqual(ids);
    expect(await idsOf(`-${lql}`)).toEqual([1, 2, 3, 4, 5].filter((id) => !ids.includes(id)));
  });
});

describe('selected and aggregated', () => {
  test('a path with an object, a number or no value', async () => {
    const rows = await lab.ask('f:zoo s:m.o@o s:m.n@n s:holder.json.p@p s:low.k s:m.deep@deep');
    expect(rows.toReversed()).toEqual([
      { o: { p: 1 }, n: 5, p: { q: 4 }, low_k: '5', deep: { a: { b: { c: 'x' } } } },
      { o: 5, n: '5', p: null, low_k: 'v', deep: null },
      { o: null, n: 'five', p: null, low_k: null, deep: null },
      { o: null, n: null, p: null, low_k: null, deep: null },
      { o: null, n: 1.5, p: null, low_k: null, deep: null },
    ]);
  });

  test.each([
    { lql: 'c:sum(m.n)', counts: [5, 5, null, null, 1.5], why: 'strings that are not numbers add nothing' },
    { lql: 'c:count(m.n)', counts: [1, 1, 1, 0, 1] },
    { lql: 'c:count(m.o)', counts: [1, 1, 0, 0, 0] },
    { lql: 'c:countd(m.s)', counts: [1, 1, 1, 0, 0] },
    { lql: 'c:max(low.k)', counts: [5, null, null, null, null] },
    { lql: 'c:p50(flag)', counts: [1, 0, 0, 0, 0] },
    { lql: 'c:countd(lists.k)', counts: [1, 1, 1, 1, 1] },
    { lql: 'c:count(lists.k)', counts: [1, 0, 0, 0, 0] },
    { lql: 'c:avg(dec)', counts: [1.5, 0, 0, 0, 0] },
  ])('$lql by day is $counts', async ({ lql, counts }) => {
    const rows = await lab.ask(`f:zoo c:group_by(t::day) ${lql}`);
    expect(column(rows, 'count')).toEqual(counts);
  });

  test('a timestamp of type String or Date is read as a time', async () => {
    const other = await openOther();
    expect(other).toEqual({ text: 2, day: 1, chart: 4 });
  });
});

async function openOther() {
  const columns = { texts: 'iso', days: 'day' };
  const tables = Object.entries(columns).map(([name, column]) => ({
    name,
    columns: [
      { name: 'timestamp', type: column === 'iso' ? 'String' : 'Date' },
      { name: 'id', type: 'UInt8' },
    ],
  }));
  const ask = async (lql: string, column: string) => {
    const body = `SELECT ${column} AS timestamp, id FROM app.zoo`;
    const { sql } = compiled(lql, tables);
    return (await lab.sql(`WITH texts AS (${body}), days AS (${body}) ${sql}`)).length;
  };
  return {
    text: await ask('f:texts t:>=2024-01-02', 'iso'),
    day: await ask('f:days t:2024-01-02', 'day'),
    chart: await ask('f:texts c:group_by(t::hour)', 'iso'),
  };
}
