// The attack corpus, other tenants' rows and redaction through Tinybird's API: over saved queries in the engine's formats, and over
// the queries that callers send.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_TINYBIRD } from '../../../../src/service/config/tinybird-settings.ts';
import { VERSIONS } from '../../../guard/redact/laundering/people.ts';
import type { Version } from '../../../guard/redact/laundering/secrets.ts';
import { TEXTS } from '../../../guard/redact/laundering/texts.ts';
import { DEMANDS, headersOf, openWorld, secretsIn, seenOf, type Demand, type World } from '../../../guard/redact/laundering/world.ts'; // prettier-ignore
import { ATTACKS, BENIGN } from '../../../guard/sandbox/fixture.ts';
import { INDEX_ORACLES, oracles } from '../../../guard/sandbox/oracles.ts';
import { DATABASES, rotated, startAttacked } from '../../../support/attacked-service.ts';
import { answered } from '../../../support/answered.ts';
import { runs, some, someOfEach } from '../../../support/runs.ts';
import { KEY, type TestService } from '../../../support/service.ts';

const KINDS = ['compact', 'by_path', 'joined', 'indexed'];
const ENDS = ['json', 'csv', 'ndjson', 'parquet'] as const;
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
const settings = { tinybird: { ...NO_TINYBIRD, isServed: true } };

let service: TestService;
let people: World;
beforeAll(async () => {
  service = await startAttacked({ kinds: KINDS, settings });
  people = await openWorld({ settings });
});
afterAll(() => Promise.all([service.stop(), people.stop()]));

interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** What differs from call to call, or names the endpoint. */
const OWN = /^(?:content-length|date|age|etag|server-timing|x-request-id|millrace-endpoint)$/;
const TIMES = /"elapsed": ?[\d.e-]+|"request_id":"[^"]*"/g;

async function ask(path: string, fields: Readonly<Record<string, string>>): Promise<Seen> {
  const query = new URLSearchParams(fields).toString();
  const url = `${service.service.address}/tinybird/v0/${path}?${query}`;
  const response = await answered(() => fetch(url, { headers: { Authorization: `Bearer ${KEY}` } }));
  const body = Buffer.from(await response.arrayBuffer())
    .toString('latin1')
    .replace(TIMES, '');
  const headers = [...response.headers].filter(([name]) => !OWN.test(name));
  return { status: response.status, headers, body };
}

const mine = { project: 'mine' };
const CORPUS = 'pipes/corpus.json';
/** Names that only the engine knows: stored tables, and those of other tenants. */
const SECRETS = /CANARY|_secret|users_|\b(?:default|app)\.\w|DB::Exception|node_modules/;

test('the attacks of the corpus', async () => {
  // The others are in the tests of other interfaces.
  for (const [index, { id, sql }] of someOfEach(ATTACKS, ({ cat }) => cat, { each: 9, from: 3 }).entries()) {
    const own = { ...mine, q: sql };
    const seen = index % 3 === 0 ? await ask('sql', { ...own, pipeline: 'corpus' }) : await ask(CORPUS, own);
    expect([id, [400, 403, 413], seen]).toEqual([id, expect.arrayContaining([seen.status]), expect.anything()]);
    // A message may quote the query, which names what it looks for.
    const shown = seen.body.replaceAll(sql, '');
    const found = [...shown.matchAll(new RegExp(SECRETS, 'g'))].filter(([match]) => !sql.includes(match));
    expect([id, shown.slice(0, 400), found.map(([match]) => match)]).toEqual([id, expect.any(String), []]);
  }
}, 600_000); // prettier-ignore

test('the consumer queries of the corpus are answered, with the rows of the API', async () => {
  for (const { id, sql } of someOfEach(BENIGN, ({ cat }) => cat, { each: 24, from: 5 })) {
    const expected = await service.rows('corpus', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project: 'mine', sql }),
    });
    const { status, body } = await ask(CORPUS, { ...mine, q: sql });
    expect([id, status, body]).toEqual([id, 200, expect.not.stringContaining('CANARY')]);
    expect([id, body]).toEqual([id, expect.stringMatching(new RegExp(`"rows": ?${expected.length}\\b`))]);
  }
}, 600_000);

test('attacks in the parts of a request that are not the query', async () => {
  const own = 'SELECT id FROM edge_logs';
  const requests: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
    [CORPUS, { project: "mine' OR project = 'other" }],
    [CORPUS, { ...mine, 'project[]': 'other' }],
    [CORPUS, { ...mine, sql: 'SELECT name FROM default.users' }],
    [CORPUS, { ...mine, lql: 's:*', dialect: 'bigquery', format: 'csv', meta: 'true', live: 'true', version: '2', cursor: 'x' }],
    [CORPUS, { ...mine, q: own, pipeline: "x' OR 1" }],
    [CORPUS, { ...mine, output_format_json_quote_denormals: '1, readonly = 0' }],
    [CORPUS, { ...mine, __proto__: 'x', constructor: 'y' }],
    ['pipes/corpus%00.json', mine],
    ['pipes/..%2Fcorpus.json', mine],
    ['pipes/corpus.json.json', mine],
    ['pipes/__proto__.json', mine],
    ['pipes/.json', mine],
    ['sql', { ...mine, q: 'SELECT * FROM corpus, default.users' }],
    ['sql', { ...mine, q: 'SELECT * FROM corpus.users' }],
    ['sql', { ...mine, q: 'SELECT * FROM `corpus`, `app.logs`' }],
    ['sql', { ...mine, q: 'SELECT * FROM corpus FORMAT JSON SETTINGS readonly = 0' }],
    ['sql', { ...mine, q: 'SELECT * FROM corpus; SELECT * FROM default.users' }],
    ['sql', { ...mine, q: "SELECT * FROM corpus INTO OUTFILE '/tmp/millrace-attack'" }],
    ['sql', { ...mine, q: 'SELECT * FROM _ AS _, app.logs', pipeline: 'corpus' }],
    ['sql', { ...mine, q: 'SELECT 1 FROM _ WHERE id IN default.users', pipeline: 'corpus' }],
    ['sql', { ...mine, q: 'SELECT 1 FROM (SELECT * FROM _) FINAL', pipeline: 'corpus' }],
    ['sql', { ...mine, q: 'SELECT * FROM system.users', pipeline: 'corpus' }],
    ['sql', { ...mine, q: 'SELECT 1 FROM remote(corpus)', pipeline: 'corpus' }],
    ['sql', { q: 'SELECT * FROM corpus FORMAT JSON' }],
  ]; // prettier-ignore
  for (const [path, fields] of requests) {
    const { status, body } = await ask(path, fields);
    expect([path, fields, status < 500, body.slice(0, 400)]).toEqual([path, fields, true, expect.not.stringMatching(/CANARY|users_|"other"/)]);
  }
  const [plain, ignored] = [await ask(CORPUS, mine), await ask(CORPUS, { ...mine, sql: own, lql: 's:*', format: 'csv' })];
  expect([plain.status, ignored.body]).toEqual([200, plain.body]);
}); // prettier-ignore

describe('other tenants’ rows change nothing', () => {
  const both = (kind: string, path: (pipe: string) => string, fields: Readonly<Record<string, string>>) =>
    Promise.all(
      DATABASES.map(async (database) => {
        const seen = await ask(path(`${kind}.${database}`), { ...mine, ...fields });
        return { ...seen, body: seen.body.replaceAll(database, '') };
      }),
    );

  test.each(KINDS)('in the saved query of %s, in each format', async (kind) => {
    for (const end of ENDS) {
      const [calm, hostile] = await both(kind, (pipe) => `pipes/${pipe}.${end}`, {});
      expect([end, hostile]).toEqual([end, calm]);
      expect([end, calm?.status, calm?.body]).toEqual([end, 200, expect.not.stringContaining('CANARY')]);
    }
  });

  test('in generated queries', { timeout: 3_600_000 }, async () => {
    const generated = some(oracles(runs(16, 40), SEED), 2).filter(({ language, dialect }) => language === 'sql' && dialect !== 'bigquery');
    const indexed = some(INDEX_ORACLES, 16).map((condition) => `SELECT count() AS n FROM t WHERE ${condition}`);
    const texts = [...indexed, ...generated.map(({ text }) => text)];
    let ok = 0;
    for (const [index, sql] of texts.entries()) {
      // Half of them over what the pipe returns.
      const q = index % 2 === 0 ? sql : sql.replaceAll(/\bFROM t\b/g, 'FROM _ AS t');
      const [calm, hostile] = await both(rotated(KINDS, index), (pipe) => `pipes/${pipe}.${rotated(ENDS, index)}`, { q });
      expect([q, hostile]).toEqual([q, calm]);
      if (calm?.status === 200) ok += 1;
    }
    // Queries that all fail would prove nothing.
    expect(ok).toBeGreaterThan(texts.length / 4);
  }); // prettier-ignore
});

describe('personal data', () => {
  const leaksOf = async (demand: Demand, end: string, fields: Readonly<Record<string, string>>, versions: readonly Version[] = VERSIONS) => {
    const [a, b = a] = await Promise.all(
      versions.map(async (version) => {
        const name = `${demand === 'file' ? 'forced' : 'open'}.${version}`;
        const query = new URLSearchParams({ project: 'mine', ...fields }).toString();
        const url = `${people.service.service.address}/tinybird/v0/pipes/${name}.${end}?${query}`;
        const { 'Content-Type': _type, ...headers } = headersOf(demand);
        const { status, body } = await seenOf(await answered(() => fetch(url, { headers })), version);
        return { status, body: body.replace(TIMES, '') };
      }),
    );
    if (a === undefined || b === undefined) throw new Error('there is a version');
    return { status: a.status, leaks: [...(a.body === b.body ? [] : [`${a.body} / ${b.body}`]), ...secretsIn(a.body, fields['q'])] };
  }; // prettier-ignore

  test.each(DEMANDS)('of saved queries, redacted by the %s: no more than the API has', async (demand) => {
    const [version = 'a'] = VERSIONS;
    const { body } = await people.seen(version, demand, {});
    const known = new Set(secretsIn(body));
    for (const end of ENDS) {
      const { status, leaks } = await leaksOf(demand, end, {}, [version]);
      expect([end, status, leaks.filter((each) => !known.has(each))]).toEqual([end, 200, []]);
    }
    // The check would see them.
    const { leaks } = await leaksOf('nobody', 'csv', {}, [version]);
    expect(leaks.some((each) => !known.has(each))).toBe(true);
  });

  test('in queries that encode, compare, sort and count', { timeout: 3_600_000 }, async () => {
    const queries = TEXTS.filter(({ fields }) => fields['dialect'] === 'clickhouse');
    const count = Math.min(queries.length, runs(3, 13));
    const step = Math.max(1, Math.floor(queries.length / count));
    for (let n = 0; n < count; n += 1) {
      const { sql = '' } = rotated(queries, SEED + n * step).fields;
      const { leaks } = await leaksOf(rotated(DEMANDS, n), rotated(ENDS, n), { q: sql });
      expect([sql, leaks]).toEqual([sql, []]);
    }
  });
});
