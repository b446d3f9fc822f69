// The official SDK over standard input and output: `millrace mcp` in its own process, and in front of a running service.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratch } from '../../../support/command.ts';
import { ACME, ask, clientOf, REVISIONS, rowsOf, startMcpWorld, type Connected } from './world/world.ts';

const BIN = join(import.meta.dirname, '../../../../bin/millrace.cjs');
const FILE = `id: 4a1f6f52-2f4a-4e0b-8d55-0b8c1f0f2820
name: numbers.up-to
description: Numbers from 0, fewer than the limit.
query: |
  WITH numbers AS (SELECT number AS n FROM system.numbers LIMIT @limit)
  SELECT n FROM numbers
parameters: { limit: { type: UInt16, default: 3, description: How many numbers. } }
sandbox: { enabled: true }
`;

let world: Connected;
let folder: string;
beforeAll(async () => {
  world = await startMcpWorld();
  folder = scratch();
  for (const name of ['endpoints', 'seeds']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'endpoints/numbers.yaml'), FILE);
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

const transport = (args: readonly string[], env: Readonly<Record<string, string>> = {}): StdioClientTransport =>
  new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args], cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...env }, stderr: 'ignore' }); // prettier-ignore

test('the folder of endpoints', async () => {
  const client = clientOf('2025-11-25');
  await client.connect(transport([]));
  expect(rowsOf(await ask(client, 'numbers_up-to', { limit: 2 }))).toEqual([{ n: 0 }, { n: 1 }]);
  const asked = await ask(client, 'query', { endpoint: 'numbers.up-to', sql: 'SELECT max(n) AS m FROM numbers' });
  expect(rowsOf(asked)).toEqual([{ m: 2 }]);
  expect((await client.listResources()).resources.length).toBeGreaterThan(1);
  await client.close();
}); // prettier-ignore

test.each(REVISIONS)('a running service, revision %s', async (revision) => {
  const client = clientOf(revision);
  await client.connect(transport(['--url', world.service.address], { MILLRACE_KEY: ACME }));
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  const { text, isError } = await ask(client, 'parcels_by-depot', {});
  expect([isError, text]).toEqual([false, expect.not.stringContaining('CANARY')]);
  expect(text).toContain('Lyon|');
  await client.close();
});

test('a wrong key', async () => {
  const client = clientOf('2025-11-25');
  await expect(client.connect(transport(['--url', world.service.address], { MILLRACE_KEY: 'wrong' }))).rejects.toThrow(/auth\.|key/i); // prettier-ignore
});
