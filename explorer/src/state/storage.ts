// What this tab remembers, and nothing longer than the tab: the key and the calls made. Only the theme outlives it.
import type { Address } from './address.ts';

export interface Past {
  readonly address: Address;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** How it ended, in a few words. */
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

/** A browser may refuse to store anything: then it is remembered until the page is left. */
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
    // Full, or refused: nothing depends on it.
  }
}

function readPast(text: string | undefined): readonly Past[] {
  try {
    return JSON.parse(text ?? '[]') as readonly Past[]; // written by this page only
  } catch {
    return [];
  }
}
