// The access log line contains everything in the request's observation, as standard JSON.
import pino from 'pino';
import { expect, test } from 'vitest';
import { KnownError, type Finished } from '../../../src/sql/base/observation.ts';
import { createRequestLine } from '../../../src/service/observe/request-line.ts';

const TIME = '2026-01-02T03:04:05.678Z';
const HIT: Finished = {
  kind: 'request.finished',
  requestId: 'r-1',
  method: 'GET',
  route: '/api/endpoints/query/:endpoint',
  endpoint: 'logs.all',
  revision: 'abc',
  principal: 'customer',
  status: 200,
  bytes: 1234,
  ms: 1.23456,
};

test.each<{ why: string; request: Finished; says?: object }>([
  { why: 'a hit', request: { ...HIT, rows: 3, cache: 'hit', client: '::1' } },
  {
    why: 'a run',
    request: {
      ...HIT,
      rows: 0,
      cache: 'miss',
      labels: { team: 'a "b"\n' },
      timing: { auth: 0.001, plan: 0.126, queue: 0, engine: 12.3456, redact: 0, encode: 1 },
      read: { rows: 10, bytes: 20 },
      trace: {
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: 'b7ad6b7169203331',
        parentId: undefined,
        isSampled: true,
      },
    },
    says: {
      timing: { auth: 0, plan: 0.13, queue: 0, engine: 12.35, redact: 0, encode: 1 },
      trace: '0af7651916cd43dd8448eb211c80319c',
    },
  },
  {
    why: 'a failure without a key, with text that contains line breaks',
    request: {
      ...HIT,
      requestId: '"}\n{"level":60',
      endpoint: undefined,
      revision: undefined,
      principal: undefined,
      status: 500,
      code: 'internal.error',
      cause: new KnownError('one\n"two"', { cause: new KnownError('three') }),
    },
    says: { cause: 'one\n"two" < three' },
  },
])('$why', ({ request, says }) => {
  const { kind: event, ...fields } = request;
  const line = createRequestLine()(pino.levels.values['info'] ?? 0, TIME, request);
  expect([line.at(-1), line.slice(0, -1)]).toEqual(['\n', expect.not.stringContaining('\n')]);
  const all = { level: 30, time: TIME, event, ...fields, ms: 1.23, ...says };
  expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(all)));
});
