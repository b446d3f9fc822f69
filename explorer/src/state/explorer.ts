// The page's state and all its actions. Views only read signals and call these functions.
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Client } from '../service/client.ts';
import type { Endpoint } from '../service/listing.ts';
import type { Problem } from '../service/problem.ts';
import { readAddress, type Address } from './address.ts';
import { find, type ExplorerOptions, type Listing, type Place, type Run, type State } from './model.ts';
import { createRuns, type Runs } from './runs.ts';
import { createSession } from './session.ts';
import { createShows, type Shows } from './shows.ts';
import type { Past, Theme } from './storage.ts';

export interface Explorer
  extends Pick<Runs, 'start' | 'cancel'>, Pick<Shows, 'choose' | 'change' | 'recall'> {
  readonly key: ReadonlySignal<string | undefined>;
  /** Why the last key was rejected. */
  readonly refused: ReadonlySignal<Problem | undefined>;
  readonly listing: ReadonlySignal<Listing>;
  readonly address: ReadonlySignal<Address>;
  readonly endpoint: ReadonlySignal<Endpoint | undefined>;
  readonly run: ReadonlySignal<Run>;
  readonly past: ReadonlySignal<readonly Past[]>;
  readonly theme: ReadonlySignal<Theme>;
  /** The latest announcement, shown and read by screen readers; empty if none. */
  readonly notice: ReadonlySignal<string>;
  readonly client: Client;
  readonly base: string;
  enter(key: string): Promise<void>;
  /** Forgets the key. */
  leave(): void;
  setTheme(theme: Theme): void;
  tell(notice: string): void;
}

const NOTICE_MS = 4000;

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
  const session = createSession(options, state);
  const runs = createRuns(options, state, ({ problem }) => session.refuse(problem));
  const shows = createShows(options, state, runs);
  place.onMove(shows.moved);
  const explorer: Explorer = {
    ...state,
    ...shows,
    ...runs,
    endpoint: computed(() => find(state.listing.value, state.address.value.endpoint)),
    client,
    base,
    enter: (key) => session.enter(key, shows.opened),
    leave: () => {
      runs.drop();
      session.forget();
    },
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

function createTell({ notice }: State, place: Place): Explorer['tell'] {
  let forget: (() => void) | undefined;
  return (text) => {
    forget?.();
    notice.value = text;
    forget = place.after(NOTICE_MS, () => (notice.value = ''));
  };
}
