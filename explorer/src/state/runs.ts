// Runs calls: one at a time, cancellable, recorded in the history when finished.
import { counted } from '../parts/words.ts';
import { CallFailure, NO_QUERY } from '../service/problem.ts';
import type { Ask } from '../service/client.ts';
import { writeAddress, type Address } from './address.ts';
import { askOf, find, isSameAsk, type ExplorerOptions, type Run, type State } from './model.ts';
import { createResults } from './results.ts';

export interface Runs {
  /** Runs the request that is shown. */
  start(options?: { readonly isFresh: boolean }): Promise<void>;
  /** Cancels the current call and announces it. */
  cancel(): void;
  /** Cancels the current call silently and clears the result: another endpoint is shown. */
  drop(): void;
  /** Shows the result of the request that is shown, after navigation through the history; runs it again if it is no longer known. */
  restore(): void;
  /** Forgets all results. */
  forget(): void;
}

const MAX_PAST = 30;

interface RunEvents {
  /** The key was rejected. */
  readonly rejected: (failure: CallFailure) => void;
  /** An endpoint of this revision answered. */
  readonly answered: (revision: string | undefined) => void;
}

export function createRuns(options: ExplorerOptions, state: State, on: RunEvents): Runs {
  const { client, page } = options;
  let current: AbortController | undefined;
  const results = createResults();
  const remember = createHistory(options, state);
  const drop = (): void => {
    current?.abort();
    current = undefined;
    state.run.value = { kind: 'none' };
  };
  const runs: Runs = {
    start: async ({ isFresh } = { isFresh: false }) => {
      const [key, address] = [state.key.value, state.address.value];
      if (key === undefined || address.endpoint === undefined) return;
      if (address.logs !== undefined) return void state.loads.value++;
      current?.abort();
      const controller = (current = new AbortController());
      const end = (run: Run): void => {
        if (current !== controller) return;
        if (run.kind === 'done' || run.kind === 'failed') results.set(run.ask, run);
        page.whenReleased(() => {
          if (current === controller) state.run.value = run;
        });
      };
      const ask = askOf(address);
      if (ask.own?.text.trim() === '') return end({ kind: 'failed', problem: NO_QUERY, ask });
      end({ kind: 'running' });
      try {
        const how = { signal: controller.signal, isFresh, hasNoFloats: lacksFloats(state, ask) };
        const answer = await client.run(key, ask, how);
        end({ kind: 'done', answer, ask });
        on.answered(answer.revision);
        remember(address, `${counted(answer.rows.length, 'row')}, ${answer.ms.toFixed(0)} ms`, true);
      } catch (error) {
        if (controller.signal.aborted) return end({ kind: 'cancelled' });
        if (!(error instanceof CallFailure)) throw error;
        end({ kind: 'failed', problem: error.problem, ask });
        remember(address, error.problem.title, false);
        if (error.problem.status === 401) on.rejected(error);
      }
    },
    cancel: () => current?.abort(),
    drop,
    restore: () => {
      if (state.address.value.logs !== undefined) return; // it loads what is shown
      const ask = askOf(state.address.value);
      const { value } = state.run;
      if ((value.kind === 'done' || value.kind === 'failed') && isSameAsk(value.ask, ask)) return;
      const known = results.get(ask);
      drop();
      if (known !== undefined) state.run.value = known;
      else if (state.past.value.some(({ address }) => isSameAsk(askOf(address), ask))) void runs.start();
    },
    forget: () => {
      drop();
      results.clear();
    },
  };
  return runs;
}

/** Returns whether no row can have a float: the columns of a saved query are known. */
function lacksFloats({ listing }: State, { endpoint, own }: Ask): boolean {
  const columns = own === undefined ? find(listing.value, endpoint)?.columns : undefined;
  return columns?.every(({ type }) => !/Float|JSON|Dynamic|Variant/.test(type)) ?? false;
}

/** Returns a function that adds a finished request to the history. */
function createHistory(
  { memory, page }: ExplorerOptions,
  state: State,
): (address: Address, outcome: string, isFine: boolean) => void {
  return (address: Address, outcome: string, isFine: boolean): void => {
    const same = writeAddress(address);
    const others = state.past.value.filter((each) => writeAddress(each.address) !== same);
    state.past.value = [{ address, at: page.epoch(), outcome, isFine }, ...others].slice(0, MAX_PAST);
    memory.setPast(state.past.value);
    memory.setUsed();
  };
}
