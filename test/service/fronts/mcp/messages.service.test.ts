// Generated and malformed messages to /mcp: each gets a well-formed response, none shows anything of others, and the service goes on.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../support/any-character.ts';
import { runs, some } from '../../../support/runs.ts';
import { ACME, LATEST, REVISIONS, startMcpWorld, type Connected } from './world/world.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
const MAX_BODY = 2 ** 20;

let world: Connected;
beforeAll(async () => {
  world = await startMcpWorld();
});
afterAll(() => world.stop());

interface Seen {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function send(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
  const response = await fetch(world.url, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'X-API-KEY': ACME, ...headers },
    signal: AbortSignal.timeout(60_000),
  });
  const type = response.headers.get('Content-Type') ?? '';
  return { status: response.status, type, text: await response.text() };
} // prettier-ignore

/** The messages of a response, whichever form it has. */
function messagesOf({ type, text }: Seen): readonly unknown[] {
  if (text === '') return [];
  if (!type.startsWith('text/event-stream')) return [JSON.parse(text)].flat();
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as unknown] : []));
} // prettier-ignore

/** A response, error or notification of JSON-RPC, or a problem of the service. */
function isWellFormed(message: unknown): boolean {
  if (typeof message !== 'object' || message === null) return false;
  if ('jsonrpc' in message)
    return message.jsonrpc === '2.0' && ('result' in message || 'error' in message || 'method' in message);
  return 'code' in message && 'status' in message && typeof message.code === 'string';
}

/** What of a response must not be. */
function faultsOf(sent: string | Uint8Array, seen: Seen): readonly string[] {
  const leak = /CANARY|margins_zzz|node_modules|\bat \S+ \(/.exec(seen.text)?.[0];
  const messages = messagesOf(seen).filter((each) => !isWellFormed(each));
  return [
    ...(seen.status >= 500 && seen.status !== 503 ? [`status ${seen.status}`] : []),
    ...(leak === undefined || String(sent).includes(leak) ? [] : [`has ${leak}`]),
    ...messages.map((each) => `no message: ${JSON.stringify(each)}`),
  ];
}

const META = {
  'io.modelcontextprotocol/protocolVersion': LATEST,
  'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = { 'MCP-Protocol-Version': LATEST };
const message = (method: string, params: unknown = {}, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;

describe('malformed', () => {
  const bodies: readonly (readonly [why: string, body: string | Uint8Array])[] = [
    ['nothing', ''],
    ['no JSON', 'tools/list'],
    ['half of a message', message('tools/list').slice(0, -3)],
    ['two messages', message('tools/list') + message('tools/list')],
    ['a byte order mark', `\ufeff${message('tools/list')}`],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from(message('tools/list'), 'utf16le')],
    ['NUL', '\0'.repeat(1000)],
    ['null', 'null'],
    ['a number', '1'],
    ['a string', '"tools/list"'],
    ['an empty object', '{}'],
    ['an empty batch', '[]'],
    ['a batch', `[${message('tools/list')},${message('ping', {}, 2)}]`],
    ['a batch of what is no message', '[1,"a",null,[],{}]'],
    ['a large batch', `[${Array.from({ length: 5000 }, (_, n) => message('ping', {}, n)).join(',')}]`],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
    ['no version', '{"id":1,"method":"tools/list"}'],
    ['no method', '{"jsonrpc":"2.0","id":1}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}'],
    ['a long method', message('x'.repeat(100_000))],
    ['a method of Object', message('__proto__')],
    ['another method of Object', message('constructor')],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}'],
    ['a response and a request', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}'],
    ['an id that is null', message('tools/list', {}, null)],
    ['an id that is an object', message('tools/list', {}, { a: 1 })],
    ['an id that is a fraction', message('tools/list', {}, 1.5)],
    ['a large id', '{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}'],
    ['a long id', message('tools/list', {}, 'x'.repeat(100_000))],
    ['params that are an array', message('tools/list', [1])],
    ['params that are a string', message('tools/list', 'x')],
    ['duplicate keys', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/call","params":{"name":"a","name":"b"}}'],
    ['duplicate keys of arguments', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"client":"acme","client":"globex","sql":"SELECT * FROM parcels"}}}`],
    ['__proto__', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"__proto__":{"client":"globex","endpoint":"private.margins-zzz"}},"__proto__":{"name":"x"}},"__proto__":{"method":"x"}}'],
    ['constructor.prototype', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"constructor":{"prototype":{"client":"globex"}}}}}'],
    ['depth', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"x":${nested(100_000)}}}}`],
    ['depth of the message', nested(400_000)],
    ['objects in objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['many keys', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":${members(60_000)}}}`],
    ['a large number', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"x":${'9'.repeat(200_000)}}}}`],
    ['a long string', message('tools/call', { name: 'query', arguments: { sql: 'x'.repeat(900_000) } })],
    ['too much', ' '.repeat(MAX_BODY + 1)],
    ['surrogates', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800","arguments":{"sql":"\\udfff"}}}'],
  ]; // prettier-ignore

  /** With and without a revision, or one of the two. */
  const headersOf = (index: number) => some(index % 2 === 0 ? [{}, modern] : [modern, {}], 2);

  test.each(bodies.map(([why, body], index) => [why, body, index] as const))(
    '%s',
    async (_why, body, index) => {
      for (const headers of headersOf(index)) {
        const seen = await send(body, headers);
        expect([seen.text, ...faultsOf(body, seen)]).toEqual([seen.text]);
      }
    },
  );

  test('header fields', async () => {
    const body = message('tools/list', { _meta: META });
    for (const headers of [
      { 'Content-Type': 'text/plain' },
      { 'Content-Type': 'application/json; charset=utf-16' },
      { 'Content-Type': '' },
      { Accept: 'text/html' },
      { Accept: 'application/json' },
      { 'MCP-Protocol-Version': 'x'.repeat(5000) },
      { 'MCP-Protocol-Version': '1999-01-01' },
      { 'MCP-Protocol-Version': LATEST, 'Mcp-Method': 'tools/call' },
      { 'MCP-Protocol-Version': LATEST, 'Mcp-Name': 'query' },
      { 'Mcp-Session-Id': '../../etc/passwd' },
      { 'Last-Event-ID': '1' },
      { 'Content-Encoding': 'gzip' },
    ]) {
      const seen = await send(body, headers);
      expect([headers, seen, ...faultsOf(body, seen)]).toEqual([headers, seen]);
    }
  });

  test('methods of HTTP', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'QUERY']) {
      const response = await fetch(world.url, { method, headers: { 'X-API-KEY': ACME, Accept: 'text/event-stream' }, signal: AbortSignal.timeout(60_000) });
      expect([method, response.status]).toEqual([method, expect.toSatisfy((status: number) => status < 500)]);
      await response.body?.cancel();
    }
  }); // prettier-ignore
});

const METHODS = [
  'initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read', 'resources/subscribe',
  'prompts/list', 'prompts/get', 'completion/complete', 'logging/setLevel', 'subscriptions/listen', 'tasks/get', 'sampling/createMessage', 'roots/list',
  'notifications/initialized', 'notifications/cancelled', 'notifications/progress', 'rpc.discover', '',
] as const; // prettier-ignore
const NAMES = [
  'query', 'explain', 'describe_tables', 'find_endpoints', 'describe_endpoint', 'call_endpoint', 'parcels_by-depot', 'parcels.by-depot', 'parcels_find', 'feedback_recent',
  'fleet_explore', 'private_margins-zzz', 'private.margins-zzz', 'hidden_from-agents', 'hidden.from-agents', '__proto__', 'constructor', 'toString', '',
] as const; // prettier-ignore
const KEYS = [
  'endpoint', 'sql', 'lql', 'dialect', 'client', 'state', 'limit', 'since', 'table', 'name', 'format', 'parameters', 'arguments', 'cursor', 'uri', 'max_rows',
  'text', 'search', '_meta', '__proto__', 'constructor', 'toJSON',
] as const; // prettier-ignore

const scalar = fc.oneof(
  fc.constantFrom<unknown>('', 'acme', 'globex', 'fleet.explore', 'private.margins-zzz', 'hidden.from-agents', 'SELECT 1', 'SELECT * FROM parcels', 'SELECT * FROM fleet.secrets', 'f:parcels', 'lost', 'millrace://endpoints', '../..', 'file:///etc/passwd', null, true, 0, -1, 1e308, 2 ** 53, '2024-03-01', '\0', '\u2028', 'x'.repeat(3000)),
  fc.string({ maxLength: 20, unit: anyCharacter }),
  fc.double(),
); // prettier-ignore
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'v' },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 6 })), tie('any'), {
      maxKeys: 4,
    }),
  ),
})).any;
const args = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 4 });
const params = fc.oneof(
  fc.record({ name: fc.constantFrom(...NAMES), arguments: args }, { requiredKeys: [] }),
  fc.record({ uri: fc.oneof(fc.constantFrom('millrace://guide/sql', 'millrace://endpoints/fleet.explore', 'millrace://endpoints/private.margins-zzz', 'file:///etc/passwd', '\0'), fc.webUrl()), arguments: args }),
  fc.record({ ref: fc.record({ type: fc.constantFrom('ref/prompt', 'ref/resource'), name: fc.constantFrom(...NAMES) }), argument: fc.record({ name: fc.constantFrom(...KEYS), value: fc.string() }) }),
  value,
); // prettier-ignore
const id = fc.oneof(
  fc.nat(),
  fc.string({ maxLength: 5 }),
  fc.constantFrom<unknown>(null, 1.5, true, {}, [], undefined),
);
const revision = fc.constantFrom(...REVISIONS, undefined);
const anything = fc.record({
  method: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...METHODS) }, fc.string({ maxLength: 12 })),
  params,
  id,
  revision,
  hasMeta: fc.boolean(),
});
/** Calls of tools that reach them. */
const calls = fc.record({
  method: fc.constant('tools/call'),
  params: fc.record({ name: fc.constantFrom(...NAMES), arguments: args }),
  id: fc.nat(),
  revision: fc.constantFrom('2025-06-18' as const, undefined),
  hasMeta: fc.constant(false),
});
const request = fc.oneof(anything, calls);

test('generated', { timeout: 3_600_000 }, async () => {
  const outcomes = new Map<string, number>();
  const check = fc.asyncProperty(request, async ({ method, params: given, id: number, revision: sentRevision, hasMeta }) => {
    const sent = hasMeta && typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given, _meta: META } : given;
    // A stream of changes never ends.
    if (method === 'subscriptions/listen' && hasMeta) return;
    const body = JSON.stringify({ jsonrpc: '2.0', id: number, method, params: sent });
    const seen = await send(body, sentRevision === undefined ? {} : { 'MCP-Protocol-Version': sentRevision });
    expect([body, seen, ...faultsOf(body, seen)]).toEqual([body, seen]);
    const outcome = /"isError":true/.test(seen.text) ? 'isError' : /"result":/.test(seen.text) ? 'result' : 'error';
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }); // prettier-ignore
  await fc.assert(check, { seed: SEED, numRuns: runs(125, 250), endOnFailure: true });
  // Messages that are all rejected would prove nothing.
  for (const outcome of ['result', 'isError', 'error'])
    expect([outcome, outcomes.get(outcome) ?? 0]).toEqual([outcome, expect.toSatisfy((n: number) => n > 3)]);
});
