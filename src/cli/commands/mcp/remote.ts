// The MCP route of a running service, for the messages of one client.
import { chunksOf } from '../../kit/response-chunks.ts';
import type { ServiceAddress } from '../../kit/service-client.ts';
import { readLines } from './lines.ts';

/** A message, or an array of messages, as parsed. */
export type Message = Readonly<Record<string, unknown>>;

export interface Remote {
  /** Sends a message and writes what the service replies. Rejects if there is no reply. */
  readonly send: (message: Message, signal: AbortSignal) => Promise<void>;
}

interface RemoteOptions {
  /** Of this program. */
  readonly version: string;
  readonly write: (message: unknown) => void;
}

const ENVELOPE = 'io.modelcontextprotocol/';

export function createRemote({ url, key }: ServiceAddress, { version, write }: RemoteOptions): Remote {
  /** Of the client and of the revision, once it has initialized. */
  let client = '';
  let negotiated: string | undefined;

  const headersOf = (message: Message): Record<string, string> => {
    const { method } = message;
    const params = objectOf(message['params']);
    const meta = objectOf(params['_meta']);
    const name = params['name'] ?? params['uri'];
    const claimed = meta[`${ENVELOPE}protocolVersion`];
    const revision = claimed ?? (method === 'initialize' ? undefined : negotiated);
    const info = objectOf(params['clientInfo'] ?? meta[`${ENVELOPE}clientInfo`]);
    if (typeof info['name'] === 'string') client = ` (${plain(info['name'])})`;
    return {
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      'User-Agent': `millrace/${version}${client}`,
      ...(key === undefined ? {} : { 'X-API-KEY': key }),
      ...(typeof revision === 'string' ? { 'MCP-Protocol-Version': plain(revision) } : {}),
      ...(claimed === undefined ? {} : { 'Mcp-Method': plain(String(method)) }),
      ...(claimed === undefined || typeof name !== 'string' ? {} : { 'Mcp-Name': encoded(name) }),
    };
  };

  const receive = (message: Message, reply: unknown): void => {
    const { id, method } = message;
    const received = objectOf(reply);
    if (method === 'initialize') {
      const revision = objectOf(received['result'])['protocolVersion'];
      if (typeof revision === 'string') negotiated = revision;
    }
    // A request that is rejected before its body is read has no id in the reply.
    const isRejected = received['id'] === null && received['error'] !== undefined;
    if (isRejected && id === undefined) throw new Error(String(objectOf(received['error'])['message']));
    write(isRejected ? { ...received, id } : reply);
  };

  return {
    send: async (message, signal) => {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: headersOf(message),
        body: JSON.stringify(message),
        redirect: 'error', // the key is for this address alone
        signal,
      }).catch((cause: unknown) => {
        throw new Error(`The service at ${url} cannot be reached: ${reasonOf(cause)}`, { cause });
      });
      if (response.body === null || response.status === ACCEPTED) return response.body?.cancel();
      const type = response.headers.get('content-type') ?? '';
      const isStream = type.startsWith('text/event-stream');
      if (!isStream && !type.startsWith('application/json'))
        throw new Error(
          `The service at ${url} does not serve MCP: it replied with status ${response.status}`,
        );
      const lines: string[] = [];
      for await (const line of readLines(chunksOf(response, signal))) {
        if (!isStream) lines.push(line);
        else if (line.startsWith(DATA)) receive(message, JSON.parse(line.slice(DATA.length)));
      }
      if (lines.length > 0) receive(message, JSON.parse(lines.join('\n')));
    },
  };
}

const DATA = 'data: ';
/** The reply to a notification, which has no body and so no type. */
const ACCEPTED = 202;

/** Characters that a header field can hold. */
function plain(text: string): string {
  return text.replaceAll(/[^ -~]/g, '').slice(0, 200);
}

/** Names that a header field cannot hold are encoded as the specification says. */
function encoded(name: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(name) && !name.startsWith('=?')) return name;
  return `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** What undici reports of a failed request is in the cause of its error. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error && cause.cause.message !== '' ? cause.cause.message : cause.message;
}

function objectOf(value: unknown): Message {
  return typeof value === 'object' && value !== null ? (value as Message) : {}; // only read by name
}
