// Sends single MCP messages over HTTP as they are, for tests of what clients do not send.
import { KEY } from '../../../support/service.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined: no JSON. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Sends a message with `jsonrpc` and `id: 1`, or a body as it is. */
export type Sender = (message: object | string, headers?: Readonly<Record<string, string>>) => Promise<Reply>;

export function createSender(address: string): Sender {
  return async (message, headers = {}) => {
    const isMessage = typeof message === 'object' && !Array.isArray(message);
    const body = isMessage ? { jsonrpc: '2.0', id: 1, ...message } : message;
    const response = await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${KEY}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parse(text) };
  };
}

function parse(text: string): Reply['body'] {
  try {
    return JSON.parse(text) as Reply['body'];
  } catch {
    return undefined;
  }
}

export const MODERN = '2026-07-28';

/** A message of the revision 2026-07-28, and its header fields. */
export function modern(
  method: string,
  params: Readonly<Record<string, unknown>>,
  meta: object = {},
): [object, Readonly<Record<string, string>>] {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'mcp-inspector', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { name } = params;
  return [
    { method, params: { ...params, _meta: { ...envelope, ...meta } } },
    {
      'MCP-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}),
    },
  ];
}
