// The fast path writes responses in batches: one that cannot be written closes only its own caller's connection.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealEntry } from '../../../src/service/cache/entry.ts';
import type { CachedAnswer } from '../../../src/service/cache/read-through.ts';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { createCompression } from '../../../src/service/http/compression.ts';
import { createSlowClients } from '../../../src/service/http/slow-clients.ts';
import { createFastPath, type FastPath } from '../../../src/service/fronts/api/fast-path.ts';
import type { Answer } from '../../../src/service/request/call.ts';

const PREFIX = '/api/endpoints/query/';
const observed: Observation[] = [];
let server: Server;
let address = '';
let fastPath: FastPath;
let wholeWay = 0;

/** What is still stored for a path, by its last part. */
const STORED: Readonly<Record<string, () => CachedAnswer | Promise<CachedAnswer | undefined>>> = {
  good: () => found({ contentType: 'application/json; charset=utf-8' }),
  'line-break': () => found({ contentType: 'text/csv\r\nSet-Cookie: a=b' }),
  control: () => found({ contentType: 'text/csv\0' }),
  tag: () => found({ contentType: 'text/csv', etag: '"a"\r\n\r\n<script>' }),
  lost: () => Promise.reject(new Error('the store failed')),
};

function found({ contentType, etag }: { contentType: string; etag?: string }): CachedAnswer {
  const born = { epoch: Date.now(), monotonic: performance.now() };
  const entry = sealEntry({ body: Buffer.from('{}'), contentType, rows: 0, truncated: false }, born, 60_000);
  return {
    kind: 'answer',
    entry: etag === undefined ? entry : { ...entry, etag },
    outcome: { kind: 'hit', forwarded: undefined, age: 0, lifetime: 60, ttl: 60 },
  };
}

beforeAll(async () => {
  const observe = (each: Observation): void => void observed.push(each);
  fastPath = createFastPath({
    route: { url: `${PREFIX}:endpoint`, prefix: PREFIX },
    fields: [],
    headerPrefix: 'SVC',
    isExcluded: () => false,
    compression: await createCompression(2 ** 20),
    slowClients: createSlowClients({ seconds: 60, bytes: 2 ** 20, after: () => () => undefined, observe }),
    observe,
    beginTrace: () => undefined,
    clientAddress: () => undefined,
    now: () => performance.now(),
    newId: () => 'id',
  });
  server = createServer((request, response) =>
    fastPath.answer(request, response, () => {
      wholeWay++;
      const replay = STORED[(request.url ?? '').slice(PREFIX.length)];
      const answer = {
        replay,
        admitAgain: () => [],
        endpoint: { name: 'e', revision: '1' },
        preferences: [],
      };
      fastPath.remember(request, answer as unknown as Answer, {}); // all that is read of an answer
      response.end('whole way');
    }),
  );
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const bound = server.address();
  address = `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}${PREFIX}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (name: string): Promise<string> =>
  fetch(address + name).then(
    async (response) => response.text(),
    () => 'no answer',
  );

test.each(['line-break', 'control', 'tag'])('a header that cannot be sent: %s', async (name) => {
  await ask('good');
  expect(await ask(name)).toBe('whole way'); // remembered from now on
  const before = observed.length;
  const answers = await Promise.all([ask('good'), ask(name), ask('good'), ask('good')]);
  expect(answers).toEqual(['{}', 'no answer', '{}', '{}']);
  const failed = observed
    .slice(before)
    .filter((each) => each.kind === 'request.finished' && each.status === 500);
  expect(failed).toMatchObject([{ code: 'internal.error', endpoint: 'e', bytes: 0 }]);
  const walked = wholeWay;
  expect(await ask(name)).toBe('whole way'); // forgotten: nothing is tried with it again
  expect(wholeWay).toBe(walked + 1);
});

test('if the store rejects, the request takes the normal path', async () => {
  expect([await ask('lost'), await ask('lost')]).toEqual(['whole way', 'whole way']);
});
