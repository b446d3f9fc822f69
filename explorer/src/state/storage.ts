// What is stored for the lifetime of the tab: the key and the call history. Only the theme is stored permanently.
import type { Address } from './address.ts';

export interface Past {
  readonly address: Address;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The outcome, in a few words. */
  readonly outcome: string;
  readonly isFine: boolean;
}

export type Theme = 'auto' | 'light' | 'dark';

export interface Memory {
  readonly key: () => string | undefined;
  readonly setKey: (key: string | undefined) => void;
  readonly past: () => readonly Past[];
  readonly setPast: (past: readonly Past[]) => void;
  readonly theme: () => Theme;
  readonly setTheme: (theme: Theme) => void;
}

const NAMES = { key: 'millrace.key', past: 'millrace.past', theme: 'millrace.theme' };

/** Browsers may block storage; values are then held in memory until the page closes. */
export function createMemory(tab: Storage, lasting: Storage): Memory {
  return {
    key: () => get(tab, NAMES.key),
    setKey: (key) => set(tab, NAMES.key, key),
    past: () => readPast(get(tab, NAMES.past)),
    setPast: (past) => set(tab, NAMES.past, JSON.stringify(past)),
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
