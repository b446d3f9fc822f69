// MCP over HTTP as a client sees it: the methods of the protocol.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function send(message: object): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.service.address}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${KEY}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
  return { status: response.status, text: await response.text() };
}

test('initialize, tools/list', async () => {
  const initialize = await send({
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  expect(initialize.status).toBe(200);
  expect(initialize.text).toContain('"millrace"');
  expect((await send({ method: 'tools/list' })).text).toContain('"name":"logs_all"');
});
