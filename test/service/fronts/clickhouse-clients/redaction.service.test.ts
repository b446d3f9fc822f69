// Redaction through the ClickHouse interface, in all of its formats: answers are equal when all personal data is exchanged for
// other data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_FORMATS } from '../../../../src/service/formats/clickhouse-formats.ts';
import { TEXTS } from '../../../guard/redact/laundering/texts.ts';
import { VERSIONS } from '../../../guard/redact/laundering/people.ts';
import type { Version } from '../../../guard/redact/laundering/secrets.ts';
import { DEMANDS, headersOf, openWorld, secretsIn, seenOf, type Demand, type Seen, type World } from '../../../guard/redact/laundering/world.ts'; // prettier-ignore
import { answered } from '../../../support/answered.ts';
import { withoutMarker } from '../../../support/avro.ts';
import { familyOf, OTHER_NAMES } from '../../../support/format-names.ts';
import { runs, someOfEach } from '../../../support/runs.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
const IS_LONG = process.env['FUZZ_CASES'] !== undefined;
/** Other names of the same formats only in the long form. */
const FORMATS = ENGINE_FORMATS.map(({ name }) => name).filter((name) => IS_LONG || !OTHER_NAMES.test(name));
const SQL = TEXTS.filter(({ fields }) => fields['dialect'] === 'clickhouse');

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

/** The answer without the time of the run, which some formats have. */
async function seen(version: Version, demand: Demand, sql: string, format: string): Promise<Seen> {
  const database = `${demand === 'file' ? 'forced' : 'open'}.${version}`;
  const query = new URLSearchParams({ database, default_format: format, param_project: 'mine' }).toString();
  const { 'Content-Type': _type, ...headers } = headersOf(demand);
  const ask = (): Promise<Response> =>
    fetch(`${world.service.service.address}/clickhouse/?${query}`, { method: 'POST', headers, body: sql });
  const response = await answered(ask);
  const { status, headers: fields, body } = await seenOf(response, version);
  const times = /"elapsed": ?[\d.e-]+|<elapsed>[\d.e-]+|"(?:elapsed_ns|result_bytes|read_bytes)":"\d+"/g;
  return {
    status,
    headers: fields
      .filter(([name]) => name !== 'x-clickhouse-query-id' && name !== 'content-length')
      .map(([name, value]) => [name, value.replace(times, '')] as const),
    body: withoutMarker(body).replace(times, ''),
  };
}

async function leaksOf(sql: string, demand: Demand, format: string): Promise<readonly string[]> {
  const [a, b] = await Promise.all(VERSIONS.map((version) => seen(version, demand, sql, format)));
  if (a === undefined || b === undefined) throw new Error('there are two versions');
  const differs = JSON.stringify(a) === JSON.stringify(b) ? [] : [`${a.status} ${a.body} / ${b.status} ${b.body}`];
  return [...differs, ...secretsIn(a.body, sql)];
} // prettier-ignore

const rotated = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length];
  if (value === undefined) throw new Error('no values');
  return value;
};

test.each(someOfEach(FORMATS, familyOf, { each: 2 }))('all columns, or encoded ones, in %s', async (format) => {
  const select = (columns: string): string => `SELECT id, ${columns} FROM events ORDER BY id`;
  const sql = select('email, addr, addr6, attrs, tags, who, role, event_message, typed');
  const encoded = 'SELECT hex(email) AS x, toUInt32(addr) AS y FROM events ORDER BY id';
  // All only in the long form: `laundering.test.ts` has the encodings, and each format has some of the columns here.
  const some = ['email, addr', 'attrs', 'addr6, tags', 'typed', 'who, role', 'event_message'].map(select);
  const all = IS_LONG ? [sql, encoded] : [...some, encoded];
  const texts = IS_LONG ? all : [rotated(all, FORMATS.indexOf(format))];
  for (const text of texts) {
    // Each text by one demand: the plan of a query is made once.
    const demand = IS_LONG ? all.indexOf(text) + format.length : all.indexOf(text);
    expect(await leaksOf(text, rotated(DEMANDS, demand), format)).toEqual([]);
  }
}); // prettier-ignore

test('the tables as they are described', async () => {
  for (const sql of [
    'DESCRIBE TABLE events',
    "SELECT * FROM system.columns WHERE table = 'events' AND database = currentDatabase()",
  ])
    expect(await leaksOf(sql, 'key', 'TSVRaw')).toEqual([]);
});

test('queries that encode, compare, sort and count', { timeout: 3_600_000 }, async () => {
  const count = Math.min(SQL.length, runs(3, 15));
  const step = Math.max(1, Math.floor(SQL.length / count));
  for (let n = 0; n < count; n += 1) {
    const { fields } = rotated(SQL, SEED + n * step);
    const sql = fields['sql'] ?? '';
    expect([sql, await leaksOf(sql, rotated(DEMANDS, n), rotated(FORMATS, n))]).toEqual([sql, []]);
  }
});
