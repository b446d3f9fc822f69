// Agents through the official SDK over HTTP: every revision of the protocol, what two keys see of one service, redaction, rows that
// try to look like something else, cancellation, and the size of the list of tools.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashKey } from '../../../../src/service/auth/keyring.ts';
import { eventually } from '../../../support/eventually.ts';
import { startGate } from '../../../support/gate.ts';
import { runs, sizeOf, someOfEach } from '../../../support/runs.ts';
import { KEY, writeEndpoint } from '../../../support/service.ts';
import { INJECTIONS } from './world/injections.ts';
import { ACME, ask, GLOBEX, LATEST, OWNER, REDACTED, REVISIONS, rowsOf, SAVED_ONLY, startMcpWorld, type Asked, type Connected } from './world/world.ts'; // prettier-ignore

const MANY = 'a-key-of-many-endpoints';
const GATED = 'a-key-of-a-query-that-waits';
const RATED = 'a-key-with-a-rate';

let world: Connected;
beforeAll(async () => {
  world = await startMcpWorld({
    tokens: [
      { name: 'many', sha256: hashKey(MANY), endpoints: ['many.*'] },
      {
        name: 'rated',
        sha256: hashKey(RATED),
        endpoints: ['parcels.*'],
        parameters: { client: 'acme' },
        rate: '10/h',
      },
      { name: 'gated', sha256: hashKey(GATED), endpoints: ['gated'] },
    ],
  });
  for (const [index, { text }] of INJECTIONS.entries())
    await world.engine.execute(
      `INSERT INTO fleet.feedback VALUES ('acme', toDateTime(${1_700_000_000 + index}), 'a${index}', unhex('${Buffer.from(text).toString('hex')}'))`,
    );
  await world.engine.execute(
    "INSERT INTO fleet.feedback VALUES ('globex', toDateTime(0), 'CANARY', 'CANARY')",
  );
});
afterAll(() => world.stop());

const names = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name).toSorted();
/** All that an agent sees, without what differs from call to call. */
const everything = ({ text, structured }: Asked): string =>
  text.replace(/^Request id: .*$/m, '') + JSON.stringify(structured);

describe.each(REVISIONS)('revision %s', (revision) => {
  test('lists and calls tools, reads resources, gets prompts', async () => {
    const client = await world.connect(ACME, revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(await names(client)).toEqual(
      expect.arrayContaining(['describe_tables', 'explain', 'parcels_by-depot', 'parcels_find', 'query']),
    );
    // The client checks structured content against the output schema of each tool.
    const saved = await ask(client, 'parcels_by-depot', { since: '2024-03-01T00:00:00Z' });
    expect(rowsOf(saved).map(({ depot }) => depot)).toEqual(['Graz', 'Lyon', 'Porto']);
    expect(saved.text).toContain('Graz|');
    const sent = await ask(client, 'query', { endpoint: 'fleet.explore', sql: 'SELECT count() AS n FROM parcels' });
    expect(rowsOf(sent)).toEqual([{ n: 400 }]);

    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(3);
    // Each in one of the revisions.
    const share = { each: REVISIONS.length, from: REVISIONS.indexOf(revision) };
    for (const { uri } of someOfEach(resources, () => '', share)) {
      const { contents } = await client.readResource({ uri });
      expect([uri, contents]).toEqual([uri, [expect.objectContaining({ text: expect.stringMatching(/\S/) })]]);
    }
    const { prompts } = await client.listPrompts();
    for (const { name, arguments: declared = [] } of someOfEach(prompts, () => '', share)) {
      const given = Object.fromEntries(declared.filter(({ required }) => required).map((each) => [each.name, 'parcels']));
      const { messages } = await client.getPrompt({ name, arguments: given });
      expect([name, messages.length]).toEqual([name, expect.toSatisfy((count: number) => count > 0)]);
    }
  }); // prettier-ignore

  test('errors', async () => {
    const client = await world.connect(ACME, revision);
    const invalid = await ask(client, 'parcels_find', { state: 'lots' });
    expect(invalid).toMatchObject({ isError: true, text: expect.stringMatching(/state[\s\S]*lost/) });
    const column = await ask(client, 'explain', {
      endpoint: 'fleet.explore',
      sql: 'SELECT depott\nFROM parcels',
    });
    expect(everything(column)).toMatch(/depot\b/);
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(ProtocolError);
    await expect(client.readResource({ uri: 'millrace://no/such/resource' })).rejects.toThrow(ProtocolError);
    await expect(client.getPrompt({ name: 'no such prompt' })).rejects.toThrow(ProtocolError);
  });

  test('no key, and a wrong one', async () => {
    for (const key of ['', 'wrong'])
      await expect(world.connect(key, revision)).rejects.toThrow(/401|auth|key/i);
  });
});

test('numbers are exact in text and structured content', async () => {
  const client = await world.connect(ACME);
  const sql =
    "SELECT barcode, price, toUInt64(18446744073709551615) AS big, toDecimal128('123456789012345678.123456789', 9) AS d FROM parcels ORDER BY accepted LIMIT 1";
  const asked = await ask(client, 'query', { endpoint: 'fleet.explore', sql });
  expect(rowsOf(asked)).toEqual([
    {
      barcode: '9007199254740993',
      price: 4.9,
      big: '18446744073709551615',
      d: '123456789012345678.123456789',
    },
  ]);
  expect(asked.text).toContain('9007199254740993|4.9|18446744073709551615|123456789012345678.123456789');
});

describe('two keys side by side', () => {
  test('each sees its own rows, in every tool, at the same time', async () => {
    const [acme, globex] = await Promise.all([world.connect(ACME), world.connect(GLOBEX)]);
    const calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
      ['parcels_by-depot', {}],
      ['parcels_find', { state: 'lost' }],
      ['query', { endpoint: 'fleet.explore', sql: 'SELECT * FROM parcels ORDER BY barcode' }],
      ['query', { endpoint: 'fleet.explore', sql: 'SELECT * FROM scans ORDER BY barcode LIMIT 20' }],
      ['query', { endpoint: 'fleet.explore', lql: 'f:parcels' }],
      ['query', { endpoint: 'parcels.recipients', sql: 'SELECT * FROM recipients' }],
      ['describe_tables', { endpoint: 'fleet.explore', table: 'parcels' }],
      ['describe_tables', { endpoint: 'fleet.explore', table: 'scans' }],
      ['explain', { endpoint: 'fleet.explore', sql: 'SELECT depot FROM parcels' }],
    ];
    for (const [tool, args] of calls) {
      const asked = await Promise.all(
        [acme, globex, acme, globex].map(async (client) => ask(client, tool, args)),
      );
      for (const [index, each] of asked.entries()) {
        const text = everything(each);
        expect([tool, args, text]).toEqual([
          tool,
          args,
          index % 2 === 0 ? expect.not.stringMatching(/CANARY|globex/) : expect.not.stringMatching(/Lyon|@mail\.example|acme/),
        ]);
        expect([tool, args, each.isError]).toEqual([tool, args, false]);
      }
    }
  }); // prettier-ignore

  test('no argument unlocks a parameter', async () => {
    const client = await world.connect(ACME);
    for (const [tool, args] of [
      ['parcels_by-depot', { client: 'globex' }],
      ['query', { endpoint: 'fleet.explore', sql: 'SELECT depot FROM parcels', parameters: { client: 'globex' } }],
      ['describe_tables', { endpoint: 'fleet.explore', table: 'parcels', parameters: { client: 'globex' } }],
    ] as const) {
      const asked = await ask(client, tool, args);
      expect([tool, asked.isError, everything(asked)]).toEqual([tool, true, expect.not.stringContaining('CANARY')]);
    }
    const { tools } = await client.listTools();
    for (const { name, inputSchema } of tools) expect([name, Object.keys(inputSchema.properties ?? {})]).toEqual([name, expect.not.arrayContaining(['client'])]);
  }); // prettier-ignore

  test('what a key may not call does not exist for it', async () => {
    const [acme, owner, saved] = await Promise.all([ACME, OWNER, SAVED_ONLY].map((key) => world.connect(key)));
    if (acme === undefined || owner === undefined || saved === undefined) throw new Error('three clients');
    // The owner's lists are made first, and then last.
    expect(await names(owner)).toContain('private_margins-zzz');
    for (const client of [acme, saved]) {
      const lists = await Promise.all([client.listTools(), client.listResources(), client.listResourceTemplates(), client.listPrompts()]);
      expect(JSON.stringify(lists)).not.toMatch(/zzz|margin|hidden|private[._-]|globex/);
      for (const [tool, args] of [
        ['describe_tables', {}],
        ['describe_tables', { endpoint: 'private.margins-zzz' }],
        ['query', { endpoint: 'private.margins-zzz', sql: 'SELECT 1' }],
        ['explain', { endpoint: 'private.margins-zzz', sql: 'SELECT 1' }],
        ['query', { endpoint: 'hidden.from-agents', sql: 'SELECT 1' }],
        ['describe_tables', { endpoint: 'hidden.from-agents' }],
        ['query', { endpoint: 'private.margins', sql: 'SELECT 1' }],
        ['query', { endpoint: '4a1f6f52-2f4a-4e0b-8d55-0b8c1f0f2806', sql: 'SELECT 1' }],
      ] as const) {
        const asked = await ask(client, tool, args).catch((error: unknown) => ({ isError: true, text: String(error), structured: {} }));
        const endpoint = 'endpoint' in args ? args.endpoint : '';
        expect([tool, args, everything(asked).replaceAll(endpoint, '')]).toEqual([tool, args, expect.not.stringMatching(/zzz|margin|hidden_table|private[._-]/)]);
        // The same answer as for a name that nothing has.
        if (endpoint === '') continue;
        expect([tool, args, asked.isError]).toEqual([tool, args, true]);
        const absent = endpoint.replace(/\w/g, 'q');
        const other = await ask(client, tool, { ...args, endpoint: absent }).catch((error: unknown) => ({ isError: true, text: String(error), structured: {} }));
        expect(everything(asked).replaceAll(endpoint, '').replace(/Did you mean[^.]*/, '')).toBe(everything(other).replaceAll(absent, '').replace(/Did you mean[^.]*/, ''));
      }
      for (const tool of ['private_margins-zzz', 'hidden_from-agents', 'private.margins-zzz'])
        await expect(client.callTool({ name: tool, arguments: {} })).rejects.toThrow(ProtocolError);
    }
    for (const path of ['/llms.txt', '/guides/sql.md', '/api/endpoints/query/private.margins-zzz.md', '/api/endpoints/query/fleet.explore.md']) {
      const response = await world.call(path, { headers: { 'X-API-KEY': ACME } });
      expect([path, (await response.text()).replaceAll('private.margins-zzz.md', '')]).toEqual([path, expect.not.stringMatching(/zzz|margin|globex/)]);
    }
    // A key without query languages has no tools for queries.
    expect(await names(saved)).toEqual(expect.not.arrayContaining(['query', 'explain', 'describe_tables']));
    expect(await names(owner)).toEqual(expect.not.arrayContaining(['parcels_find']));
  }); // prettier-ignore

  test('a key that changes meanwhile', async () => {
    // A list that was made for one key is no other's, also when both ask at once, again and again.
    const keys = [ACME, OWNER, SAVED_ONLY, GLOBEX];
    const lists = await Promise.all(
      Array.from({ length: runs(8, 24) }, async (_, index) => {
        const client = await world.connect(keys[index % keys.length] ?? '', index % 2 === 0 ? LATEST : '2025-06-18');
        return names(client);
      }),
    );
    for (const [index, list] of lists.entries()) expect(list).toEqual(lists[index % keys.length]);
    expect(lists[0]).not.toEqual(lists[1]);
    expect(lists[0]).not.toEqual(lists[2]);
  }); // prettier-ignore
});

describe('redaction', () => {
  const PERSONAL = /person\d+@|mail\.example/;

  test('of a key: in rows, samples, errors and prompts', async () => {
    const [open, redacted] = await Promise.all([world.connect(ACME), world.connect(REDACTED)]);
    const plain = await ask(open, 'query', { endpoint: 'parcels.recipients', sql: 'SELECT recipient FROM recipients' });
    expect(plain.text).toMatch(PERSONAL);
    for (const [tool, args] of [
      ['parcels_recipients', {}],
      ['query', { endpoint: 'parcels.recipients', sql: 'SELECT recipient, hex(recipient) AS h, substring(recipient, 1, 3) AS s FROM recipients' }],
      ['query', { endpoint: 'parcels.recipients', sql: "SELECT count() AS n FROM recipients WHERE recipient LIKE 'person1@%'" }],
      ['query', { endpoint: 'parcels.recipients', sql: 'SELECT toUInt64(recipient) AS n FROM recipients' }],
      ['query', { endpoint: 'parcels.recipients', lql: 'f:recipients' }],
      ['describe_tables', { endpoint: 'parcels.recipients', table: 'recipients' }],
      ['describe_tables', { endpoint: 'feedback.recent', table: 'feedback' }],
    ] as const) {
      const asked = await ask(redacted, tool, args);
      expect([tool, args, everything(asked)]).toEqual([tool, args, expect.not.stringMatching(PERSONAL)]);
      expect(everything(asked)).not.toMatch(/706572736F6E/i);
    }
    const counted = await ask(redacted, 'query', { endpoint: 'parcels.recipients', sql: "SELECT count() AS n FROM recipients WHERE recipient LIKE 'person1@%'" });
    expect(rowsOf(counted)).toEqual([{ n: 0 }]);
  }); // prettier-ignore

  test('that the caller asks for with a header field', async () => {
    const response = await fetch(world.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'X-API-KEY': ACME, 'SVC-ENDPOINT-REDACT-PII': 'true' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'query', arguments: { endpoint: 'parcels.recipients', sql: 'SELECT recipient FROM recipients' } } }),
    });
    const text = await response.text();
    expect([response.status, text]).toEqual([200, expect.not.stringMatching(PERSONAL)]);
  }); // prettier-ignore
});

describe('rows that try to look like something else', () => {
  test.each([
    ['feedback_recent', {}],
    ['query', { endpoint: 'feedback.recent', sql: 'SELECT at, author, text FROM feedback ORDER BY at DESC, author' }],
    ['query', { endpoint: 'feedback.recent', sql: 'SELECT map(text, text) AS m, [text] AS a, tuple(text) AS t FROM feedback' }],
    ['describe_tables', { endpoint: 'feedback.recent', table: 'feedback' }],
  ] as const)('%s', async (tool, args) => {
    const client = await world.connect(ACME);
    const { text } = await ask(client, tool, args);
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/);
    expect(text).not.toMatch(/\p{Cf}|\p{Cs}/u);
    // No line begins with what a row says, other than as the first cell of its row.
    for (const { line } of INJECTIONS) {
      if (line === undefined) continue;
      expect(text.split('\n').filter((each) => each.trim().startsWith(line))).toEqual([]);
    }
    // The end of the data is where the server says.
    const tag = /^<rows (\S+)>$/m.exec(text)?.[1];
    if (tag !== undefined) expect(text.split('\n').filter((each) => each === `</rows ${tag}>`)).toHaveLength(1);
  }); // prettier-ignore

  test('names of paths are data as well', async () => {
    const client = await world.connect(ACME);
    await world.engine.execute(
      `INSERT INTO fleet.scans SELECT 'acme', 1, now(), 'info', 'x', map('a', 'x')::JSON`,
    );
    for (const { text } of INJECTIONS.slice(0, 12)) {
      const document = JSON.stringify({ [text]: 'x' });
      await world.engine.execute(
        `INSERT INTO fleet.scans SELECT 'acme', 1, toDateTime64('2023-01-01 00:00:00', 3), 'info', 'x', unhex('${Buffer.from(document).toString('hex')}')::JSON`,
      );
    }
    const described = await ask(client, 'describe_tables', { endpoint: 'fleet.explore', table: 'scans' });
    expect(described.isError).toBe(false);
    expect(described.text).not.toMatch(/\p{Cf}|\p{Cs}|[^\P{Cc}\n]/u);
    for (const { line } of INJECTIONS) {
      if (line === undefined) continue;
      expect(described.text.split('\n').filter((each) => each.trim().startsWith(line))).toEqual([]);
    }
  }); // prettier-ignore
});

test.each([
  { origin: undefined, host: undefined, status: 200 },
  { origin: undefined, host: 'api.example.com', status: 200 },
  { origin: 'own', host: undefined, status: 200 },
  { origin: 'http://evil.example.com', host: undefined, status: 403 },
  { origin: 'http://evil.example.com', host: 'evil.example.com', status: 403 },
  { origin: 'http://localhost.evil.example.com', host: 'localhost.evil.example.com', status: 403 },
  { origin: 'http://127.0.0.1.evil.example.com', host: '127.0.0.1.evil.example.com', status: 403 },
  { origin: 'http://localhost:1', host: undefined, status: 403 },
  { origin: 'null', host: undefined, status: 403 },
])('a page of $origin, and Host $host: $status', async ({ origin, host, status }) => {
  const { port } = world.url;
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'X-API-KEY': ACME,
    Host: host ?? `127.0.0.1:${port}`,
    ...(origin === undefined ? {} : { Origin: origin === 'own' ? `http://127.0.0.1:${port}` : origin }),
  };
  const sent = request({ port, method: 'POST', path: '/mcp', headers });
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(status);
});

test('compressed responses with equal rows are not exchanged', async () => {
  const send = async (key: string, id: number, name: string): Promise<{ id: number; text: string }> => {
    const response = await fetch(world.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Accept-Encoding': 'gzip',
        'X-API-KEY': key,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: { a: 'x'.repeat(3000) } },
      }),
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('etag')).toBeNull();
    const text = await response.text();
    return { id: (JSON.parse(text) as { id: number }).id, text };
  };
  const file = (n: number): string =>
    `id: 4a1f6f52-2f4a-4e0b-8d55-0b8c1f0f283${n}\nname: twins.n${n}\ndescription: Twin ${n}.\nquery: SELECT @a AS a, @only_${n} AS b, number FROM numbers(500)\nparameters: { a: { type: String, default: x }, only_${n}: { type: String, default: x } }\ncache: { ttl: 600 }\nmax_rows: 500\nunknown_parameters: ignore\n`;
  for (const n of [1, 2]) await writeEndpoint(world, `twins.${n}`, file(n));
  await world.service.reload();
  const [one, two] = [await send(KEY, 11, 'twins_n1'), await send(KEY, 22, 'twins_n2')];
  expect([one.id, two.id]).toEqual([11, 22]);
  expect(one.text).toContain('only_1');
  expect(two.text).toContain('only_2');
  expect(two.text).not.toContain('only_1');
});

test('a key’s rate covers repeated calls of cached endpoints', async () => {
  const client = await world.connect(RATED);
  const asked = await Promise.all(Array.from({ length: 12 }, () => ask(client, 'parcels_by-depot', {})));
  expect(asked.filter(({ isError }) => !isError).length).toBeLessThanOrEqual(10);
  expect(asked.at(-1)).toMatchObject({ isError: true, text: expect.stringContaining('rate.exceeded') });
});

test('a call that the client cancels ends its query', async () => {
  const gate = await startGate();
  await writeEndpoint(world, 'gated', `id: 4a1f6f52-2f4a-4e0b-8d55-0b8c1f0f2810\nname: gated\nquery: SELECT passed FROM ${gate.table}\n`);
  await world.service.reload();
  const left = () => world.observed.filter((each) => each.kind === 'request.finished' && each.status === 499);
  // Before the last revision, a request is canceled by closing its connection.
  const ways: Readonly<Record<string, (client: Client, controller: AbortController) => unknown>> = {
    '2025-11-25': (client) => client.close(),
    [LATEST]: (_client, controller) => controller.abort('no longer needed'),
  };
  for (const [index, revision] of (['2025-11-25', LATEST] as const).entries()) {
    const client = await world.connect(GATED, revision);
    const before = gate.arrived();
    const controller = new AbortController();
    const called = client.callTool({ name: 'gated', arguments: {} }, { signal: controller.signal });
    await gate.reached(before + 1);
    void ways[revision]?.(client, controller);
    await expect(called).rejects.toThrow(/abort|closed|no longer needed/i);
    await eventually(() => expect([revision, left().length]).toEqual([revision, index + 1]));
  }
  gate.open();
  const client = await world.connect(GATED);
  expect(rowsOf(await ask(client, 'gated'))).toEqual([{ passed: 1 }]);
  await gate.close();
}); // prettier-ignore

test('the list of tools is at most 8 KB with hundreds of endpoints', async () => {
  const file = (n: number): string =>
    `id: 4a1f6f52-2f4a-4e0b-8d55-${n.toString().padStart(12, '0')}\nname: many.n${n}\ndescription: ${'Word '.repeat(40)}${n}.\nquery: SELECT ${n} AS n, @a AS a\nparameters: { a: { type: String, default: x, description: ${'A parameter '.repeat(10)} } }\n`;
  await Promise.all(Array.from({ length: sizeOf(400, 1000) }, (_, n) => writeEndpoint(world, `many.${n}`, file(n))));
  await world.service.reload();
  const client = await world.connect(MANY);
  const list = await client.listTools();
  expect(list.tools.map(({ name }) => name).toSorted()).toEqual(['call_endpoint', 'describe_endpoint', 'find_endpoints']);
  expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThanOrEqual(8192);
  const resources = await client.listResources();
  expect(Buffer.byteLength(JSON.stringify(resources))).toBeLessThanOrEqual(65_536);
  const found = await ask(client, 'find_endpoints', { query: 'many.n377' });
  expect(found.text).toContain('many_n377(');
  const described = await ask(client, 'describe_endpoint', { name: 'many_n377' });
  expect(described.text).toContain('A parameter');
  expect(rowsOf(await ask(client, 'call_endpoint', { name: 'many_n377', arguments: { a: 'y' } }))).toEqual([{ n: 377, a: 'y' }]);
  // What is not the key's does not exist here either.
  const absent = await ask(client, 'call_endpoint', { name: 'parcels_find', arguments: {} });
  expect(absent).toMatchObject({ isError: true, text: expect.not.stringContaining('Parcels in one state') });
  expect((await ask(client, 'find_endpoints', { query: 'parcels depot' })).text).toMatch(/^0 endpoints/);
}); // prettier-ignore
