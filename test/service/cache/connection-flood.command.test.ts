// Thousands of new connections at once hold up the service itself: Redis, which answers, is not lost by that.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashKey } from '../../../src/service/auth/keyring.ts';
import { start, type Running } from '../../support/command.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort, startRedis, type RedisServer } from '../../support/redis.ts';

const KEY = 'a-key-with-a-rate';
let redis: RedisServer;
let running: Running;
let port: number;

beforeAll(async () => {
  redis = await startRedis();
  const cwd = mkdtempSync(join(tmpdir(), 'millrace-'));
  mkdirSync(join(cwd, 'endpoints'));
  const file = 'id: 00000000-0000-4000-8000-000000000001\nname: one\nquery: SELECT 1 AS one\n';
  writeFileSync(join(cwd, 'endpoints', 'one.yaml'), file);
  const key = `{ name: rated, sha256: ${hashKey(KEY)}, endpoints: ['*'], rate: 1000000/h }`;
  writeFileSync(join(cwd, 'tokens.yaml'), `tokens:\n  - ${key}\n`);
  const env = {
    // Without a server, so that each call ends right after the rate limit.
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    REDIS_URL: redis.url,
    MILLRACE_TOKENS: 'tokens.yaml',
    MILLRACE_RATE_LIMIT_FAILURE: 'closed',
  };
  port = await freePort();
  running = start(['serve', '--port', String(port), '--admin-port', '0'], { cwd, env });
  await running.says(/"event":"service\.started"/);
});
afterAll(async () => {
  running.child.kill('SIGKILL');
  await running.finished;
  await redis.kill();
});

function callOnce(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const path = '/api/endpoints/query/one';
    socket.on('connect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${KEY}\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(/"code":"([^"]*)"/.exec(text)?.[1] ?? text));
    socket.on('error', reject);
  });
}

test('with rate_limit_failure: closed, each call is counted', async () => {
  await eventually(async () => expect(await callOnce()).toBe('engine.unavailable'));
  for (let round = 0; round < 3; round++) {
    const codes = await Promise.all(Array.from({ length: 1000 }, callOnce));
    expect(codes.filter((code) => !code.startsWith('engine.'))).toEqual([]);
  }
  expect(running.output()).not.toContain('cache.remote_lost');
});
