// Periodic health check of an engine process.
import { EngineError } from '../engine.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Generation } from './open-data.ts';

export interface HealthCheckOptions {
  readonly generation: Generation;
  readonly after: After;
  /** Called after each passed check with the process's resident memory in bytes. */
  readonly onAnswer: (memory: number) => void;
  /** Called once, if a trivial statement fails or times out. No further checks are made. */
  readonly onFailure: () => void;
}

/** Milliseconds between checks. */
const EVERY_MS = 5000;
/** On a loaded machine a reply can take seconds; a process silent for this long does not recover. */
const TIMEOUT_MS = 15_000;

/** Checks until the returned function is called or a check fails. */
export function watchHealth({ generation, after, onAnswer, onFailure }: HealthCheckOptions): () => void {
  let isOver = false;
  let cancel: () => void;
  const fail = (): void => {
    if (!isOver) onFailure();
    isOver = true;
  };
  const check = async (): Promise<void> => {
    cancel = after(TIMEOUT_MS, fail);
    try {
      // After a fatal error in native code, chDB rejects every statement and never recovers.
      const [memory] = await Promise.all([generation.process.memory(), generation.control.ask('SELECT 1')]);
      if (isOver) return;
      cancel();
      cancel = after(EVERY_MS, () => void check());
      onAnswer(memory);
    } catch (cause) {
      cancel();
      if (!isOver && isAlive(cause)) cancel = after(EVERY_MS, () => void check());
      else fail();
    }
  };
  void check();
  return () => {
    isOver = true;
    cancel();
  };
}

/** A process that rejects a statement for want of memory or time still answers. */
function isAlive(cause: unknown): boolean {
  return cause instanceof EngineError && ['memory', 'limit', 'timeout', 'busy'].includes(cause.failure);
}
