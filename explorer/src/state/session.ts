// The key: entered, taken or refused, forgotten.
import { batch } from '@preact/signals';
import { CallFailure, type Problem } from '../service/problem.ts';
import type { ExplorerOptions, State } from './model.ts';

export interface Session {
  /** Asks what a key may call; `opened` is told when it is known. */
  enter(key: string, opened: () => void): Promise<void>;
  /** The service does not take the key, or does not answer. */
  refuse(problem: Problem): void;
  /** Forgets the key and what was done with it. */
  forget(): void;
}

export function createSession({ client, memory }: ExplorerOptions, state: State): Session {
  /** A key that is not taken is asked for again; any other failure can be tried again with the same key. */
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
