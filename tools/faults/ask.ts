// Sends one HTTP request and classifies the outcome: a complete response, none, or one cut off after its header.
import { request as httpRequest, type Agent, type IncomingHttpHeaders } from 'node:http';

export interface Asked {
  readonly kind: 'whole' | 'none' | 'broken';
  /** 0 if there was no response. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly ms: number;
}

export interface Wish {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Disconnects the caller. */
  readonly signal?: AbortSignal;
  readonly agent?: Agent;
}

/** Longer than any request may take. */
const PATIENCE_MS = 60_000;

/** Never rejects. */
export function ask(url: string, { body, agent, ...wish }: Wish = {}): Promise<Asked> {
  const started = performance.now();
  const signal = AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ...(wish.signal ? [wish.signal] : [])]);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const settle = (kind: Asked['kind']): void =>
      resolve({ kind, status, headers, body: Buffer.concat(parts), ms: performance.now() - started });
    const fail = (): void => settle(status === 0 ? 'none' : 'broken');
    const options = {
      method: wish.method ?? 'GET',
      headers: wish.headers ?? {},
      signal,
      ...(agent && { agent }),
    };
    const request = httpRequest(url, options, (response) => {
      status = response.statusCode ?? 0;
      headers = response.headers;
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => settle(response.complete ? 'whole' : 'broken'));
      response.on('error', fail);
    });
    request.on('error', fail).end(body);
  });
}

/** The outcome as a key for counting: `200`, `none` or `200 broken`. */
export function statusOf({ kind, status }: Asked): string {
  return kind === 'whole' ? String(status) : kind === 'none' ? 'none' : `${status} broken`;
}
