// Pages of consumer queries: in every language, while rows are inserted, and through the attack corpus.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { ATTACKS, BENIGN } from '../../guard/sandbox/fixture.ts';
import { someOfEach } from '../../support/runs.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../support/service.ts';

const corpus = join(import.meta.dirname, '../../corpus');
const LOCKED = 'a-key-locked-to-the-tenant-mine';
const EVENTS = `id: 00000000-0000-4000-8000-000000000002
name: events
page: { by: [at DESC, id], size: 5, max: 40 }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
query: WITH e AS (SELECT at, id, kind FROM app.events WHERE project = @project) SELECT at, id, kind FROM e
parameters: { project: { type: String, required: true } }
`;

let service: TestService;
beforeAll(async () => {
  const seeds = await readFile(join(corpus, 'seeds.sql'), 'utf8');
  service = await startService({
    sql: [
      ...seeds.split(/;\s*\n/).filter((sql) => sql.trim() !== ''),
      "CREATE TABLE app.events (at DateTime64(3, 'UTC'), id UInt64, kind String, project String) ENGINE = MergeTree ORDER BY (project, at, id)",
      "INSERT INTO app.events SELECT toDateTime64('2024-01-01', 3, 'UTC') + intDiv(number, 4), number, ['x', 'y'][number % 2 + 1], if(number % 3 = 0, 'other', 'mine') FROM numbers(90)",
    ],
    tokens: [
      {
        name: 'locked',
        sha256: hashKey(LOCKED),
        endpoints: ['*'],
        allow: ['sql', 'lql'],
        parameters: { project: 'mine' },
      },
    ],
  });
  const text = await readFile(join(corpus, 'corpus.yaml'), 'utf8');
  const unordered = text.replace(' ORDER BY timestamp DESC LIMIT 10', '');
  await writeEndpoint(service, 'corpus', `${unordered}\npage: { by: [timestamp, id], size: 20 }\n`);
  await writeEndpoint(service, 'events', EVENTS);
  await service.service.reload();
});
afterAll(() => service.stop());

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly result?: readonly Readonly<Record<string, unknown>>[];
  readonly next?: string;
  readonly code?: string;
  readonly errors?: readonly { readonly parameter?: string; readonly message: string }[];
}

async function ask(endpoint: string, fields: Readonly<Record<string, string>>, key = LOCKED): Promise<Reply> {
  const query = new URLSearchParams(fields).toString();
  const response = await service.call(`/api/endpoints/query/${endpoint}?${query}`, {
    headers: { 'X-API-KEY': key },
  });
  const text = await response.text();
  return { ...(JSON.parse(text) as Omit<Reply, 'status' | 'text'>), status: response.status, text };
}

async function idsOfAll(
  fields: Readonly<Record<string, string>>,
  between: (page: number) => Promise<void> = async () => {},
): Promise<readonly unknown[]> {
  const ids: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 1; page === 1 || cursor !== undefined; page++) {
    const reply = await ask('events', { page_size: '7', ...fields, ...(cursor && { cursor }) });
    expect(reply).toMatchObject({ status: 200 });
    ids.push(...(reply.result ?? []).map(({ id }) => id));
    cursor = reply.next;
    await between(page);
  }
  return ids;
}

const ofKind = (kind: string): number[] =>
  Array.from({ length: 90 }, (_, id) => id).filter((id) => id % 3 !== 0 && (id % 2 === 1) === (kind === 'y'));
const inOrder = (ids: readonly number[]): number[] =>
  ids.toSorted((a, b) => Math.floor(b / 4) - Math.floor(a / 4) || a - b);

describe('pages of a query', () => {
  test.each([
    ['SQL', { sql: "SELECT id, at FROM e WHERE kind = 'y'" }],
    [
      'SQL that cannot be moved below the tenant',
      { sql: "SELECT id, at FROM e WHERE intDiv(id, 1) >= 0 AND kind = 'y'" },
    ],
    [
      'SQL with an order and a limit of its own',
      { sql: "SELECT id, at FROM e WHERE kind = 'y' ORDER BY id LIMIT 1000" },
    ],
    ['BigQuery', { sql: "SELECT id, `at` FROM `e` WHERE STARTS_WITH(kind, 'y')" }],
    ['LQL', { lql: 'kind:y s:id s:at' }],
  ])('%s', async (_, fields) => {
    expect(await idsOfAll(fields)).toEqual(inOrder(ofKind('y')));
  });

  test('no row twice and none missing while rows are inserted', async () => {
    const inserted = await idsOfAll({ sql: "SELECT id, at FROM e WHERE kind = 'x'" }, (page) =>
      service.engine.execute(
        `INSERT INTO app.events SELECT toDateTime64('2024-01-01', 3, 'UTC') + number * 3, 1000 + number + ${page} * 100, 'x', 'mine' FROM numbers(5)`,
      ),
    );
    expect(new Set(inserted).size).toBe(inserted.length);
    expect(inserted.filter((id) => Number(id) < 1000)).toEqual(inOrder(ofKind('x')));
  });

  test('only if page_size or cursor is sent', async () => {
    const { result, next } = await ask('events', { sql: "SELECT id, at FROM e WHERE kind = 'y'" });
    expect([result?.length, next]).toEqual([ofKind('y').length, undefined]);
  });

  test('a cursor is of one query, language and key', async () => {
    const sql = 'SELECT id, at FROM e';
    const { next = '' } = await ask('events', { sql, page_size: '3' });
    const changed = [
      await ask('events', { sql: 'SELECT id, at FROM e ', cursor: next }),
      await ask('events', { lql: 's:id s:at', cursor: next }),
      await ask('events', { cursor: next }),
      await ask('events', { sql, cursor: next, project: 'other' }, KEY),
      await ask('events', { sql, cursor: `${next.slice(0, -1)}${next.endsWith('A') ? 'B' : 'A'}` }),
    ];
    expect(changed.map(({ status, code }) => [status, code])).toEqual(
      changed.map(() => [400, 'request.cursor_invalid']),
    );
    expect((await ask('events', { sql, cursor: next })).status).toBe(200);
  });

  test.each([
    ['without a key', 'SELECT id FROM e'],
    ['with another column of that name', "SELECT id, 'x'::Nullable(String) AS at FROM e"],
    ['with a value that has no order', 'SELECT id, 1.5 AS at FROM e'],
  ])('a result %s is refused', async (_, sql) => {
    const { status, errors } = await ask('events', { sql, page_size: '3' });
    expect([status, errors?.[0]?.message]).toEqual([400, expect.stringContaining('the columns at, id')]);
  });

  test('a mistake in the query is reported as without pages', async () => {
    const sql = 'SELECT id, at, nothing FROM e';
    const [paged, whole] = [await ask('events', { sql, page_size: '3' }), await ask('events', { sql })];
    expect([paged.status, paged.code, paged.errors]).toEqual([whole.status, whole.code, whole.errors]);
  });
});

describe('the attack corpus', () => {
  const tried = someOfEach(ATTACKS, ({ cat }) => cat, { each: 3, from: 1 });

  test.each(tried.map(({ id, sql }) => [id, sql] as const))('%s', async (_, sql) => {
    const { status, text } = await ask('corpus', { sql, page_size: '3' });
    expect([400, 422]).toContain(status);
    expect(text).not.toContain('CANARY');
  });

  test('queries that are accepted give pages of rows of the tenant only, or need the keys', async () => {
    let paged = 0;
    for (const { sql } of BENIGN.filter((_, index) => index % 4 === 0)) {
      const { status, text, errors } = await ask('corpus', { sql, page_size: '3' });
      if (status !== 200) expect(errors?.[0]?.message).toContain('Pages need the columns');
      else paged++;
      expect(text).not.toContain('CANARY');
    }
    expect(paged).toBeGreaterThan(0);
  });
});
