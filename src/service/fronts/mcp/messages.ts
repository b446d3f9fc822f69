// What is read of a request's messages before the protocol library parses them.
import { Problem } from '../../../sql/base/problem.ts';

type Message = Readonly<Record<string, unknown>>;

/** Messages of one request: arrays are part of the revision 2025-03-26 only. */
const MAX_BATCH = 20;
const BATCH_REVISION = '2025-03-26';
const VERSION_FIELD = 'mcp-protocol-version';

/** Methods that count when they are handled: as calls, or by the calls that they cause. */
const COUNTED_WHEN_HANDLED: ReadonlySet<unknown> = new Set([
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

export interface Messages {
  readonly all: readonly Message[];
  /** The message of a request without an array. */
  readonly single: Message | undefined;
  /** It is true if a message counts against the rate limits when it is received. */
  readonly countOnReceipt: boolean;
  /** It is true if a message asks for progress notifications. */
  readonly wantsProgress: boolean;
}

/** Reads the parsed body of a request. Throws Problem for too many messages. */
export function readMessages(body: unknown, headers: Readonly<Record<string, string>>): Messages {
  const list: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (Array.isArray(body)) checkBatch(list.length, headers[VERSION_FIELD]);
  const all = list.map(objectOf);
  return {
    all,
    single: Array.isArray(body) ? undefined : all[0],
    countOnReceipt: all.some(({ method }) => !COUNTED_WHEN_HANDLED.has(method)),
    wantsProgress: all.some((message) => metaOf(message)['progressToken'] !== undefined),
  };
}

function checkBatch(length: number, version: string | undefined): void {
  if (version !== undefined && version !== BATCH_REVISION) {
    const detail = `Arrays of messages are not part of the revision ${version.slice(0, 20)}`;
    throw new Problem('request.body_invalid', { detail, hint: 'Send one message per request.' });
  }
  if (length <= MAX_BATCH) return;
  const detail = `The array has more than ${MAX_BATCH} messages`;
  throw new Problem('request.body_invalid', { detail, hint: 'Send fewer messages in one request.' });
}

/** `params._meta` of a message; empty if it has none. */
export function metaOf({ params }: Message): Message {
  return objectOf(objectOf(params)['_meta']);
}

/** The value, if it is an object. */
export function objectOf(value: unknown): Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return value as Message; // a JSON object
}
