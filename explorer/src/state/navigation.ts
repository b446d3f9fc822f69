// Keeps what is shown in step with the URL: endpoint selection, form changes, history navigation.
import type { Endpoint } from '../service/listing.ts';
import { NOWHERE, readAddress, writeAddress, type Address } from './address.ts';
import { askOf, find, isSameAsk, type ExplorerOptions, type Listing, type State } from './model.ts';
import { openingOf } from './opening.ts';
import type { Runs } from './runs.ts';
import type { Past } from './storage.ts';

export interface Shows {
  choose(endpoint: Endpoint): void;
  /** Changes what is shown of the same endpoint. */
  change(part: Partial<Address>): void;
  /** Repeats an earlier call. */
  recall(past: Past): void;
  /** The visitor navigated to another fragment. */
  moved(): void;
  /** The list of endpoints has loaded. */
  opened(): void;
}

export function createShows({ place }: ExplorerOptions, state: State, runs: Runs): Shows {
  const show = (address: Address, isStep: boolean): void => {
    if (address.endpoint !== state.address.value.endpoint) runs.drop();
    state.address.value = address;
    place.show(writeAddress(address), isStep);
  };
  /** Adds a history entry for the state that was run, once the visitor changes it. */
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
      // A shared link runs immediately to show its rows.
      if (isLink && endpoint !== undefined && isReady(endpoint, state.address.value)) void runs.start();
    },
  };
}

/** Fills in what the URL omits: the first endpoint, and the endpoint's starter queries. */
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

/** Whether all required parameters are filled in. */
function isReady({ parameters }: Endpoint, { parameters: values }: Address): boolean {
  return parameters.every(
    ({ name, required, locked }) => !required || locked === true || (values[name] ?? '') !== '',
  );
}
