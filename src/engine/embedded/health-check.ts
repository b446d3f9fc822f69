// Asks an engine process regularly whether it still answers.
import type { After } from '../timer.ts';
import type { Generation } from './generation.ts';

export interface HealthCheckOptions {
  readonly generation: Generation;
  readonly after: After;
  /** After each check that the process passed: its resident memory in bytes. */
  readonly onAnswer: (memory: number) => void;
  /** Once: it did not answer a trivial statement in time, or with an error. No check follows. */
  readonly onFailure: () => void;
}

/** Between two checks. */
const EVERY_MS = 5000;
/** A process that has not answered after this long never will: machines under load take seconds. */
const TIMEOUT_MS = 15_000;

/** Checks until the returned function is called, or a check fails. */
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
      const [memory] = await Promise.all([generation.process.memory(), generation.spare.ask('SELECT 1')]);
      if (isOver) return;
      cancel();
      cancel = after(EVERY_MS, () => void check());
      onAnswer(memory);
    } catch {
      cancel();
      fail();
    }
  };
  void check();
  return () => {
    isOver = true;
    cancel();
  };
}
