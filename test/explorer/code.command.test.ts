// The explorer's code snippets, run against the real service; its endpoint files, compiled by the endpoint compiler.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointFile, isEndpointName } from '../../explorer/src/code/endpoint-file.ts';
import { snippetsOf } from '../../explorer/src/code/snippets.ts';
import type { Ask } from '../../explorer/src/service/client.ts';
import type { Endpoint } from '../../explorer/src/service/listing.ts';
import { run, scratch } from '../support/command.ts';
import { KEY, sampleTables, startService, type TestService, SHIPPED } from '../support/service.ts';

const PROJECT = 'it\'s "a" $HOME `x`';
const ROOT = join(import.meta.dirname, '../..');

let service: TestService;
let endpoint: Endpoint;
beforeAll(async () => {
  const quoted = PROJECT.replaceAll("'", "''");
  const row = `INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata) VALUES ('${quoted}', now64(6), 'one', 'm', '{}')`;
  service = await startService({ endpoints: SHIPPED, sql: [await sampleTables(), row] });
  const { result } = (await (await service.call('/api/endpoints')).json()) as { result: Endpoint[] }; // our own envelope
  const found = result.find(({ name }) => name === 'logs.all');
  if (found === undefined) throw new Error('it ships');
  endpoint = found;
});
afterAll(() => service.stop());

const ASKS: readonly { readonly why: string; readonly ask: Ask }[] = [
  { why: 'the saved query', ask: { endpoint: 'logs.all', parameters: { project: PROJECT }, own: undefined } },
  {
    why: 'SQL of several lines with every kind of quote',
    ask: {
      endpoint: 'logs.all',
      parameters: { project: PROJECT },
      own: { language: 'sql', text: "SELECT 'it''s ${x} \\\\ \"q\"' AS `text`\nFROM edge_logs" },
    },
  },
];

/** Needs a service on the other side while the code runs, so it does not wait for it in this process. */
async function runs(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, MILLRACE_KEY: KEY } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}

describe.each(ASKS)('$why', ({ ask }) => {
  const textOf = (name: string): string => {
    const snippets = snippetsOf({ ask, endpoint, base: `${service.service.address}/` });
    return snippets.find((each) => each.name === name)?.text ?? '';
  };

  test.each([
    { name: 'javascript', file: 'call.mjs', command: process.execPath, args: [] },
    { name: 'typescript', file: 'call.mts', command: process.execPath, args: ['--import', 'tsx'] },
  ])('as $name gets its row', async ({ name, file, command, args }) => {
    const path = join(scratch(), file);
    writeFileSync(path, textOf(name));
    expect(await runs(command, [...args, path])).toBe('1 rows\n');
  });

  test.runIf(spawnSync('curl', ['--version']).status === 0)('as curl gets its row', async () => {
    expect(await runs('sh', ['-c', `${textOf('curl')} --silent`])).toContain('{"result":[{');
  });

  test('has no key in it', () => {
    for (const { text } of snippetsOf({ ask, endpoint, base: 'http://localhost/' }))
      expect(text).not.toContain(KEY);
  });
});

describe('an endpoint file', () => {
  const options = {
    name: 'mine.too',
    id: '00000000-0000-4000-8000-000000000001',
    sql: 'SELECT id\nFROM logs.edge_logs\nWHERE project = @project AND timestamp > @iso_timestamp_start AND timestamp < @iso_timestamp_end;',
    isFromLql: false,
    parameters: { project: PROJECT },
    tables: ['edge_logs'],
  };

  test('is one that the product takes', async () => {
    const cwd = scratch();
    mkdirSync(join(cwd, 'endpoints'));
    writeFileSync(join(cwd, 'endpoints', 'mine.too.yaml'), endpointFile({ ...options, endpoint }));
    const { code, out } = await run(['validate', '--no-engine', '--format', 'json'], { cwd });
    expect(out).not.toMatch(/"severity": ?"error"/);
    expect(code).toBe(0);
  });

  test.each([
    { name: 'a.b-c_d', is: true },
    { name: 'A', is: false },
    { name: 'a..b', is: false },
    { name: `a${'b'.repeat(100)}`, is: false },
  ])('can be named $name: $is', ({ name, is }) => {
    expect(isEndpointName(name)).toBe(is);
  });
});
