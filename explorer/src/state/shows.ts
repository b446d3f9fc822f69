// What is looked at, in step with the URL: endpoints chosen, parts changed, the visitor going back and forth.
import type { Endpoint } from '../service/listing.ts';
import { NOWHERE, readAddress, writeAddress, type Address } from './address.ts';
import { askOf, find, isSameAsk, type ExplorerOptions, type Listing, type State } from './model.ts';
import { openingOf } from './opening.ts';
import type { Runs } from './runs.ts';
import type { Past } from './storage.ts';

export interface Shows {
  choose(endpoint: Endpoint): void;
  /** Shows something else of the same endpoint. */
  change(part: Partial<Address>): void;
  /** Makes a call again. */
  recall(past: Past): void;
  /** The visitor went to another fragment. */
  moved(): void;
  /** The endpoints have become known. */
  opened(): void;
}

export function createShows({ place }: ExplorerOptions, state: State, runs: Runs): Shows {
  const show = (address: Address, isStep: boolean): void => {
    if (address.endpoint !== state.address.value.endpoint) runs.drop();
    state.address.value = address;
    place.show(writeAddress(address), isStep);
  };
  /** What was run is kept as a step to go back to, as soon as something else is asked. */
  const isStepFrom = (before: Address, after: Address): boolean => {
    const { value } = state.run;
    if (value.kind !== 'done' && value.kind !== 'failed') return false;
    return isSameAsk(value.ask, askOf(before)) && !isSameAsk(value.ask, askOf(after));
  };
  return {
    choose: (endpoint) => show({ ...NOWHERE, ...openingOf(endpoint) }, true),
    change: (part) => {
      const before = state.address.value;
      const after = { ...before, ...part };
      show(after, isStepFrom(before, after));
    },
    recall: ({ address }) => {
      show(address, true);
      void runs.start();
    },
    moved: () => {
      const address = readAddress(place.fragment());
      if (writeAddress(address) !== writeAddress(state.address.value))
        show(completed(address, state.listing.value), false);
    },
    opened: () => {
      const isLink = state.address.value.endpoint !== undefined;
      show(completed(state.address.value, state.listing.value), false);
      const endpoint = find(state.listing.value, state.address.value.endpoint);
      // A link that was shared shows its rows.
      if (isLink && endpoint !== undefined && isReady(endpoint, state.address.value)) void runs.start();
    },
  };
}

/** An address with what its URL leaves out: the first endpoint, and the queries of one's own that an endpoint opens with. */
function completed(address: Address, listing: Listing): Address {
  if (listing.kind !== 'ready') return address;
  const [first] = listing.endpoints;
  if (address.endpoint === undefined)
    return first === undefined ? address : { ...NOWHERE, ...openingOf(first) };
  const endpoint = find(listing, address.endpoint);
  if (endpoint === undefined) return address;
  const { sql, lql } = openingOf(endpoint).texts;
  return { ...address, texts: { sql: address.texts.sql || sql, lql: address.texts.lql || lql } };
}

/** Whether everything is filled in that a run needs. */
function isReady({ parameters }: Endpoint, { parameters: values }: Address): boolean {
  return parameters.every(
    ({ name, required, locked }) => !required || locked === true || (values[name] ?? '') !== '',
  );
}
