// Keeps an engine process running: replaces one that exited, stopped responding, or has a statement that cannot be
// cancelled.
import type { Observe } from '../../../sql/base/observation.ts';
import { EngineError } from '../engine.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { ProcessEnd } from './engine-process.ts';
import type { Generation } from './open-data.ts';
import { watchHealth } from './health-check.ts';

/**
 * Why a process is killed: it has a statement that cannot be cancelled, or it stopped responding, or statements did not end in
 * time for it to take new access rules.
 */
export type RestartReason = 'overdue' | 'unresponsive' | 'rules';

export interface Supervisor {
  /** The active process; waits for one that is starting. Rejects with EngineError 'unavailable'. */
  current(): Promise<Generation>;
  /** Kills a generation's process, which is then replaced. Does nothing if that has already happened. */
  restart(generation: Generation, reason: RestartReason): void;
  /**
   * Opens the data of the active process again; a process that fails to is replaced. No statement may be running. Never rejects.
   */
  reopen(): Promise<void>;
  /** Why a generation's process was killed by the supervisor; undefined if it exited on its own or is still running. */
  reasonOf(generation: Generation): RestartReason | undefined;
  /** Kills the active process, or the one that is starting, and starts no other. */
  readonly kill: () => void;
  /** The process that is open now. */
  readonly active: () => Generation | undefined;
  /** Returns whether a process is open now. */
  readonly isOpen: () => boolean;
  /** Resident memory of the process in bytes at its last health check; 0 if there is no process. */
  readonly memory: () => number;
  /** Ends the active process, killing it after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface SupervisorOptions {
  /** Starts a process; gives it up when the signal aborts. */
  readonly open: (stop: AbortSignal) => Promise<Generation>;
  /** Closes all connections of a process and opens its data again. */
  readonly reopen: (generation: Generation) => Promise<Generation>;
  readonly after: After;
  readonly observe: Observe;
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/** Mutable state while the engine is open. */
interface State {
  isClosing: boolean;
  /** The open process; undefined while the next one starts. */
  active: Generation | undefined;
  /** The open process, or the one being started. */
  next: Promise<Generation>;
  memory: number;
  /** Cancels the pending timer: the next health check or the next start attempt. */
  cancel: () => void;
  /** Ends the process that is being started. */
  readonly stop: AbortController;
  /** Why processes were killed. */
  readonly reasons: WeakMap<Generation, RestartReason>;
}

/** Milliseconds between start attempts; doubled after each failure. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;

/** Opens the first process. Rejects with EngineError. */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const stop = new AbortController();
  const first = await options.open(stop.signal);
  const state: State = {
    isClosing: false,
    active: undefined,
    next: Promise.resolve(first),
    memory: 0,
    cancel: () => undefined,
    stop,
    reasons: new WeakMap(),
  };
  adopt(options, state, first);
  return {
    current: () => (state.isClosing ? Promise.reject(closing()) : state.next),
    restart: (generation, reason) => restart(state, generation, reason),
    reopen: () => reopenData(options, state),
    reasonOf: (generation) => state.reasons.get(generation),
    kill: () => {
      state.isClosing = true;
      state.stop.abort();
      state.active?.process.kill();
    },
    active: () => state.active,
    isOpen: () => state.active !== undefined && !state.reasons.has(state.active),
    memory: () => state.memory,
    close: (graceMs) => close(options, state, graceMs),
  };
}

/** Makes a process the active one. */
function adopt(options: SupervisorOptions, state: State, generation: Generation): void {
  watch(options, state, generation);
  void generation.process.ended.then((end) => replace(options, state, end));
}

function watch(options: SupervisorOptions, state: State, generation: Generation): void {
  state.active = generation;
  state.cancel = watchHealth({
    generation,
    after: options.after,
    onAnswer: (memory) => {
      state.memory = memory;
    },
    onFailure: () => restart(state, generation, 'unresponsive'),
  });
}

async function reopenData(options: SupervisorOptions, state: State): Promise<void> {
  const active = state.active ?? (await state.next.catch(() => undefined));
  if (active === undefined || state.isClosing || state.reasons.has(active)) return; // the next process opens under the rules as they are now
  state.cancel();
  const reopened = options.reopen(active).then((generation) => {
    if (state.active === active) watch(options, state, generation);
    return generation;
  });
  state.next = reopened;
  await reopened.catch(() => active.process.kill()); // it is replaced when it has ended
}

function restart(state: State, generation: Generation, reason: RestartReason): void {
  if (state.active !== generation || state.reasons.has(generation)) return;
  state.reasons.set(generation, reason);
  generation.process.kill();
}

/** Starts a replacement after the active process has ended. */
function replace(options: SupervisorOptions, state: State, end: ProcessEnd): void {
  const { observe, now } = options;
  const ended = state.active;
  state.active = undefined;
  state.memory = 0;
  state.cancel();
  if (state.isClosing || ended === undefined) return;
  const started = now();
  observe({ kind: 'engine.process_ended', reason: state.reasons.get(ended) ?? 'exited', ...end });
  state.next = reopen(options, state, { started, pauseMs: FIRST_PAUSE_MS });
  state.next.catch(() => undefined); // callers waiting for it receive the error
}

/** One start attempt. Its failure rejects the callers waiting for it; the next attempt follows after a pause. */
async function reopen(
  options: SupervisorOptions,
  state: State,
  { started, pauseMs }: { readonly started: number; readonly pauseMs: number },
): Promise<Generation> {
  const { open, after, observe, now } = options;
  try {
    const generation = await open(state.stop.signal);
    if (state.isClosing) {
      generation.process.kill();
      throw closing();
    }
    adopt(options, state, generation);
    observe({ kind: 'engine.process_restarted', ms: now() - started });
    return generation;
  } catch (cause) {
    if (state.isClosing) throw cause;
    observe({ kind: 'engine.process_not_started', cause });
    state.cancel = after(pauseMs, () => {
      state.next = reopen(options, state, { started, pauseMs: Math.min(pauseMs * 2, LONGEST_PAUSE_MS) });
      state.next.catch(() => undefined);
    });
    throw cause;
  }
}

async function close({ after }: SupervisorOptions, state: State, graceMs: number): Promise<void> {
  state.isClosing = true;
  state.cancel();
  const cancelStop = after(graceMs, () => state.stop.abort());
  const generation = await state.next.catch(() => state.active);
  cancelStop();
  if (generation === undefined) return;
  const cancel = after(graceMs, generation.process.kill);
  await generation.pool.close();
  await generation.control.close();
  await generation.process.close();
  cancel();
}

const closing = (): EngineError => new EngineError('unavailable', 'the engine is closing');
