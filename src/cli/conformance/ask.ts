// Sends queries to an endpoint of a service.
import { setTimeout } from 'node:timers/promises';
import type { Answered } from './outcome.ts';
import type { ConformanceQuery } from './queries.ts';
import type { Ask } from './run.ts';

export interface Target {
  /** Base URL of the service, without a trailing slash. */
  readonly url: string;
  /** Undefined: no key is sent. */
  readonly key: string | undefined;
  /** Name or UUID. */
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** For queries in SQL that name none; undefined: detected by the service. */
  readonly dialect: string | undefined;
  /** Per query. */
  readonly timeoutMs: number;
}

/** 10,000 rows of a megabyte each are not to end this process. */
const MAX_BODY_BYTES = 256 * 2 ** 20;
/** Waits for a rate limit or a full queue: at most as often, and as long each time. */
const MAX_WAITS = 20;
const MAX_WAIT_SECONDS = 60;

/** Follows no redirect: the key goes to this service only. */
export function createAsk(target: Target): Ask {
  const { url, endpoint } = target;
  const path = `${url}/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  const send = async (
    query: ConformanceQuery,
  ): Promise<{ readonly answered: Answered; readonly wait: number }> => {
    const response = await fetch(path, {
      method: 'POST',
      redirect: 'error',
      headers: {
        ...(target.key === undefined ? {} : { 'X-API-KEY': target.key }),
        Accept: 'application/json',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(fieldsOf(query, target)),
      signal: AbortSignal.timeout(target.timeoutMs),
    });
    const body = await readBody(response);
    return { answered: answeredOf(response, body), wait: Number(response.headers.get('retry-after') ?? '0') };
  };
  return async (query) => {
    try {
      for (let waits = 0; ; waits++) {
        const { answered, wait } = await send(query);
        const isFull = answered.status === 429 || answered.status === 503;
        if (!isFull || waits === MAX_WAITS || !(wait > 0 && wait <= MAX_WAIT_SECONDS)) return answered;
        await setTimeout(wait * 1000);
      }
    } catch (cause) {
      return { ...NOTHING, ...failureOf(cause) };
    }
  };
}

const NOTHING: Answered = {
  status: 0,
  code: undefined,
  message: undefined,
  location: undefined,
  hint: undefined,
  dialect: undefined,
  result: undefined,
};

/** What is sent; a query's own parameters take precedence over the command's. */
function fieldsOf(query: ConformanceQuery, target: Target): Readonly<Record<string, unknown>> {
  const { language, text, parameters } = query;
  const dialect = query.dialect ?? target.dialect;
  const chosen = language === 'lql' || dialect === undefined ? {} : { dialect };
  return { ...target.parameters, ...parameters, ...chosen, [language]: text };
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new Error(`the response is larger than ${MAX_BODY_BYTES / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function answeredOf({ status, headers }: Response, body: string): Answered {
  const document = parsed(body);
  const dialect = headers.get('millrace-dialect') ?? undefined;
  const { result } = document;
  if (status === 200 && Array.isArray(result)) return { ...NOTHING, status, dialect, result };
  const details = Array.isArray(document['errors'])
    ? (document['errors'] as readonly unknown[]).map(detailOf)
    : [];
  const located = details.find(({ line }) => line !== undefined);
  const messages = details.length > 0 ? details.map(({ message }) => message) : [document['detail']];
  return {
    ...NOTHING,
    status,
    dialect,
    code: textOf(document['code']) ?? (status === 200 ? 'invalid_response' : undefined),
    message: [...new Set(messages.flatMap((each) => textOf(each) ?? []))].join(': ') || `status ${status}`,
    location: located?.line === undefined ? undefined : { line: located.line, column: located.column ?? 1 },
    hint: textOf(document['hint']),
  };
}

/** An object, empty if the body is none. */
function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}; // only read by name
  } catch {
    return {};
  }
}

interface Detail {
  readonly message: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

function detailOf(value: unknown): Detail {
  const { message, line, column } = (value ?? {}) as Readonly<Record<string, unknown>>; // only read by name
  return { message: textOf(message), line: numberOf(line), column: numberOf(column) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** Why there was no response. */
function failureOf(cause: unknown): Pick<Answered, 'code' | 'message'> {
  if (!(cause instanceof Error)) throw cause;
  if (cause.name === 'TimeoutError') return { code: 'timeout', message: 'no response within --timeout' };
  const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
  return { code: 'unreachable', message: `the service cannot be reached: ${reason}` };
}
