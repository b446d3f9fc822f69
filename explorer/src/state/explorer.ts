// The page's state and all its actions. Views only read signals and call these functions.
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Client } from '../service/client.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import type { Endpoint } from '../service/listing.ts';
import type { Problem } from '../service/problem.ts';
import { createPalette, type Palette } from '../palette/actions.ts';
import { savedViews, type SavedView } from '../saved-views/saved-views.ts';
import { createViewActions, type ViewActions } from '../saved-views/view-actions.ts';
import type { Zone } from '../time-range/range.ts';
import { readAddress, type Address } from './address.ts';
import { find, type ExplorerOptions, type Listing, type Page, type Run, type State } from './model.ts';
import { createNavigation, type Navigation } from './navigation.ts';
import { createPreferences, type Preferences } from './preferences.ts';
import { createRuns, type Runs } from './runs.ts';
import { createSession } from './session.ts';
import type { LayoutMemory, LogMemory, Past, Theme } from './storage.ts';
import { createUpdates } from './updates.ts';

export interface Explorer
  extends
    Pick<Runs, 'start' | 'cancel'>,
    Pick<Navigation, 'choose' | 'change' | 'open' | 'recall'>,
    Preferences,
    ViewActions {
  readonly key: ReadonlySignal<string | undefined>;
  /** Why the last key was rejected. */
  readonly rejected: ReadonlySignal<Problem | undefined>;
  readonly listing: ReadonlySignal<Listing>;
  /** What is wrong in endpoint files; known in development only. */
  readonly findings: ReadonlySignal<readonly Finding[]>;
  readonly address: ReadonlySignal<Address>;
  readonly endpoint: ReadonlySignal<Endpoint | undefined>;
  readonly run: ReadonlySignal<Run>;
  /** How often the log view was asked to load. */
  readonly loads: ReadonlySignal<number>;
  readonly memory: LogMemory & LayoutMemory;
  readonly page: Pick<Page, 'after' | 'epoch' | 'isVisible' | 'whenReleased'>;
  readonly past: ReadonlySignal<readonly Past[]>;
  readonly theme: ReadonlySignal<Theme>;
  /** The latest announcement, shown and read by screen readers; empty if none. */
  readonly notice: ReadonlySignal<string>;
  /** The zone in which ranges of time are entered and shown. */
  readonly zone: ReadonlySignal<Zone>;
  /** The height above the divider, in pixels; undefined: that of the content. */
  readonly split: ReadonlySignal<number | undefined>;
  readonly views: ReadonlySignal<readonly SavedView[]>;
  readonly palette: Palette;
  /** It is true if the list of keys is open. */
  readonly isShowingKeys: Signal<boolean>;
  readonly client: Client;
  readonly base: string;
  enter(key: string): Promise<void>;
  /** Forgets the key, in all tabs. */
  leave(): void;
  tell(notice: string): void;
}

const NOTICE_MS = 4000;

export function createExplorer(options: ExplorerOptions): Explorer {
  const { client, memory, page, tabs, base } = options;
  const linkedKey = page.takeKey(); // before the URL is read
  const state = initialState(options);
  const endpoint = computed(() => find(state.listing.value, state.address.value.endpoint));
  const session = createSession(options, state);
  const refresh = (): Promise<void> => {
    const shown = endpoint.value;
    return session.refresh(() => navigation.relisted(shown));
  };
  const runs = createRuns(options, state, {
    rejected: ({ problem }) => session.reject(problem),
    answered: (revision) => {
      if (revision !== endpoint.value?.revision) void refresh();
    },
  });
  const navigation = createNavigation(options, state, runs);
  const updates = createUpdates(options, state, refresh);
  const enter = (key: string): Promise<void> =>
    session.enter(key, () => {
      navigation.opened();
      updates.start();
      const { value } = state.listing;
      if (value.kind === 'ready' && value.isIncomplete) void refresh();
    });
  const forget = (): void => {
    updates.stop();
    runs.forget();
    session.forget();
  };
  page.onMove(() => {
    const key = page.takeKey();
    if (key === undefined) navigation.moved();
    else void enter(key);
  });
  tabs.share(() => (state.listing.value.kind === 'ready' ? state.key.value : undefined), forget);
  const known = linkedKey ?? memory.key();
  if (known !== undefined) void enter(known);
  else tabs.request((key) => state.key.value ?? void enter(key));
  return {
    ...state,
    ...navigation,
    ...runs,
    endpoint,
    client,
    base,
    memory,
    page,
    enter,
    leave: () => {
      forget();
      tabs.announceForgotten();
    },
    ...createPreferences(memory, state),
    ...createViewActions(memory, state, navigation),
    palette: createPalette(),
    isShowingKeys: signal(false),
    tell: createTell(state, page),
  };
}

function initialState({ memory, page }: ExplorerOptions): State {
  const reloaded = page.isReload() ? memory.shown() : undefined; // more recent than a URL that lags behind
  return {
    key: signal(undefined),
    rejected: signal(undefined),
    listing: signal({ kind: 'loading' }),
    findings: signal([]),
    address: signal(readAddress(reloaded ?? page.fragment())),
    run: signal({ kind: 'none' }),
    loads: signal(0),
    past: signal(memory.past()),
    theme: signal(memory.theme()),
    notice: signal(''),
    zone: signal(memory.zone()),
    split: signal(memory.split()),
    views: signal(savedViews(memory).list()),
  };
}

function createTell({ notice }: State, page: Page): Explorer['tell'] {
  let forget: (() => void) | undefined;
  return (text) => {
    forget?.();
    notice.value = text;
    forget = page.after(NOTICE_MS, () => (notice.value = ''));
  };
}
