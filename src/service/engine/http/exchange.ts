// One request to the server and its response: bounded in time, cancellable, and never silently truncated.
import type { ClickHouseClient } from '@clickhouse/client';
import type { Readable } from 'node:stream';
import type { ReadSummary } from '../../../sql/base/observation.ts';
import { abortError, watchAbort } from '../abort.ts';
import { EngineError } from '../engine.ts';
import type { After } from '../../../sql/base/clock.ts';
import { openBody, type BodyEnd } from './body.ts';
import { createTaggedGate, createTailGate, OPEN_GATE, type ExceptionGate } from './exception-gate.ts';
import { toHttpError } from './http-failures.ts';
import { isWhole, type HttpRequest } from './request.ts';
import { readSummary, resultRowsIn } from './summary.ts';

/** Called with what the header of the response reports, as far as it does: table data read, rows of the result. */
export type OnSummary = (read: ReadSummary | undefined, resultRows: number | undefined) => void;

export interface ExchangeOptions {
  readonly request: HttpRequest;
  /** Any of them ends the exchange. */
  readonly signals: readonly AbortSignal[];
  /** Longest wait for the response, and then for each following piece of it. */
  readonly timeoutMs: number;
  /** Returns whether the server is reachable; called while waiting for it. */
  readonly answers: () => Promise<boolean>;
  readonly after: After;
  /** Called once, when the response begins. */
  readonly onSummary?: OnSummary;
  /** Called once when the body ends, for any reason; not if the exchange is rejected. */
  readonly onEnd: (end: BodyEnd) => void;
}

/** Milliseconds between checks that the server is still reachable, during a wait. */
const LOOK_EVERY_MS = 1000;

/** Resolves when the first bytes have arrived. Rejects with EngineError; later reads also throw it. */
export async function openExchange(
  client: Pick<ClickHouseClient, 'exec'>,
  options: ExchangeOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const control = new AbortController();
  const unlink = watchAbort(options.signals, (error) => control.abort(error));
  const watch = (): (() => void) => watchServer(control, options);
  // A short body can end before it has been returned to the caller.
  const state: { isOpen: boolean; end?: BodyEnd } = { isOpen: false };
  const onEnd = (end: BodyEnd): void => {
    unlink();
    state.end = end;
    if (state.isOpen) options.onEnd(end);
  };
  try {
    const answer = await ask(client, { request: options.request, control, watch });
    const stream: Readable = answer.stream;
    const summary = answer.response_headers['x-clickhouse-summary'];
    options.onSummary?.(readSummary(summary), resultRowsIn(summary));
    watchAbort([control.signal], (error) => stream.destroy(error));
    const tag = answer.response_headers['x-clickhouse-exception-tag'];
    const gate = gateFor(options.request, typeof tag === 'string' ? tag : undefined);
    const body = await openBody({ stream, gate, watch, onEnd });
    state.isOpen = true;
    if (state.end !== undefined) options.onEnd(state.end);
    return body;
  } catch (cause) {
    unlink();
    throw control.signal.aborted ? abortError(control.signal) : toHttpError(cause);
  }
}

function gateFor(request: HttpRequest, tag: string | undefined): ExceptionGate {
  if (isWhole(request)) return OPEN_GATE;
  return tag === undefined ? createTailGate() : createTaggedGate(tag);
}

interface Asking {
  readonly request: HttpRequest;
  readonly control: AbortController;
  readonly watch: () => () => void;
}

async function ask(
  client: Pick<ClickHouseClient, 'exec'>,
  { request, control, watch }: Asking,
): ReturnType<ClickHouseClient['exec']> {
  const release = watch();
  try {
    control.signal.throwIfAborted();
    return await client.exec({ ...request, abort_signal: control.signal });
  } finally {
    release();
  }
}

/**
 * Ends the exchange if one wait takes too long, or earlier if the server is unreachable. Returns a function that ends
 * the wait.
 */
function watchServer(
  control: AbortController,
  { timeoutMs, answers, after }: Pick<ExchangeOptions, 'timeoutMs' | 'answers' | 'after'>,
): () => void {
  const wait = { isOver: false, cancel: (): void => undefined };
  const look = async (): Promise<void> => {
    const isThere = await answers();
    if (wait.isOver) return;
    if (isThere) wait.cancel = after(LOOK_EVERY_MS, () => void look());
    else control.abort(new EngineError('unavailable', 'the server does not respond'));
  };
  const cancel = after(timeoutMs, () =>
    control.abort(new EngineError('timeout', `no response within ${timeoutMs} ms`)),
  );
  wait.cancel = after(LOOK_EVERY_MS, () => void look());
  return () => {
    wait.isOver = true;
    wait.cancel();
    cancel();
  };
}
