// What the palette offers: actions of the parts of the page, ranked by what is typed.
import { signal, type Signal } from '@preact/signals';
import { scoreOf } from './match.ts';

export interface PaletteAction {
  /** Unique among all actions. */
  readonly id: string;
  readonly label: string;
  /** Shown beside the label, and matched less than it: a description, a key. */
  readonly hint?: string | undefined;
  readonly run: () => void;
}

/** The state of the palette, and the actions that parts of the page add while they are shown. */
export interface Palette {
  readonly isOpen: Signal<boolean>;
  /** By part of the page. */
  readonly parts: Signal<ReadonlyMap<string, readonly PaletteAction[]>>;
}

export function createPalette(): Palette {
  return { isOpen: signal(false), parts: signal(new Map()) };
}

/** No more are shown; a narrower query finds the others. */
export const MAX_SHOWN = 50;
const HINT_WEIGHT = 0.3;

export interface Ranked {
  readonly shown: readonly PaletteAction[];
  /** How many match, including those that are not shown. */
  readonly count: number;
}

/** The best matches first; without a query, all in their order. */
export function rank(actions: readonly PaletteAction[], query: string): Ranked {
  if (query.trim() === '') return { shown: actions.slice(0, MAX_SHOWN), count: actions.length };
  const found = actions
    .map((action, position) => ({ action, position, score: scoreOfAction(action, query) }))
    .filter(({ score }) => score > -Infinity)
    .toSorted((x, y) => y.score - x.score || x.position - y.position);
  return { shown: found.slice(0, MAX_SHOWN).map(({ action }) => action), count: found.length };
}

function scoreOfAction({ label, hint }: PaletteAction, query: string): number {
  const own = scoreOf(query, label);
  if (own !== undefined) return own;
  const all = hint === undefined ? undefined : scoreOf(query, `${label} ${hint}`);
  return all === undefined ? -Infinity : all * HINT_WEIGHT;
}
