// What is stored for the lifetime of the tab: the key, the call history, unfinished queries and what is shown. Only the theme is stored permanently.
import type { Address } from './address.ts';

export interface Past {
  readonly address: Address;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The outcome, in a few words. */
  readonly outcome: string;
  readonly isFine: boolean;
}

/** What was last written for an endpoint. */
export type Draft = Pick<Address, 'parameters' | 'query' | 'dialect' | 'texts'>;

export type Theme = 'auto' | 'light' | 'dark';

export interface Memory {
  readonly key: () => string | undefined;
  readonly setKey: (key: string | undefined) => void;
  readonly past: () => readonly Past[];
  readonly setPast: (past: readonly Past[]) => void;
  /** By endpoint id. */
  readonly draft: (endpoint: string) => Draft | undefined;
  readonly setDraft: (endpoint: string, draft: Draft) => void;
  readonly forgetDrafts: () => void;
  /** The URL fragment of what is shown: browsers that limit changes of the URL may have an older one. */
  readonly shown: () => string | undefined;
  readonly setShown: (fragment: string) => void;
  readonly theme: () => Theme;
  readonly setTheme: (theme: Theme) => void;
}

const NAMES = {
  key: 'millrace.key',
  past: 'millrace.past',
  theme: 'millrace.theme',
  draft: 'millrace.draft.',
  shown: 'millrace.shown',
};

/** Browsers may block storage; values are then held in memory until the page closes. */
export function createMemory(tab: Storage, lasting: Storage): Memory {
  return {
    key: () => get(tab, NAMES.key),
    setKey: (key) => set(tab, NAMES.key, key),
    past: () => readPast(get(tab, NAMES.past)),
    setPast: (past) => set(tab, NAMES.past, JSON.stringify(past)),
    draft: (endpoint) => readDraft(get(tab, NAMES.draft + endpoint)),
    setDraft: (endpoint, draft) => set(tab, NAMES.draft + endpoint, JSON.stringify(draft)),
    forgetDrafts: () => {
      for (const name of namesIn(tab)) if (name.startsWith(NAMES.draft)) set(tab, name, undefined);
      set(tab, NAMES.shown, undefined);
    },
    shown: () => get(tab, NAMES.shown),
    setShown: (fragment) => set(tab, NAMES.shown, fragment),
    theme: () => {
      const theme = get(lasting, NAMES.theme);
      return theme === 'light' || theme === 'dark' ? theme : 'auto';
    },
    setTheme: (theme) => set(lasting, NAMES.theme, theme === 'auto' ? undefined : theme),
  };
}

function get(storage: Storage, name: string): string | undefined {
  try {
    return storage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

function set(storage: Storage, name: string, value: string | undefined): void {
  try {
    if (value === undefined) storage.removeItem(name);
    else storage.setItem(name, value);
  } catch {
    // Quota exceeded or storage blocked: nothing depends on it.
  }
}

function readPast(text: string | undefined): readonly Past[] {
  try {
    return JSON.parse(text ?? '[]') as readonly Past[]; // written by this page only
  } catch {
    return [];
  }
}

function readDraft(text: string | undefined): Draft | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Draft); // written by this page only
  } catch {
    return undefined;
  }
}

function namesIn(storage: Storage): readonly string[] {
  try {
    return Object.keys(storage);
  } catch {
    return [];
  }
}
