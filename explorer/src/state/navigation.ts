// Keeps what is shown in step with the URL: endpoint selection, form changes, history navigation, drafts.
import { sandboxOf, type Endpoint } from '../service/listing.ts';
import { NOWHERE, readAddress, writeAddress, type Address } from './address.ts';
import { initialAddress, mayRunUnasked } from './initial-address.ts';
import { askOf, find, isSameAsk, type ExplorerOptions, type State } from './model.ts';
import type { Runs } from './runs.ts';
import type { Draft, Memory, Past } from './storage.ts';

export interface Navigation {
  choose(endpoint: Endpoint): void;
  /** Changes what is shown of the same endpoint. */
  change(part: Partial<Address>): void;
  /** Shows another state, and runs its request if nothing is missing from it. */
  open(address: Address): void;
  /** Repeats an earlier call. */
  recall(past: Past): void;
  /** The visitor navigated to another fragment. */
  moved(): void;
  /** The list of endpoints has loaded. */
  opened(): void;
  /** The list of endpoints has changed. `shown` is the endpoint that was shown before. */
  relisted(shown: Endpoint | undefined): void;
}

export function createNavigation({ page, memory }: ExplorerOptions, state: State, runs: Runs): Navigation {
  const write = (address: Address, isStep: boolean): void => {
    const fragment = writeAddress(address);
    state.address.value = address;
    memory.setShown(fragment);
    page.show(fragment, isStep);
  };
  const show = (address: Address, isStep: boolean): void => {
    if (address.endpoint !== state.address.value.endpoint) runs.drop();
    write(address, isStep);
  };
  const saveDraft = (): void => {
    const { parameters, query, dialect, texts } = state.address.value;
    const endpoint = find(state.listing.value, state.address.value.endpoint);
    if (endpoint !== undefined) memory.setDraft(endpoint.id, { parameters, query, dialect, texts });
  };
  const { addressOf, completed } = createAddresses(memory, state);
  const runIfReady = createReadyRun(state, runs);
  return {
    choose: (endpoint) => show(addressOf(endpoint), true),
    change: (part) => {
      const after = changedBy(state.address.value, part);
      show(after, isStepFrom(state, after));
      saveDraft();
    },
    open: (address) => {
      show(completed(address), true);
      saveDraft();
      runIfReady();
    },
    recall: ({ address }) => {
      show({ ...NOWHERE, ...address }, true);
      saveDraft();
      void runs.start();
    },
    moved: () => {
      const address = readAddress(page.fragment());
      if (writeAddress(address) === writeAddress(state.address.value)) return;
      show(completed(address), false);
      runs.restore();
    },
    opened: () => {
      const isLink = state.address.value.endpoint !== undefined;
      show(completed(state.address.value), false);
      // A shared link runs immediately to show its rows, and on the first visit an example does.
      if (isLink || isFirstRun(memory, state)) runIfReady();
    },
    relisted: (shown) => {
      const { value: address } = state.address;
      const now = shown && find(state.listing.value, shown.id);
      if (address.endpoint === undefined) show(completed(address), false);
      else if (now !== undefined && now.name !== shown?.name)
        write({ ...address, endpoint: now.name }, false); // renamed: the result stays
    },
  };
}

/** A cursor belongs to one request: any other one begins at its first page. */
function changedBy(before: Address, part: Partial<Address>): Address {
  const after = { ...before, ...part };
  const isOther = !('cursor' in part) && !isSameAsk(askOf(before), askOf(after));
  return isOther ? { ...after, cursor: undefined } : after;
}

/** Runs the request that is shown, if nothing is missing from it. */
function createReadyRun(state: State, runs: Runs): () => void {
  return () => {
    const endpoint = find(state.listing.value, state.address.value.endpoint);
    if (endpoint !== undefined && isComplete(endpoint, state.address.value)) void runs.start();
  };
}

/** Returns whether nothing has been run in this browser, and the first example may. */
function isFirstRun(memory: Memory, state: State): boolean {
  const { value: listing } = state.listing;
  const endpoint = find(listing, state.address.value.endpoint);
  if (memory.isUsed() || listing.kind !== 'ready' || endpoint === undefined) return false;
  return mayRunUnasked(endpoint, listing.requestsLeft);
}

/** Returns whether a change adds a history entry: that was run, or that the log view showed. */
function isStepFrom({ address: { value: before }, run }: State, after: Address): boolean {
  if (before.logs !== undefined && after.logs !== undefined && before.logs !== after.logs)
    return writeAddress(withoutRow(before)) !== writeAddress(withoutRow(after));
  const { value } = run;
  if (value.kind !== 'done' && value.kind !== 'failed') return false;
  return isSameAsk(value.ask, askOf(before)) && !isSameAsk(value.ask, askOf(after));
}

/** Each row that is read would be a step. */
function withoutRow(address: Address): Address {
  return { ...address, logs: address.logs && { ...address.logs, row: undefined } };
}

/** The address of an endpoint with its draft, and what a URL omits. */
function createAddresses(memory: Memory, state: State) {
  const addressOf = (endpoint: Endpoint): Address => ({
    ...NOWHERE,
    ...initialAddress(endpoint),
    ...draftOf(endpoint, memory.draft(endpoint.id)),
  });
  /** Fills in the first endpoint, and the queries that the URL does not show. */
  const completed = (address: Address): Address => {
    const { value: listing } = state.listing;
    if (listing.kind !== 'ready') return address;
    const [first] = listing.endpoints;
    if (address.endpoint === undefined) return first === undefined ? address : addressOf(first);
    const endpoint = find(listing, address.endpoint);
    if (endpoint === undefined) return address;
    const { sql, lql } = addressOf(endpoint).texts;
    return { ...address, texts: { sql: address.texts.sql || sql, lql: address.texts.lql || lql } };
  };
  return { addressOf, completed };
}

/** A draft, without what the endpoint no longer has. */
function draftOf(endpoint: Endpoint, draft: Draft | undefined): Partial<Address> {
  if (draft === undefined) return {};
  const { query, texts } = draft;
  const starters = initialAddress(endpoint).texts;
  const names = new Set(endpoint.parameters.map(({ name }) => name));
  const parameters = Object.entries(draft.parameters).filter(([name]) => names.has(name));
  const isAllowed = query === 'saved' || sandboxOf(endpoint)?.languages.includes(query) === true;
  return {
    parameters: Object.fromEntries(parameters),
    query: isAllowed ? query : 'saved',
    dialect: draft.dialect,
    texts: { sql: texts.sql || starters.sql, lql: texts.lql || starters.lql },
  };
}

/** Required parameters that are `held` elsewhere need not be filled in. */
export function isComplete(endpoint: Endpoint, address: Address, held: readonly string[] = []): boolean {
  return missingOf(endpoint, address).every((name) => held.includes(name));
}

/** The names of required parameters that are not filled in. */
export function missingOf({ parameters }: Endpoint, { parameters: values }: Address): readonly string[] {
  return parameters
    .filter(({ name, required, locked }) => required && locked !== true && (values[name] ?? '') === '')
    .map(({ name }) => name);
}
