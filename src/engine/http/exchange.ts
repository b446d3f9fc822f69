// One request to the server and its answer: bounded in time, ended by a signal, never silently short.
import type { ClickHouseClient } from '@clickhouse/client';
import type { Readable } from 'node:stream';
import { abortError } from '../abort.ts';
import { EngineError } from '../engine.ts';
import type { After } from '../timer.ts';
import { openBody } from './body.ts';
import { createTaggedGate, createTailGate } from './exception-gate.ts';
import { toHttpError } from './http-failures.ts';
import type { HttpRequest } from './request.ts';

export interface ExchangeOptions {
  readonly request: HttpRequest;
  /** Any of them ends the exchange. */
  readonly signals: readonly AbortSignal[];
  /** How long to wait for the answer, and then for each next piece of it. */
  readonly timeoutMs: number;
  readonly after: After;
  /** Called once, however the exchange ends. */
  readonly onEnd: (error?: EngineError) => void;
}

/** Resolves when the first bytes are there. Rejects with EngineError; so do later reads. */
export async function openExchange(
  client: Pick<ClickHouseClient, 'exec'>,
  options: ExchangeOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { request, after, timeoutMs } = options;
  const control = new AbortController();
  const unlink = linkSignals(control, options.signals);
  const onEnd = (error?: EngineError): void => {
    unlink();
    options.onEnd(error);
  };
  const watch = (): (() => void) =>
    after(timeoutMs, () => control.abort(new EngineError('timeout', `no answer within ${timeoutMs} ms`)));
  const release = watch();
  try {
    control.signal.throwIfAborted();
    const answer = await client.exec({ ...request, abort_signal: control.signal });
    const stream: Readable = answer.stream;
    onAbort(control.signal, (error) => stream.destroy(error));
    const tag = answer.response_headers['x-clickhouse-exception-tag'];
    const gate = typeof tag === 'string' ? createTaggedGate(tag) : createTailGate();
    return openBody({ stream, gate, watch, onEnd });
  } catch (cause) {
    const error = control.signal.aborted ? abortError(control.signal) : toHttpError(cause);
    onEnd(error);
    throw error;
  } finally {
    release();
  }
}

/** Aborts `control` with an EngineError when any of the signals does; returns the end of that. */
function linkSignals(control: AbortController, signals: readonly AbortSignal[]): () => void {
  const releases = signals.map((signal) => onAbort(signal, (error) => control.abort(error)));
  return () => {
    for (const release of releases) release();
  };
}

function onAbort(signal: AbortSignal, act: (error: EngineError) => void): () => void {
  const listener = (): void => act(abortError(signal));
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
