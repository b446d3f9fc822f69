// Stores for the lifetime of the tab: the key, the call history, unfinished queries and what is shown. Stores permanently: the theme,
// the zone of times, the position of the divider, layouts, saved views, and that the page has been used.
import type { ViewMemory } from '../saved-views/saved-views.ts';
import type { Zone } from '../time-range/range.ts';
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

/** Columns of the log view, by endpoint and table. */
export interface LogMemory {
  readonly logColumns: (table: string) => readonly string[] | undefined;
  readonly setLogColumns: (table: string, columns: readonly string[] | undefined) => void;
}

/** Stores how parts of the page are arranged, as JSON, by the place of the part. */
export interface LayoutMemory {
  readonly layout: (place: string) => string | undefined;
  readonly setLayout: (place: string, layout: string) => void;
}

export interface Memory extends ViewMemory, LogMemory, LayoutMemory {
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
  readonly zone: () => Zone;
  readonly setZone: (zone: Zone) => void;
  /** The height of the form and query above the divider, in pixels; undefined: that of their content. */
  readonly split: () => number | undefined;
  readonly setSplit: (height: number | undefined) => void;
  /** Returns whether a request was made in this browser. */
  readonly isUsed: () => boolean;
  readonly setUsed: () => void;
}

const NAMES = {
  key: 'millrace.key',
  past: 'millrace.past',
  theme: 'millrace.theme',
  draft: 'millrace.draft.',
  shown: 'millrace.shown',
  zone: 'millrace.zone',
  split: 'millrace.split',
  used: 'millrace.used',
  views: 'millrace.views',
  logColumns: 'millrace.log-columns.',
  layout: 'millrace.layout.',
};

/** Browsers may block storage; values are then held in memory until the page closes. */
export function createMemory(tab: Storage, lasting: Storage): Memory {
  return {
    key: () => get(tab, NAMES.key),
    setKey: (key) => void set(tab, NAMES.key, key),
    past: () => readPast(get(tab, NAMES.past)),
    setPast: (past) => void set(tab, NAMES.past, JSON.stringify(past)),
    draft: (endpoint) => readDraft(get(tab, NAMES.draft + endpoint)),
    setDraft: (endpoint, draft) => void set(tab, NAMES.draft + endpoint, JSON.stringify(draft)),
    forgetDrafts: () => {
      for (const name of namesIn(tab)) if (name.startsWith(NAMES.draft)) set(tab, name, undefined);
      set(tab, NAMES.shown, undefined);
    },
    shown: () => get(tab, NAMES.shown),
    setShown: (fragment) => void set(tab, NAMES.shown, fragment),
    theme: () => {
      const theme = get(lasting, NAMES.theme);
      return theme === 'light' || theme === 'dark' ? theme : 'auto';
    },
    setTheme: (theme) => void set(lasting, NAMES.theme, theme === 'auto' ? undefined : theme),
    zone: () => (get(lasting, NAMES.zone) === 'local' ? 'local' : 'utc'),
    setZone: (zone) => void set(lasting, NAMES.zone, zone === 'utc' ? undefined : zone),
    split: () => {
      const height = Number(get(lasting, NAMES.split) ?? 0);
      return height > 0 && height < 10_000 ? height : undefined;
    },
    setSplit: (height) => void set(lasting, NAMES.split, height?.toFixed(0)),
    isUsed: () => get(lasting, NAMES.used) !== undefined,
    setUsed: () => void set(lasting, NAMES.used, 'true'),
    logColumns: (table) => readTexts(get(lasting, NAMES.logColumns + table)),
    setLogColumns: (table, columns) =>
      void set(lasting, NAMES.logColumns + table, columns && JSON.stringify(columns)),
    layout: (place) => get(lasting, NAMES.layout + place),
    setLayout: (place, layout) => void set(lasting, NAMES.layout + place, layout),
    views: () => get(lasting, NAMES.views),
    setViews: (text) => set(lasting, NAMES.views, text),
  };
}

function get(storage: Storage, name: string): string | undefined {
  try {
    return storage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether it could be stored: the quota may be exceeded, or storage blocked. */
function set(storage: Storage, name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) storage.removeItem(name);
    else storage.setItem(name, value);
    return true;
  } catch {
    return false;
  }
}

/** Undefined for anything but a list of texts. */
function readTexts(text: string | undefined): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
  } catch {
    return undefined;
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
