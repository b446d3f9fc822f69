// Saved views: names for states of the page, in storage that lasts. The key is never part of them.

export interface SavedView {
  readonly name: string;
  /** The fragment of the page's URL, without the view's name. */
  readonly fragment: string;
}

/** What saved views need of storage. */
export interface ViewMemory {
  readonly views: () => string | undefined;
  /** Returns whether it could be stored. */
  readonly setViews: (text: string) => boolean;
}

export type SaveFault = 'unnamed' | 'long' | 'many' | 'blocked';

export interface SavedViews {
  readonly list: () => readonly SavedView[];
  /** Saves under a new name, or overwrites the view of this name. Undefined if it succeeded. */
  readonly save: (view: SavedView) => SaveFault | undefined;
  /** Another view of the new name is replaced. */
  readonly rename: (name: string, next: string) => SaveFault | undefined;
  readonly remove: (name: string) => void;
}

export const MAX_VIEWS = 100;
export const MAX_NAME = 80;
const MAX_FRAGMENT = 20_000;

export const FAULTS: Readonly<Record<SaveFault, string>> = {
  unnamed: `Enter a name of at most ${MAX_NAME} characters.`,
  long: 'The view is too long to be saved: shorten its query.',
  many: `There are ${MAX_VIEWS} saved views: delete one first.`,
  blocked: 'The browser does not store it: its storage is full, or blocked for this page.',
};

/** Reads storage at each call: other tabs of the browser write to it as well. */
export function savedViews(memory: ViewMemory): SavedViews {
  const list = (): readonly SavedView[] => readViews(memory.views());
  const write = (views: readonly SavedView[]): SaveFault | undefined =>
    memory.setViews(JSON.stringify(views)) ? undefined : 'blocked';
  const save: SavedViews['save'] = ({ name: given, fragment }) => {
    const name = viewName(given);
    if (name === undefined) return 'unnamed';
    if (!isFragment(fragment)) return 'long';
    const views = list();
    const others = views.filter((each) => each.name !== name);
    if (others.length >= MAX_VIEWS) return 'many';
    return write(sorted([...others, { name, fragment }]));
  };
  const remove = (name: string): void => {
    write(list().filter((each) => each.name !== name));
  };
  return {
    list,
    save,
    remove,
    rename: (name, given) => {
      const next = viewName(given);
      const view = list().find((each) => each.name === name);
      if (view === undefined || next === undefined) return 'unnamed';
      const others = list().filter((each) => each.name !== name && each.name !== next);
      return write(sorted([...others, { ...view, name: next }]));
    },
  };
}

/** The name as it is stored; undefined if it cannot be one. */
export function viewName(text: string): string | undefined {
  const name = text.trim().replace(/\s+/g, ' ');
  return name === '' || name.length > MAX_NAME ? undefined : name;
}

function sorted(views: readonly SavedView[]): readonly SavedView[] {
  return views.toSorted((x, y) => x.name.localeCompare(y.name, 'en'));
}

function isFragment(fragment: string): boolean {
  return fragment.startsWith('#/') && fragment.length <= MAX_FRAGMENT;
}

/** What is not a view is left out: storage may have been written by another version, or by anything else. */
function readViews(text: string | undefined): readonly SavedView[] {
  const views = parse(text);
  if (!Array.isArray(views)) return [];
  const names = new Set<string>();
  return views.flatMap((each: unknown): readonly SavedView[] => {
    if (typeof each !== 'object' || each === null || !('name' in each) || !('fragment' in each)) return [];
    const { name, fragment } = each;
    if (typeof name !== 'string' || typeof fragment !== 'string' || names.size === MAX_VIEWS) return [];
    if (viewName(name) !== name || !isFragment(fragment) || names.has(name)) return [];
    names.add(name);
    return [{ name, fragment }];
  });
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
