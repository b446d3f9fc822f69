// Runs the server scenarios of the public MCP conformance suite against a service, in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The released suite, and the prerelease that has the scenarios of revision 2026-07-28. */
export type Suite = '@modelcontextprotocol/conformance' | 'mcp-conformance-2026';

/** A check of a scenario, as the suite reports it. */
export interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly message: string;
}

const root = join(import.meta.dirname, '../../../../..');

/**
 * All checks of a suite, in the order of their scenarios.
 * @param url where the scenarios connect, without a key: see `withKey`.
 * @param options further options of its command `server`
 */
export async function runSuite(
  suite: Suite,
  url: string,
  options: readonly string[] = [],
): Promise<readonly Check[]> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-conformance-'));
  try {
    const program = join(root, 'node_modules', suite, 'dist/index.js');
    const hook = join(import.meta.dirname, 'node-20.mjs');
    const args = ['--import', hook, program, 'server', '--url', url, '--output-dir', folder, ...options];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.resume();
    await once(child, 'close');
    return await checksIn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The suite writes a file for each scenario, in a folder `server-<scenario>-<time>`. */
async function checksIn(folder: string): Promise<readonly Check[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('checks.json'));
  const checks: Check[] = [];
  for (const file of files.toSorted()) {
    const scenario = /server-(.+?)-\d{4}-\d\d-\d\dT/.exec(file)?.[1] ?? file;
    const reported = JSON.parse(await readFile(join(folder, file), 'utf8')) as (Check & {
      readonly errorMessage?: string;
    })[]; // as the suite writes them
    for (const { id, status, errorMessage = '' } of reported)
      checks.push({ scenario, id, status, message: errorMessage });
  }
  return checks;
}

/** A proxy that adds a key to each request, which the scenarios cannot send, and changes nothing else. */
export async function withKey(
  address: string,
  key: string,
): Promise<{ readonly url: string; readonly close: () => void }> {
  const proxy = createServer((incoming, outgoing) => {
    const { hostname, port } = new URL(address);
    const { method, url: path, headers } = incoming;
    const upstream = request({ hostname, port, method, path, headers: { ...headers, 'x-api-key': key } });
    upstream.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      outgoing.flushHeaders();
      response.pipe(outgoing);
    });
    upstream.on('error', () => outgoing.destroy());
    outgoing.on('close', () => upstream.destroy());
    incoming.pipe(upstream);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => void proxy.close() };
}
