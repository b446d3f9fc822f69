// The parts of the page's state: what is shown, the request, and the response.
import type { Signal } from '@preact/signals';
import type { WhenReleased } from '../parts/press.ts';
import type { Answer } from '../service/answer.ts';
import { fieldsOf, type Ask, type Client, type ListedEndpoints } from '../service/client.ts';
import type { Finding } from '../../../src/sql/base/finding.ts';
import type { Endpoint } from '../service/listing.ts';
import type { Problem } from '../service/problem.ts';
import type { SavedView } from '../saved-views/saved-views.ts';
import type { Zone } from '../time-range/range.ts';
import type { Address } from './address.ts';
import type { Memory, Past, Theme } from './storage.ts';
import type { Tabs } from './tabs.ts';

export type Listing =
  | { readonly kind: 'loading' }
  | ({ readonly kind: 'ready' } & ListedEndpoints)
  | { readonly kind: 'failed'; readonly problem: Problem };

export type Run =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'done'; readonly answer: Answer; readonly ask: Ask }
  | { readonly kind: 'failed'; readonly problem: Problem; readonly ask: Ask };

/** The parts of `window` that the state uses. */
export interface Page {
  readonly fragment: () => string;
  /** Returns whether the visitor reloaded the page, and did not open a link. */
  readonly isReload: () => boolean;
  /** Navigates to another fragment, adding or replacing a history entry. */
  readonly show: (fragment: string, isStep: boolean) => void;
  /** Removes a development key from the URL and returns it: `#key=dev_…`. */
  readonly takeKey: () => string | undefined;
  /** Calls back when the visitor navigates through the history. */
  readonly onMove: (moved: () => void) => void;
  /** Calls back when the page becomes visible or hidden. */
  readonly onVisibility: (changed: (isVisible: boolean) => void) => void;
  readonly isVisible: () => boolean;
  readonly after: (ms: number, action: () => void) => () => void;
  /** For what moves the page. */
  readonly whenReleased: WhenReleased;
  /** Milliseconds since 1970. */
  readonly epoch: () => number;
}

export interface ExplorerOptions {
  readonly client: Client;
  readonly memory: Memory;
  readonly page: Page;
  readonly tabs: Tabs;
  readonly base: string;
}

export interface State {
  readonly key: Signal<string | undefined>;
  readonly rejected: Signal<Problem | undefined>;
  readonly listing: Signal<Listing>;
  /** What is wrong in endpoint files; known in development only. */
  readonly findings: Signal<readonly Finding[]>;
  readonly address: Signal<Address>;
  readonly run: Signal<Run>;
  /** How often the log view was asked to load. */
  readonly loads: Signal<number>;
  readonly past: Signal<readonly Past[]>;
  readonly theme: Signal<Theme>;
  readonly notice: Signal<string>;
  readonly zone: Signal<Zone>;
  readonly split: Signal<number | undefined>;
  readonly views: Signal<readonly SavedView[]>;
}

/** The request that corresponds to what is shown. */
export function askOf({ endpoint, parameters, query, dialect, texts, cursor }: Address): Ask {
  const own =
    query === 'saved'
      ? undefined
      : { language: query, text: texts[query], dialect: query === 'sql' ? dialect : undefined };
  return { endpoint: endpoint ?? '', parameters, own, cursor };
}

/** Returns whether two requests are equivalent, regardless of parameter order. */
export function isSameAsk(one: Ask, other: Ask): boolean {
  return askKey(one) === askKey(other);
}

/** The same text for equivalent requests. */
export function askKey(ask: Ask): string {
  const fields = Object.entries(fieldsOf(ask)).toSorted(([x], [y]) => (x < y ? -1 : 1));
  return JSON.stringify([ask.endpoint, fields]);
}

/** Finds an endpoint by name, with or without its version, or UUID; undefined until the endpoints are known. */
export function find(listing: Listing, name: string | undefined): Endpoint | undefined {
  if (listing.kind !== 'ready' || name === undefined) return undefined;
  const { endpoints } = listing;
  return (
    endpoints.find((each) => each.name === name || each.id === name) ??
    endpoints.find(({ name: own, version }) => version !== null && `${own}@${version}` === name)
  );
}

/** The service's message about a parameter; undefined once its value differs from the rejected one. */
export function errorOf(run: Run, parameters: Address['parameters'], name: string): string | undefined {
  if (run.kind !== 'failed' || (run.ask.parameters[name] ?? '') !== (parameters[name] ?? ''))
    return undefined;
  return run.problem.errors.find(({ parameter }) => parameter === name)?.message;
}

/** Returns whether a run failed only because of parameters, all of which have been changed since. */
export function isCorrected(run: Run, { parameters }: Address): boolean {
  if (run.kind !== 'failed' || run.problem.errors.length === 0) return false;
  return run.problem.errors.every(
    ({ parameter }) => parameter !== undefined && errorOf(run, parameters, parameter) === undefined,
  );
}
