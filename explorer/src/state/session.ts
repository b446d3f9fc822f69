// The API key: entered, accepted or rejected, forgotten.
import { batch } from '@preact/signals';
import { CallFailure, type Problem } from '../service/problem.ts';
import type { ExplorerOptions, State } from './model.ts';

export interface Session {
  /** Lists what a key may call; calls `opened` with the result. */
  enter(key: string, opened: () => void): Promise<void>;
  /** The service rejected the key, or did not respond. */
  refuse(problem: Problem): void;
  /** Forgets the key and the calls made with it. */
  forget(): void;
}

export function createSession({ client, memory }: ExplorerOptions, state: State): Session {
  /** A rejected key returns to the key form; after any other failure the same key can be retried. */
  const refuse = (problem: Problem): void =>
    batch(() => {
      if (problem.status === 401) {
        memory.setKey(undefined);
        state.key.value = undefined;
      }
      state.refused.value = problem;
      state.listing.value = { kind: 'failed', problem };
    });
  return {
    enter: async (key, opened) => {
      batch(() => {
        state.key.value = key;
        state.refused.value = undefined;
        state.listing.value = { kind: 'loading' };
      });
      try {
        const endpoints = await client.list(key);
        memory.setKey(key);
        state.listing.value = { kind: 'ready', endpoints };
        opened();
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        refuse(error.problem);
      }
    },
    refuse,
    forget: () => {
      memory.setKey(undefined);
      memory.setPast([]);
      batch(() => {
        state.key.value = undefined;
        state.past.value = [];
      });
    },
  };
}
