// Runs calls: one at a time, cancellable, recorded in the history when finished.
import { counted } from '../parts/words.ts';
import { CallFailure, NO_QUERY } from '../service/problem.ts';
import { writeAddress, type Address } from './address.ts';
import { askOf, type ExplorerOptions, type Run, type State } from './model.ts';

export interface Runs {
  /** Runs the request that is shown. */
  start(options?: { readonly isFresh: boolean }): Promise<void>;
  /** Cancels the current call and announces it. */
  cancel(): void;
  /** Cancels the current call silently and clears the result: the visitor has moved on. */
  drop(): void;
}

const MAX_PAST = 30;

/** `refused` is called when the key is rejected. */
export function createRuns(
  { client, memory, place }: ExplorerOptions,
  state: State,
  refused: (failure: CallFailure) => void,
): Runs {
  let current: AbortController | undefined;
  const remember = (address: Address, outcome: string, isFine: boolean): void => {
    const same = writeAddress(address);
    const others = state.past.value.filter((each) => writeAddress(each.address) !== same);
    state.past.value = [{ address, at: place.epoch(), outcome, isFine }, ...others].slice(0, MAX_PAST);
    memory.setPast(state.past.value);
  };
  return {
    start: async ({ isFresh } = { isFresh: false }) => {
      const [key, address] = [state.key.value, state.address.value];
      if (key === undefined || address.endpoint === undefined) return;
      current?.abort();
      const controller = (current = new AbortController());
      const end = (run: Run): void => {
        if (current === controller) state.run.value = run;
      };
      const ask = askOf(address);
      if (ask.own?.text.trim() === '') return end({ kind: 'failed', problem: NO_QUERY, ask });
      end({ kind: 'running' });
      try {
        const answer = await client.run(key, ask, { signal: controller.signal, isFresh });
        end({ kind: 'done', answer, ask });
        remember(address, `${counted(answer.rows.length, 'row')}, ${answer.ms.toFixed(0)} ms`, true);
      } catch (error) {
        if (controller.signal.aborted) return end({ kind: 'cancelled' });
        if (!(error instanceof CallFailure)) throw error;
        const { problem } = error;
        end({ kind: 'failed', problem, ask });
        remember(address, problem.title, false);
        if (problem.status === 401) refused(error);
      }
    },
    cancel: () => current?.abort(),
    drop: () => {
      current?.abort();
      current = undefined;
      state.run.value = { kind: 'none' };
    },
  };
}
