// The state of the page and everything that can be done to it. Views read signals and call these functions, nothing else.
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Answer } from '../service/answer.ts';
import type { Ask, Client } from '../service/client.ts';
import type { Endpoint } from '../service/listing.ts';
import { CallFailure, NO_QUERY, type Problem } from '../service/problem.ts';
import { counted } from '../parts/words.ts';
import { NOWHERE, readAddress, writeAddress, type Address } from './address.ts';
import { openingOf } from './opening.ts';
import type { Memory, Past, Theme } from './storage.ts';

export type Listing =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly endpoints: readonly Endpoint[] }
  | { readonly kind: 'failed'; readonly problem: Problem };

export type Run =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'done'; readonly answer: Answer; readonly ask: Ask }
  | { readonly kind: 'failed'; readonly problem: Problem; readonly ask: Ask };

export interface Explorer {
  readonly key: ReadonlySignal<string | undefined>;
  /** Why the last key was not taken. */
  readonly refused: ReadonlySignal<Problem | undefined>;
  readonly listing: ReadonlySignal<Listing>;
  readonly address: ReadonlySignal<Address>;
  readonly endpoint: ReadonlySignal<Endpoint | undefined>;
  readonly run: ReadonlySignal<Run>;
  readonly past: ReadonlySignal<readonly Past[]>;
  readonly theme: ReadonlySignal<Theme>;
  /** What was just done, for everybody to see or hear; empty when nothing was. */
  readonly notice: ReadonlySignal<string>;
  readonly client: Client;
  readonly base: string;
  enter(key: string): Promise<void>;
  leave(): void;
  choose(endpoint: Endpoint): void;
  /** Shows something else of the same endpoint. */
  change(part: Partial<Address>): void;
  start(options?: { readonly isFresh: boolean }): Promise<void>;
  cancel(): void;
  recall(past: Past): void;
  setTheme(theme: Theme): void;
  tell(notice: string): void;
}

/** The window, as far as it is needed. */
export interface Place {
  readonly fragment: () => string;
  /** Shows another fragment, as a step to go back from or in place of the one that is there. */
  readonly show: (fragment: string, isStep: boolean) => void;
  /** Calls when the visitor went back or forth. */
  readonly onMove: (moved: () => void) => void;
  readonly after: (ms: number, action: () => void) => () => void;
  /** Milliseconds since 1970. */
  readonly epoch: () => number;
}

export interface ExplorerOptions {
  readonly client: Client;
  readonly memory: Memory;
  readonly place: Place;
  readonly base: string;
}

const MAX_PAST = 30;
const NOTICE_MS = 4000;

/** What is asked for when this is shown. */
export function askOf({ endpoint, parameters, query, texts }: Address): Ask {
  const own = query === 'saved' ? undefined : { language: query, text: texts[query] };
  return { endpoint: endpoint ?? '', parameters, own };
}

interface State {
  readonly key: Signal<string | undefined>;
  readonly refused: Signal<Problem | undefined>;
  readonly listing: Signal<Listing>;
  readonly address: Signal<Address>;
  readonly run: Signal<Run>;
  readonly past: Signal<readonly Past[]>;
  readonly theme: Signal<Theme>;
  readonly notice: Signal<string>;
}

export function createExplorer(options: ExplorerOptions): Explorer {
  const { client, memory, place, base } = options;
  const state: State = {
    key: signal(undefined),
    refused: signal(undefined),
    listing: signal({ kind: 'loading' }),
    address: signal(readAddress(place.fragment())),
    run: signal({ kind: 'none' }),
    past: signal(memory.past()),
    theme: signal(memory.theme()),
    notice: signal(''),
  };
  const endpoint = computed(() => find(state.listing.value, state.address.value.endpoint));
  const runs = createRuns(options, state);
  const show = createShow(options, state, runs);
  place.onMove(() => show.moved());
  const explorer: Explorer = {
    ...state,
    ...show,
    ...runs,
    ...createSession(options, state, { runs, show }),
    endpoint,
    client,
    base,
    setTheme: (theme) => {
      memory.setTheme(theme);
      state.theme.value = theme;
    },
    tell: createTell(state, place),
  };
  const known = memory.key();
  if (known !== undefined) void explorer.enter(known);
  return explorer;
}

type Session = Pick<Explorer, 'enter' | 'leave'>;

function createSession(
  { client, memory }: ExplorerOptions,
  state: State,
  { runs, show }: { readonly runs: Runs; readonly show: Show },
): Session {
  return {
    enter: async (key) => {
      batch(() => {
        state.key.value = key;
        state.refused.value = undefined;
        state.listing.value = { kind: 'loading' };
      });
      try {
        const endpoints = await client.list(key);
        memory.setKey(key);
        state.listing.value = { kind: 'ready', endpoints };
        show.opened(endpoints);
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        refuse(state, memory, error.problem);
      }
    },
    leave: () => {
      runs.cancel();
      memory.setKey(undefined);
      memory.setPast([]);
      batch(() => {
        state.key.value = undefined;
        state.past.value = [];
        state.run.value = { kind: 'none' };
      });
    },
  };
}

/** A key that is not taken is asked for again; any other failure can be tried again with the same key. */
function refuse(state: State, memory: Memory, problem: Problem): void {
  batch(() => {
    if (problem.status === 401) {
      memory.setKey(undefined);
      state.key.value = undefined;
    }
    state.refused.value = problem;
    state.listing.value = { kind: 'failed', problem };
  });
}

function find(listing: Listing, name: string | undefined): Endpoint | undefined {
  if (listing.kind !== 'ready') return undefined;
  return listing.endpoints.find((each) => each.name === name || each.id === name);
}

type Runs = Pick<Explorer, 'start' | 'cancel'>;

function createRuns({ client, memory, place }: ExplorerOptions, state: State): Runs {
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
      const ask = askOf(address);
      if (ask.own?.text.trim() === '') {
        state.run.value = { kind: 'failed', problem: NO_QUERY, ask };
        return;
      }
      state.run.value = { kind: 'running' };
      place.show(writeAddress(address), true);
      const end = (run: Run): void => {
        if (current === controller) state.run.value = run;
      };
      try {
        const answer = await client.run(key, ask, { signal: controller.signal, isFresh });
        end({ kind: 'done', answer, ask });
        remember(address, `${counted(answer.rows.length, 'row')}, ${answer.ms.toFixed(0)} ms`, true);
      } catch (error) {
        if (controller.signal.aborted) return end({ kind: 'cancelled' });
        if (!(error instanceof CallFailure)) throw error;
        end({ kind: 'failed', problem: error.problem, ask });
        remember(address, error.problem.title, false);
        if (error.problem.status === 401) refuse(state, memory, error.problem);
      }
    },
    cancel: () => current?.abort(),
  };
}

interface Show extends Pick<Explorer, 'choose' | 'change' | 'recall'> {
  /** The visitor went to another fragment. */
  moved(): void;
  /** The endpoints have become known. */
  opened(endpoints: readonly Endpoint[]): void;
}

function createShow({ place }: ExplorerOptions, state: State, runs: Runs): Show {
  const show = (address: Address, isStep: boolean): void => {
    if (address.endpoint !== state.address.value.endpoint) {
      runs.cancel();
      state.run.value = { kind: 'none' };
    }
    state.address.value = address;
    place.show(writeAddress(address), isStep);
  };
  return {
    choose: (endpoint) => show({ ...NOWHERE, ...openingOf(endpoint) }, true),
    change: (part) => show({ ...state.address.value, ...part }, false),
    recall: ({ address }) => {
      show(address, true);
      void runs.start();
    },
    moved: () => {
      const address = readAddress(place.fragment());
      if (writeAddress(address) === writeAddress(state.address.value)) return;
      show(withTexts(address, state.listing.value), false);
    },
    opened: (endpoints) => {
      const address = withTexts(state.address.value, state.listing.value);
      const named = find({ kind: 'ready', endpoints }, address.endpoint);
      const [first] = endpoints;
      if (address.endpoint === undefined && first !== undefined)
        return show({ ...NOWHERE, ...openingOf(first) }, false);
      state.address.value = address;
      if (named !== undefined && isComplete(named, address)) void runs.start(); // a link that was shared shows its rows
    },
  };
}

/** Whether everything is filled in that a run needs. */
function isComplete({ parameters }: Endpoint, { parameters: values }: Address): boolean {
  return parameters.every(
    ({ name, required, locked }) => !required || locked === true || (values[name] ?? '') !== '',
  );
}

/** The queries of one's own that a URL does not hold are those that an endpoint opens with. */
function withTexts(address: Address, listing: Listing): Address {
  const endpoint = find(listing, address.endpoint);
  if (endpoint === undefined) return address;
  const { sql, lql } = openingOf(endpoint).texts;
  return { ...address, texts: { sql: address.texts.sql || sql, lql: address.texts.lql || lql } };
}

function createTell({ notice }: State, place: Place): Explorer['tell'] {
  let forget: (() => void) | undefined;
  return (text) => {
    forget?.();
    notice.value = text;
    forget = place.after(NOTICE_MS, () => (notice.value = ''));
  };
}
