// The streams that `millrace query --live` reads: of a running service, or of this process.
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../../service/config/settings.ts';
import type { Observe } from '../../../sql/base/observation.ts';
import { Problem } from '../../../sql/base/problem.ts';
import { localCall, type Call } from '../../../service/request/call.ts';
import type { LiveStream } from '../../../service/fronts/live/stream.ts';
import { CommandError } from '../../kit/command-error.ts';
import { withLocal, type LocalDeps } from '../../kit/local.ts';
import {
  NoResponseError,
  problemIn,
  streamService,
  type ServiceAddress,
  type ServiceResponse,
} from '../../kit/service-client.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { follow, LostError, type Connect, type FollowOptions } from './live.ts';
import { localError, rejectionIn } from './problem-error.ts';
import { fieldsOf, formOf, LOCAL, type QueryOptions } from './options.ts';
import { type FollowDeps, respond } from '../../../service/fronts/live/follow.ts';

export interface LiveOptions extends FollowOptions, Pick<QueryOptions, 'parameters' | 'sql' | 'lql'> {}

/** Follows the endpoint on a running service. Rejects with CommandError. */
export async function followService(
  address: ServiceAddress,
  options: LiveOptions,
  terminal: Terminal,
): Promise<void> {
  const { endpoint, signal } = options;
  const { url } = address;
  const call = {
    route: 'query',
    endpoint,
    body: formOf(fieldsOf(options)),
    accept: 'text/event-stream',
    prefer: 'result-shape=standard',
  } as const;
  const connect: Connect = async (lastEventId) => {
    const response = await streamService(address, { ...call, lastEventId }, signal).catch(
      (cause: unknown) => {
        throw lostOf(cause, url);
      },
    );
    if (!('status' in response)) return catching(response, (cause) => lostOf(cause, url));
    throw rejected(response, url, endpoint);
  };
  await follow(connect, options, terminal);
}

/** A response that is no stream. */
function rejected(response: ServiceResponse, url: string, endpoint: string): CommandError {
  const { status, headers, body } = response;
  if (problemIn(body)?.code === 'format.not_acceptable') return withoutLive(endpoint);
  const error = rejectionIn(response, url);
  if (status < 502 && status !== 429) return error;
  return new LostError(error.message, (Number(headers.get('Retry-After')) || 0) * 1000, error);
}

function withoutLive(endpoint: string): CommandError {
  const details = ['Leave out --live, or add live: { every: 2 } to the file of the endpoint.'];
  return new CommandError(`${endpoint} has no live calls`, { details });
}

function lostOf(cause: unknown, url: string): unknown {
  if (!(cause instanceof NoResponseError)) return cause;
  return new LostError(`No response from ${url}: ${cause.message}`, 0, cause);
}

async function* catching(
  chunks: AsyncIterable<Uint8Array>,
  replaced: (cause: unknown) => unknown,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks;
  } catch (cause) {
    throw replaced(cause);
  }
}

/** Follows the endpoint in this process. Rejects with CommandError. */
export async function followLocal(
  options: LiveOptions & { readonly settings: Settings; readonly observe: Observe },
  deps: LocalDeps,
): Promise<void> {
  const fields = fieldsOf(options); // before the engine starts: a pair may be invalid
  await withLocal({ ...options, ...LOCAL }, deps, async (local) => {
    const connect: Connect = async (lastEventId) => {
      const call = liveCall(localCall({ requestId: randomUUID(), endpoint: options.endpoint }, fields), {
        lastEventId,
        signal: options.signal,
      });
      return chunksOf(await openStream(local, call), options.signal);
    };
    await follow(connect, options, deps.terminal).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'format.not_acceptable') throw withoutLive(options.endpoint);
      throw localError(error, local.rejected());
    });
  });
}

interface Position {
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal;
}

function liveCall(call: Call, { lastEventId, signal }: Position): Call {
  const live = { by: 'accept', lastEventId, isOptional: false } as const;
  return {
    ...call,
    read: async (...given) => ({ ...(await call.read(...given)), resultShape: 'standard', live }),
    signal: () => signal,
  };
}

async function openStream(local: FollowDeps, call: Call): Promise<LiveStream> {
  const found = await respond(local, call);
  if ('open' in found) return found.open();
  throw new Problem('live.unavailable');
}

async function* chunksOf(stream: LiveStream, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  let wake: (() => void) | undefined;
  const woken = (): void => wake?.();
  stream.listen(woken);
  signal.addEventListener('abort', woken);
  try {
    while (!signal.aborted) {
      const bytes = stream.take();
      if (bytes !== undefined) yield bytes;
      else if (stream.isEnded()) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener('abort', woken);
    stream.leave();
  }
}
