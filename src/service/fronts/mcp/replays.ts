// Results of tools that are repeated while the cached answer they were made of is: neither the protocol library nor the
// request path runs again. The counterpart of the cached fast path of the API.
import { hash } from 'node:crypto';
import { createLru } from '../../../sql/base/lru.ts';
import type { Answer, CallRecord, Replay } from '../../request/call.ts';
import type { McpRequest } from './call.ts';
import { metaOf, objectOf } from './messages.ts';

type Message = Readonly<Record<string, unknown>>;

interface ReplayEntry {
  readonly replay: Replay;
  /** The answer without its body. */
  readonly answer: Answer;
  readonly labels: CallRecord['labels'];
  /** The result as JSON and the end of the reply, in bytes: encoding them is most of the cost of a reply. */
  readonly rest: Buffer;
}

export interface Replays {
  /** The reply to a repeated call; undefined if it has to be made. */
  readonly find: (id: ReplayId) => Promise<Buffer | undefined>;
  /** Remembers the reply to a call that was made of these answers, if it can be repeated. */
  readonly remember: (id: ReplayId, answers: readonly Answer[], reply: string) => void;
}

/** A call that may be repeated. */
export interface ReplayId {
  readonly digest: string;
  readonly id: string | number;
  readonly exchange: McpRequest['exchange'];
}

/** Characters of the digest's input: longer calls are not remembered. */
const MAX_TEXT = 65_536;
const ENVELOPE = 'io.modelcontextprotocol/';

/** `bytes`: maximum total size of the results. */
export function createReplays(bytes: number): Replays {
  const entries = createLru<ReplayEntry>({
    size: Math.max(1, Math.floor(bytes)),
    sizeOf: ({ rest }) => rest.length + OVERHEAD,
  });
  return {
    find: async ({ digest, id, exchange }) => {
      const entry = entries.get(digest);
      const found = await entry?.replay();
      if (entry === undefined || found === undefined || found.entry.etag !== entry.answer.etag)
        return undefined;
      const limits = await entry.answer.admitAgain();
      if (limits === undefined) return undefined;
      exchange.record.endpoint = entry.answer.endpoint;
      if (entry.labels !== undefined) exchange.record.labels = entry.labels;
      exchange.answered({ ...entry.answer, outcome: found.outcome });
      const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
      return Buffer.concat([Buffer.from(start), entry.rest]);
    },
    remember: ({ digest, exchange }, answers, reply) => {
      const [answer, second] = answers;
      if (answer?.replay === undefined || second !== undefined) return;
      if (answer.dataAge !== undefined) return; // the text has it, and it grows
      const { result } = objectOf(JSON.parse(reply));
      if (result === undefined || objectOf(result)['isError'] === true) return;
      const { labels } = exchange.record;
      const { replay } = answer;
      entries.set(digest, {
        replay,
        labels,
        answer: { ...answer, body: EMPTY },
        rest: Buffer.from(`${JSON.stringify(result)}}`),
      });
    },
  };
}

const EMPTY = Buffer.alloc(0);
/** Bytes of an entry besides its result. */
const OVERHEAD = 500;

/**
 * Identifies a call by everything that its result depends on, including the key: no key is stored. Undefined for requests
 * that are not remembered.
 */
export function replayIdOf(message: Message, { headers, exchange }: McpRequest): ReplayId | undefined {
  const { jsonrpc, id, method } = message;
  const { key, options } = exchange;
  const { redact, labels, reservation, directives } = options;
  if (method !== 'tools/call' || jsonrpc !== '2.0' || (typeof id !== 'string' && !isInteger(id)))
    return undefined;
  if (directives.noCache || directives.onlyIfCached || directives.maxAge !== undefined) return undefined;
  const { name, arguments: args } = objectOf(message['params']);
  const envelope = Object.entries(metaOf(message)).filter(([name]) => name.startsWith(ENVELOPE));
  const text = JSON.stringify([key, redact, labels, reservation, headers, envelope, name, args]);
  if (text.length > MAX_TEXT || hasInfinity(args)) return undefined;
  return { digest: hash('sha256', text, 'base64url'), id, exchange };
}

function isInteger(id: unknown): id is number {
  return Number.isSafeInteger(id);
}

/** JSON writes numbers that are too large as null. */
function hasInfinity(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInfinity);
}
