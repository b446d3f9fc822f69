// `millrace mcp`: the protocol over standard streams, in its own process and for a running service.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scratch } from '../../../support/command.ts';
import { eventually } from '../../../support/eventually.ts';
import { KEY, startService, writeEndpoint, type TestService } from '../../../support/service.ts';

const BIN = join(import.meta.dirname, '../../../../bin/millrace.cjs');
const ROWS = `id: 00000000-0000-4000-8000-000000000051
name: numbers.few
description: The first numbers.
query: SELECT number AS n FROM numbers(3)
`;
/** Runs until it is cancelled. */
const SLOW = `id: 00000000-0000-4000-8000-000000000052
name: numbers.slow
description: Takes its time.
limits: { time: 600 }
query: SELECT sleepEachRow(0.5) AS s FROM numbers(1000) SETTINGS max_block_size = 1
`;

interface Client {
  readonly child: ChildProcess;
  readonly send: (message: object) => void;
  /** Sends a request and resolves to its reply. */
  readonly ask: (id: number | string, method: string, params?: object) => Promise<Record<string, unknown>>;
  readonly lines: () => readonly Record<string, unknown>[];
  readonly errors: () => string;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

const children: ChildProcess[] = [];
let folder: string;
let service: TestService;

beforeAll(async () => {
  folder = scratch();
  await mkdir(join(folder, 'endpoints'));
  await writeFile(join(folder, 'endpoints/numbers.few.yaml'), ROWS);
  await writeFile(join(folder, 'endpoints/numbers.slow.yaml'), SLOW);
  await mkdir(join(folder, 'seeds'));
  service = await startService();
  await writeEndpoint(service, 'numbers.few', ROWS);
  await writeEndpoint(service, 'numbers.slow', SLOW);
  await service.service.reload();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Client {
  const child = spawn(process.execPath, [BIN, 'mcp', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  // Every line is JSON, or the test fails here.
  const lines = (): Record<string, unknown>[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const send = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    child,
    send,
    ask: async (id, method, params = {}) => {
      send({ id, method, params });
      return eventually(() => {
        const reply = lines().find((line) => line['id'] === id);
        if (reply === undefined) throw new Error(`no reply to ${id}: ${out} ${err}`);
        return reply;
      });
    },
    lines,
    errors: () => err,
    ended: new Promise((resolve) => void child.once('close', resolve)),
  };
}

async function initialize(client: Client): Promise<void> {
  const reply = await client.ask('init', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'claude-code', version: '1' },
  });
  expect(reply).toMatchObject({
    result: { serverInfo: { name: 'millrace' }, protocolVersion: '2025-11-25' },
  });
  client.send({ method: 'notifications/initialized' });
}

const local = (): string[] => ['--data', join(folder, 'data'), '--endpoints', join(folder, 'endpoints')];
const remote = (): string[] => ['--url', service.service.address];

describe.each([
  ['in its own process', local, {}],
  ['for a running service', remote, { MILLRACE_KEY: KEY }],
])('%s', (_, args, env) => {
  test('lists, calls, reports progress, cancels, and ends with its input', async () => {
    const client = start(args(), env);
    await initialize(client);
    expect(JSON.stringify(await client.ask(1, 'tools/list'))).toContain('"numbers_few"');
    const rows = { result: { structuredContent: { rows: [{ n: 0 }, { n: 1 }, { n: 2 }] } } };
    expect(await client.ask(2, 'tools/call', { name: 'numbers_few', arguments: {} })).toMatchObject(rows);
    const slow = { name: 'numbers_slow', arguments: {}, _meta: { progressToken: 'p' } };
    client.send({ id: 3, method: 'tools/call', params: slow });
    await eventually(() =>
      expect(client.lines()).toContainEqual(expect.objectContaining({ method: 'notifications/progress' })),
    );
    client.send({ method: 'notifications/cancelled', params: { requestId: 3, reason: 'enough' } });
    expect(await client.ask(4, 'ping')).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
    client.child.stdin?.end();
    expect(await client.ended).toBe(0);
    expect(client.lines().some(({ id }) => id === 3)).toBe(false);
  });
});

test.each([
  ['initialized', { method: 'notifications/initialized' }],
  ['progress', { method: 'notifications/progress', params: { progressToken: 'x', progress: 1 } }],
  ['roots', { method: 'notifications/roots/list_changed' }],
  ['unknown', { method: 'notifications/of/mine' }],
])('a running service: the notification %s has no reply, and is no error', async (_, notification) => {
  const client = start(remote(), { MILLRACE_KEY: KEY });
  await initialize(client);
  client.send(notification);
  expect(await client.ask(5, 'ping')).toMatchObject({ id: 5, result: {} });
  client.child.stdin?.end();
  expect(await client.ended).toBe(0);
  expect(client.errors()).toBe(`millrace: forwarding MCP to ${service.service.address}\n`);
  expect(client.lines().map(({ id }) => id)).toEqual(['init', 5]);
});

test('its own process: a changed file changes the tools; a signal ends it', async () => {
  const client = start(local());
  await initialize(client);
  await writeFile(join(folder, 'endpoints/numbers.few.yaml'), ROWS.replaceAll('numbers.few', 'numbers.new'));
  let id = 10;
  await eventually(async () => {
    id += 1;
    expect(JSON.stringify(await client.ask(id, 'tools/list'))).toContain('"numbers_new"');
  });
  client.child.kill('SIGTERM');
  expect(await client.ended).toBe(0);
});

describe('a running service', () => {
  test('names the client, and takes messages of the revision 2026-07-28', async () => {
    const client = start([...remote(), '--key', KEY]);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'cursor', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'numbers_few', arguments: {}, _meta: meta };
    expect(await client.ask(1, 'tools/call', params)).toMatchObject({ result: { resultType: 'complete' } });
    expect(service.observed.at(-1)).toMatchObject({ clientName: 'cursor' });
    client.child.stdin?.end();
    expect(await client.ended).toBe(0);
  });

  test.each([
    ['that refuses the key', () => service.service.address, { code: -32000, data: { code: 'auth.invalid' } }],
    [
      'that is not there',
      () => 'http://127.0.0.1:1',
      { message: expect.stringContaining('cannot be reached') },
    ],
    ['of another kind', () => other, { message: expect.stringContaining('does not serve MCP') }],
  ])('%s is an error of each request', async (_, url, error) => {
    const client = start(['--url', url(), '--key', 'no']);
    expect(await client.ask(1, 'tools/list')).toMatchObject({ id: 1, error });
    client.child.stdin?.write('{\n');
    await eventually(() =>
      expect(client.lines().at(-1)).toMatchObject({ id: null, error: { code: -32700 } }),
    );
    client.child.stdin?.end();
    expect(await client.ended).toBe(0);
  });

  let server: Server;
  let other: string;
  beforeAll(async () => {
    server = createServer((_request, response) => void response.end('<html>'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on a port
  });
  afterAll(() => server.close());
});
