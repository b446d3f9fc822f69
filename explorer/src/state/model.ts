// The parts of the page's state: what is shown, the request, and the response.
import type { Signal } from '@preact/signals';
import type { Answer } from '../service/answer.ts';
import { fieldsOf, type Ask, type Client } from '../service/client.ts';
import type { Endpoint } from '../service/listing.ts';
import type { Problem } from '../service/problem.ts';
import type { Address } from './address.ts';
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

/** The parts of `window` that the state uses. */
export interface Place {
  readonly fragment: () => string;
  /** Navigates to another fragment, adding or replacing a history entry. */
  readonly show: (fragment: string, isStep: boolean) => void;
  /** Calls back when the visitor navigates through the history. */
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

export interface State {
  readonly key: Signal<string | undefined>;
  readonly refused: Signal<Problem | undefined>;
  readonly listing: Signal<Listing>;
  readonly address: Signal<Address>;
  readonly run: Signal<Run>;
  readonly past: Signal<readonly Past[]>;
  readonly theme: Signal<Theme>;
  readonly notice: Signal<string>;
}

/** The request that corresponds to what is shown. */
export function askOf({ endpoint, parameters, query, texts }: Address): Ask {
  const own = query === 'saved' ? undefined : { language: query, text: texts[query] };
  return { endpoint: endpoint ?? '', parameters, own };
}

/** Whether two requests are equivalent, regardless of parameter order. */
export function isSameAsk(one: Ask, other: Ask): boolean {
  const [a, b] = [one, other].map((ask) => {
    const fields = Object.entries(fieldsOf(ask)).toSorted(([x], [y]) => (x < y ? -1 : 1));
    return JSON.stringify([ask.endpoint, fields]);
  });
  return a === b;
}

/** Finds an endpoint by name or UUID; undefined until the endpoints are known. */
export function find(listing: Listing, name: string | undefined): Endpoint | undefined {
  if (listing.kind !== 'ready') return undefined;
  return listing.endpoints.find((each) => each.name === name || each.id === name);
}
