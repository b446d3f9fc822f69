// Sends a request by HTTP to an address that was checked. Redirects are not followed; the response is read up to a bound, and dropped.
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { After } from '../../sql/base/clock.ts';
import { addressOf, type Address, type AddressOptions } from './address.ts';
import { ChannelError } from './channel-error.ts';

export interface PostDeps extends AddressOptions {
  readonly after: After;
  /** Trusted certificates in PEM besides those of Node.js; for tests. */
  readonly certificate?: string | undefined;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE = 64 * 1024;
const MAX_RETRY_AFTER = 3600;

/** Resolves after a response of the class 2xx. Rejects with ChannelError. */
export async function post(deps: PostDeps, { url, headers, body }: Post): Promise<void> {
  const target = targetOf(url, deps.inside);
  const address = await addressOf(target.hostname, deps);
  const { status, retryAfter } = await exchange(deps, { target, address, headers, body });
  if (status >= 200 && status < 300) return;
  const why = status >= 300 && status < 400 ? 'a redirect, which is not followed' : `the status ${status}`;
  throw new ChannelError(`The response of the channel is ${why}`, { retryAfter });
}

function targetOf(url: string, inside: boolean): URL {
  if (!URL.canParse(url)) throw new ChannelError('The URL of the channel cannot be read');
  const target = new URL(url);
  const isAllowed = target.protocol === 'https:' || (target.protocol === 'http:' && inside);
  if (!isAllowed) throw new ChannelError('The URL of the channel begins with https, or has inside: true');
  if (target.username !== '' || target.password !== '')
    throw new ChannelError('The URL of the channel has a user or a password, which are not sent');
  return target;
}

interface Exchange extends Pick<Post, 'headers' | 'body'> {
  readonly target: URL;
  readonly address: Address;
}

interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: number | undefined;
}

function exchange(
  { after, certificate }: PostDeps,
  { target, address, headers, body }: Exchange,
): Promise<HttpAnswer> {
  const lookup: LookupFunction = (_host, options, callback) => {
    if (options.all === true) callback(null, [address]);
    else callback(null, address.address, address.family);
  };
  const bytes = Buffer.from(body);
  const options: RequestOptions & { ca?: string } = {
    method: 'POST',
    agent: false, // no connection is shared: each is made to an address that was checked for it
    lookup,
    headers: { ...headers, 'Content-Length': bytes.length, 'User-Agent': 'millrace' },
    ...(certificate === undefined ? {} : { ca: certificate }),
  };
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(target, options, (response) => {
      drain(response, () => request.destroy());
      response.once('error', () => undefined); // the status is known
      resolve({ status: response.statusCode ?? 0, retryAfter: secondsOf(response.headers['retry-after']) });
    });
    const cancel = after(TIMEOUT_MS, () =>
      request.destroy(new ChannelError(`The channel does not respond within ${TIMEOUT_MS / 1000} s`)),
    );
    request.once('close', cancel);
    request.once(
      'error',
      (cause) =>
      reject(cause instanceof ChannelError ? cause : new ChannelError('The channel cannot be reached', { cause })), // prettier-ignore
    );
    request.end(bytes);
  });
}

/** Reads a response up to a bound, so that its sender sees that it was read. */
function drain(response: IncomingMessage, cut: () => void): void {
  let left = MAX_RESPONSE;
  response.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) cut();
  });
}

function secondsOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Math.min(Number(text), MAX_RETRY_AFTER) : undefined;
}
