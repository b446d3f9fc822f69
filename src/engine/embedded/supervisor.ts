// Keeps an engine process running: replaces one that has ended, that no longer answers, or in which a statement cannot be ended.
import type { Observe } from '../../core/observation.ts';
import { EngineError } from '../engine.ts';
import type { After } from '../timer.ts';
import type { ProcessEnd } from './engine-process.ts';
import type { Generation } from './generation.ts';
import { watchHealth } from './health-check.ts';

/** Why a process is killed: a statement in it cannot be ended, or it does not answer. */
export type RestartReason = 'overdue' | 'unresponsive';

export interface Supervisor {
  /** The process in use; while one is being started, resolves when it is. Rejects with EngineError 'unavailable'. */
  current(): Promise<Generation>;
  /** Kills a generation's process and starts another one. Does nothing where that has happened already. */
  restart(generation: Generation, reason: RestartReason): void;
  /** Why a generation's process was killed by us; undefined where it ended by itself, or runs. */
  reasonOf(generation: Generation): RestartReason | undefined;
  /** Ends the process in use, or the one being started; no other one is started any more. */
  readonly kill: () => void;
  /** Whether a process is open now. */
  readonly isOpen: () => boolean;
  /** Resident memory of the process in bytes at its last health check; 0 while there is none. */
  readonly memory: () => number;
  /** Ends the process in use, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface SupervisorOptions {
  /** Starts a process; gives it up when the signal aborts. */
  readonly open: (stop: AbortSignal) => Promise<Generation>;
  readonly after: After;
  readonly observe: Observe;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** What changes while the engine is open. */
interface State {
  isClosing: boolean;
  /** The open one; undefined while the next one starts. */
  active: Generation | undefined;
  /** The open one, or the one being started. */
  next: Promise<Generation>;
  memory: number;
  /** Cancels what is timed: the next health check, or the next attempt to start. */
  cancel: () => void;
  /** Ends the process that is being started. */
  readonly stop: AbortController;
  /** Why processes were killed. */
  readonly reasons: WeakMap<Generation, RestartReason>;
}

/** Between attempts to start a process; doubled after each failure. */
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
    reasonOf: (generation) => state.reasons.get(generation),
    kill: () => {
      state.isClosing = true;
      state.stop.abort();
      state.active?.process.kill();
    },
    isOpen: () => state.active !== undefined && !state.reasons.has(state.active),
    memory: () => state.memory,
    close: (graceMs) => close(options, state, graceMs),
  };
}

/** Puts a process to use. */
function adopt(options: SupervisorOptions, state: State, generation: Generation): void {
  state.active = generation;
  state.cancel = watchHealth({
    generation,
    after: options.after,
    onAnswer: (memory) => {
      state.memory = memory;
    },
    onFailure: () => restart(state, generation, 'unresponsive'),
  });
  void generation.process.ended.then((end) => replace(options, state, end));
}

function restart(state: State, generation: Generation, reason: RestartReason): void {
  if (state.active !== generation || state.reasons.has(generation)) return;
  state.reasons.set(generation, reason);
  generation.process.kill();
}

/** The process in use has ended: another one takes its place. */
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
  state.next.catch(() => undefined); // those who wait for it are given the error
}

/** One attempt. Who waits for it is answered, also by its failure; the next attempt follows after a pause. */
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
  const generation = state.active ?? (await state.next.catch(() => undefined));
  cancelStop();
  if (generation === undefined) return;
  const cancel = after(graceMs, generation.process.kill);
  await generation.pool.close();
  await generation.spare.close();
  await generation.process.close();
  cancel();
}

const closing = (): EngineError => new EngineError('unavailable', 'the engine is closing');
