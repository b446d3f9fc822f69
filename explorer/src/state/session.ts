// The API key: entered, accepted or rejected, forgotten; and the endpoints it may call, kept up to date.
import { batch } from '@preact/signals';
import { CallFailure, type Problem } from '../service/problem.ts';
import type { ExplorerOptions, State } from './model.ts';

export interface Session {
  /** Lists what a key may call; calls `opened` with the result. */
  enter(key: string, opened: () => void): Promise<void>;
  /** Lists again if endpoints have changed; calls `changed` then. Failures are ignored: the next check retries. */
  refresh(changed: () => void): Promise<void>;
  /** The service rejected the key, or did not respond. */
  reject(problem: Problem): void;
  /** Forgets the key and what was done with it. */
  forget(): void;
}

export function createSession({ client, memory }: ExplorerOptions, state: State): Session {
  /** A rejected key returns to the key form; after any other failure the same key can be retried. */
  const reject = (problem: Problem): void =>
    batch(() => {
      if (problem.status === 401) {
        memory.setKey(undefined);
        state.key.value = undefined;
      }
      state.rejected.value = problem;
      state.listing.value = { kind: 'failed', problem };
    });
  return {
    enter: async (key, opened) => {
      batch(() => {
        state.key.value = key;
        state.rejected.value = undefined;
        state.listing.value = { kind: 'loading' };
      });
      try {
        const listed = await client.list(key);
        memory.setKey(key);
        state.listing.value = { kind: 'ready', ...listed };
        opened();
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        reject(error.problem);
      }
    },
    refresh: async (changed) => {
      const [key, known] = [state.key.value, state.listing.value];
      if (key === undefined || known.kind !== 'ready') return;
      const listed = await client.relist(key, known).catch(() => undefined);
      if (listed === undefined || state.key.value !== key) return;
      batch(() => {
        state.listing.value = { kind: 'ready', ...listed };
        changed();
      });
    },
    reject,
    forget: () => {
      memory.setKey(undefined);
      memory.setPast([]);
      memory.forgetDrafts();
      batch(() => {
        state.key.value = undefined;
        state.past.value = [];
        state.findings.value = [];
      });
    },
  };
}
