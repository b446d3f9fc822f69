// MCP over HTTP as a client sees it: the methods of the protocol.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function send(
  message: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: object }> {
  const response = await fetch(`${service.service.address}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${KEY}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  return {
    status: response.status,
    text: await response.text(),
    headers: Object.fromEntries(response.headers),
  };
}

test('initialize, tools/list', async () => {
  const initialize = await send({
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  console.log(initialize);
  expect(initialize.status).toBe(200);
  expect(initialize.text).toContain('"millrace"');
  console.log(await send({ method: 'tools/list' }));
  console.log(await send({ method: 'tools/call', params: { name: 'describe_tables', arguments: {} } }));
  console.log(await send({ method: 'tools/call', params: { name: 'nothing', arguments: {} } }));
  console.log(
    await send({
      method: 'tools/call',
      params: {
        name: 'query',
        arguments: { endpoint: 'logs.all', sql: 'SELECT 1' },
        _meta: { progressToken: 5 },
      },
    }),
  );
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  console.log(
    await send(
      {
        method: 'tools/call',
        params: { name: 'query', arguments: { endpoint: 'logs.all', sql: 'SELECT 1' }, _meta: meta },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'query' },
    ),
  );
  console.log(
    await send(
      { method: 'server/discover', params: { _meta: meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
    ),
  );
  console.log(
    await send(
      { method: 'subscriptions/listen', params: { _meta: meta, notifications: {} } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    ),
  );
  console.log(await send({ method: 'tools/list' }, { Authorization: 'Bearer no' }));
  console.log(service.observed.slice(-3));
});
