// Pages by a column that detectors redact: its values are in cursors, encrypted, and nowhere else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, writeEndpoint, type TestService } from '../../support/service.ts';

const MAILS = [
  'ann@example.org',
  'bob@example.org',
  'carol.of.the.long.name@mail.example.org',
  'dan@example.org',
];
const FILE = `id: 00000000-0000-4000-8000-000000000001
name: people
page: { by: [mail], size: 1 }
pii: { redact: true }
cache: { ttl: 60 }
sandbox: { enabled: true }
query: WITH people AS (SELECT mail FROM app.people) SELECT mail, length(mail) AS length FROM people
`;

let service: TestService;
beforeAll(async () => {
  service = await startService({
    sql: [
      'CREATE DATABASE app',
      'CREATE TABLE app.people (mail String) ENGINE = MergeTree ORDER BY mail',
      `INSERT INTO app.people VALUES ${MAILS.map((mail) => `('${mail}')`).join(', ')}`,
    ],
  });
  await writeEndpoint(service, 'people', FILE);
  await service.service.reload();
});
afterAll(() => service.stop());

/** Texts that a reader of a response could try: as it is, and each encoding of a cursor. */
function readings(text: string, cursor: string): readonly string[] {
  const bytes = Buffer.from(cursor, 'base64url');
  return [
    text,
    bytes.toString('latin1'),
    bytes.toString('utf8'),
    bytes.toString('utf16le'),
    bytes.toString('hex'),
  ];
}

test('every row once; no response has a value, and no cursor the length of one', async () => {
  const cursors: string[] = [];
  const lengths: unknown[] = [];
  for (let next: string | undefined = ''; next !== undefined;) {
    const path = `/api/endpoints/query/people?cursor=${next}`;
    // The second response is the cached one.
    const [response, cached] = [await service.call(path), await service.call(path)];
    const text = await response.text();
    expect([response.status, await cached.text()]).toEqual([200, text]);
    const body = JSON.parse(text) as { result: { mail: string; length: number }[]; next?: string };
    lengths.push(...body.result.map(({ length }) => length));
    next = body.next;
    const seen = readings(text + JSON.stringify([...response.headers, ...cached.headers]), next ?? '');
    for (const each of seen)
      for (const mail of MAILS) {
        expect(each).not.toContain(mail);
        expect(each).not.toContain(mail.split('@')[0]);
        expect(each).not.toContain(Buffer.from(mail).toString('hex'));
      }
    if (next !== undefined) cursors.push(next);
  }
  expect(lengths).toEqual(MAILS.map(({ length }) => length));
  expect(new Set(cursors.map(({ length }) => length)).size).toBe(1);
  expect(new Set(cursors).size).toBe(cursors.length);
});

test('no observation has a value or a cursor', async () => {
  const { next = '' } = (await (await service.call('/api/endpoints/query/people')).json()) as {
    next?: string;
  };
  await service.call(`/api/endpoints/query/people?cursor=${next}x`); // 400
  await service.call(`/api/endpoints/query/people?cursor=${next}`);
  const observed = JSON.stringify(service.observed);
  for (const text of [...MAILS, next]) expect(observed).not.toContain(text);
});

test('in a consumer query, the key is what the redacted table has', async () => {
  const sql = encodeURIComponent('SELECT mail FROM people');
  const pages: string[] = [];
  for (let next: string | undefined = ''; next !== undefined && pages.length < 9;) {
    const response = await service.call(`/api/endpoints/query/people?page_size=1&cursor=${next}&sql=${sql}`);
    const text = await response.text();
    pages.push(text);
    next = (JSON.parse(text) as { next?: string }).next;
    for (const each of readings(text, next ?? '')) for (const mail of MAILS) expect(each).not.toContain(mail);
  }
  // Redacted alike, all rows have equal keys: they are on one page.
  expect(pages[0]).toContain(JSON.stringify(MAILS.map(() => ({ mail: 'REDACTED' }))));
  expect(pages.slice(1)).toEqual(['{"result":[]}']);
});
