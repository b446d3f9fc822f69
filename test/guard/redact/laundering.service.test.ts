// No consumer query can get around redaction: responses are equal when all personal data is exchanged for other data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { composed } from './laundering/composed.ts';
import { shown, TEXTS, type Text } from './laundering/texts.ts';
import { imagesOf, secretOf, type Version } from './laundering/secrets.ts';
import { DEMANDS, headersOf, openWorld, secretsIn, seenOf } from './laundering/world.ts';
import type { Demand, Seen, World } from './laundering/world.ts';
import { answered } from '../../support/answered.ts';
import { sizeOf } from '../../support/runs.ts';

const AT_ONCE = 2;
const ACCOUNT = 'account-aa0';
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.stop());

interface Judged {
  readonly text: Text;
  readonly demand: Demand;
  readonly a: Seen;
  readonly b: Seen;
  /** Values, or images of them, in the responses. */
  readonly secrets: readonly string[];
}

async function judge(
  texts: readonly Text[],
  demandOf: (index: number) => Demand,
): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  const rest = texts.entries();
  const work = async (): Promise<void> => {
    for (const [index, text] of rest) {
      const demand = demandOf(index);
      const [a, b] = await world.both(demand, text.fields);
      // What differs has failed anyway.
      const secrets = a.body === b.body ? secretsIn(a.body, shown(text)) : [];
      judged.push({ text, demand, a, b, secrets });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return judged;
}

const isEqual = ({ a, b }: Judged): boolean => JSON.stringify(a) === JSON.stringify(b);
const described = ({ text, demand, a, b, secrets }: Judged): string =>
  `${text.category} (${demand}): ${shown(text)}: ${a.status} ${a.body.slice(0, 300)} / ${b.status} ${b.body.slice(0, 300)} ${secrets.join(' ')}`;

/** One text of each section in each run of the suite, chosen by the seed; all of them in `npm run fuzz`. */
const IS_WHOLE = process.env['FUZZ_CASES'] !== undefined;
const CASES = Math.ceil(Number(process.env['FUZZ_CASES'] ?? 400) / 100);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
const SECTIONS = [...new Set(TEXTS.map(({ category }) => category))].map((name) =>
  TEXTS.filter(({ category }) => category === name),
);
const CHOSEN = IS_WHOLE
  ? TEXTS
  : SECTIONS.map((section) => section[SEED % section.length]).filter((each) => each !== undefined);
const demandOf = (index: number): Demand => DEMANDS[index % DEMANDS.length] ?? 'file';

test(
  `${CHOSEN.length} of ${TEXTS.length} texts do not tell the versions apart`,
  { timeout: 3_600_000 },
  async () => {
    const judged = await judge(CHOSEN, demandOf);
    expect(judged.filter((each) => !isEqual(each) || each.secrets.length > 0).map(described)).toEqual([]);
    const failed = judged.filter(({ text, a }) => (a.status === 200) === text.fails);
    expect(failed.map(described)).toEqual([]);
  },
);

test(`${CASES} compositions of functions do not tell them apart`, { timeout: 7_200_000 }, async () => {
  const judged = await judge(composed(CASES, SEED), demandOf);
  expect(judged.filter((each) => !isEqual(each) || each.secrets.length > 0).map(described)).toEqual([]);
  // Queries that all fail would prove nothing.
  expect(judged.filter(({ a }) => a.status === 200).length).toBeGreaterThan(CASES * 0.7);
});

const FORMATS = ['json', 'ndjson', 'csv', 'parquet', 'arrow'];
const COLUMNS = ['email', 'addr', 'addr6', 'attrs', 'tags', 'who', 'role', 'event_message', 'typed'];
/** Of each format; all columns in all formats in `npm run fuzz`, and otherwise each column in at least two. */
const columnsOf = (format: number): readonly string[] =>
  IS_WHOLE ? COLUMNS : [0, 1, 2, 3].map((n) => COLUMNS[(format * 4 + n) % COLUMNS.length] ?? '');

test.each(FORMATS)('nor does a response in %s', async (format) => {
  const columns = columnsOf(FORMATS.indexOf(format)).join(', ');
  const sql = `SELECT id, ${columns} FROM events ORDER BY id`;
  const texts = [sql, 'SELECT hex(email) AS x, toUInt32(addr) AS y FROM events ORDER BY id'];
  const judged = await judge(
    texts.map((each): Text => ({
      category: format,
      tells: true,
      fails: false,
      fields: { sql: each, format },
    })),
    demandOf,
  );
  expect(judged.filter((each) => !isEqual(each) || each.a.status !== 200).map(described)).toEqual([]);
});

test('a response without redaction is not reused for one with it', async () => {
  const fields = { sql: 'SELECT hex(email) AS x FROM events ORDER BY id LIMIT 9' };
  for (let round = 0; round < 2; round++) {
    const plain = await world.seen('a', 'nobody', fields);
    expect(secretsIn(plain.body)).not.toEqual([]);
    for (const demand of ['header', 'key'] as const) {
      const [a, b] = await world.both(demand, fields);
      expect(a).toEqual(b);
      expect(new Map(a.headers).get('etag')).not.toBe(new Map(plain.headers).get('etag'));
    }
  }
});

test('the entity tag of the other response is no match', async () => {
  const query = new URLSearchParams({ project: 'mine', sql: 'SELECT hex(ip) AS x FROM events ORDER BY id' });
  const ask = (demand: Demand, headers: Record<string, string> = {}): Promise<Response> =>
    world.service.call(`/api/endpoints/query/open.a?${query.toString()}`, {
      headers: { ...headersOf(demand), ...headers },
    });
  const etag = (await ask('nobody')).headers.get('etag') ?? '';
  expect(etag).not.toBe('');
  expect((await ask('nobody', { 'If-None-Match': etag })).status).toBe(304);
  for (const demand of ['key', 'header'] as const)
    expect((await ask(demand, { 'If-None-Match': etag })).status).toBe(200);
});

test('the listing, the OpenAPI document and explanations name no value', async () => {
  for (const path of ['/api/endpoints', '/openapi.json']) {
    const response = await world.service.call(path, { headers: headersOf('key') });
    expect([path, response.status, secretsIn(await response.text())]).toEqual([path, 200, []]);
  }
  for (const sql of [
    'SELECT role FROM events',
    "SELECT role = 'x' FROM events",
    'SELECT email + 1 FROM events',
  ]) {
    const explained = async (version: Version): Promise<unknown> => {
      const ask = (): Promise<Response> =>
        world.service.call(`/api/endpoints/explain/open.${version}`, {
          method: 'POST',
          headers: headersOf('key'),
          body: JSON.stringify({ sql }),
        });
      return seenOf(await answered(ask), version);
    };
    expect(await explained('a')).toEqual(await explained('b'));
  }
});

test('a consumer cannot have a chosen value hashed', async () => {
  for (const name of ['account', '`profile.account`', '`Account`']) {
    const sql = `SELECT '${ACCOUNT}' AS ${name}, map('account', '${ACCOUNT}') AS m, (SELECT groupUniqArray(account) FROM events) AS hashes`;
    const { status, body } = await world.seen('a', 'file', { sql });
    const [row] = status === 200 ? (JSON.parse(body) as { result: [Record<string, unknown>] }).result : [{}]; // our own envelope
    const { hashes, ...chosen } = row;
    expect([status, hashes]).toEqual([
      200,
      expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{32}$/)]),
    ]);
    expect((hashes as readonly string[]).filter((each) => JSON.stringify(chosen).includes(each))).toEqual([]);
  }
});

test('hashed values are counted, joined and compared as if they were not', async () => {
  const queries = [
    'SELECT count(DISTINCT account) AS n, uniqExact(profile.account) AS m FROM events',
    'SELECT account = toString(profile.account) AS x FROM events ORDER BY id',
    'SELECT count() AS n FROM events AS a JOIN events AS b ON a.account = b.account',
    'SELECT min(id) AS i, count() AS n FROM events GROUP BY account ORDER BY i',
  ];
  for (const sql of queries) {
    const bodies = await Promise.all(
      (['file', 'nobody'] as const).map(async (demand) => (await world.seen('a', demand, { sql })).body),
    );
    expect([sql, bodies[0]]).toEqual([sql, bodies[1]]);
  }
});

test('what is logged contains no value', () => {
  const shownErrors = (_: string, value: unknown): unknown =>
    value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value;
  const logged = JSON.stringify(world.service.observed, shownErrors);
  expect(logged.length).toBeGreaterThan(10_000);
  // The engine computes functions of constants: of the address that queries guess, its number.
  const sent = [...TEXTS.map(shown), ...imagesOf(secretOf('a', 'ip', 0))].join('\n');
  expect(secretsIn(logged, sent)).toEqual([]);
});

// After the log is read: failures of queries that are not redacted are logged with the engine's message.
test('without redaction the texts do', { timeout: 3_600_000 }, async () => {
  const telling = CHOSEN.filter(({ tells }, index) => tells && (IS_WHOLE || index % 6 === 0));
  const judged = await judge(telling, () => 'nobody');
  expect(judged.filter(isEqual).map(described)).toEqual([]);
});

test('without redaction many compositions do', async () => {
  const count = Math.max(CASES, sizeOf(6, 20));
  const judged = await judge(composed(count, SEED), () => 'nobody');
  expect(judged.filter((each) => !isEqual(each)).length).toBeGreaterThan(count / 4);
});
