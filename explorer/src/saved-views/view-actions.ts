// Saved views of the page: what is shown is saved under a name, opened, renamed, deleted.
import type { SharedView } from '../service/listing.ts';
import { ALL_LOGS, NOWHERE, readAddress, writeAddress, type Address } from '../state/address.ts';
import type { State } from '../state/model.ts';
import type { Navigation } from '../state/navigation.ts';
import { savedViews, viewName, type SavedView, type SaveFault, type ViewMemory } from './saved-views.ts';

export interface ViewActions {
  /** Saves what is shown, or overwrites the view of this name. Undefined if it succeeded. */
  saveView(name: string): SaveFault | undefined;
  openView(view: SavedView): void;
  renameView(name: string, next: string): SaveFault | undefined;
  removeView(name: string): void;
  /** Reads the views again: another tab may have changed them. */
  rereadViews(): void;
}

/** The fragment of what is shown, without the name of a view and the page of its rows. */
export function viewFragment(address: Address): string {
  return writeAddress({ ...address, saved: undefined, cursor: undefined });
}

export function sharedAddress(endpoint: string, view: SharedView): Address {
  const { parameters, logs, lql = '', sql = '', show } = view;
  return {
    ...NOWHERE,
    endpoint,
    parameters,
    query: lql !== '' ? 'lql' : sql !== '' ? 'sql' : 'saved',
    texts: { lql, sql },
    view: show,
    ...(logs === undefined ? {} : { logs: { ...ALL_LOGS, ...logs } }),
  };
}

export function createViewActions(
  memory: ViewMemory,
  state: State,
  navigation: Pick<Navigation, 'change' | 'open'>,
): ViewActions {
  const views = savedViews(memory);
  const reread = (): void => {
    state.views.value = views.list();
  };
  const named = (saved: string | undefined): void => navigation.change({ saved });
  return {
    saveView: (name) => {
      const fault = views.save({ name, fragment: viewFragment(state.address.value) });
      reread();
      if (fault === undefined) named(viewName(name));
      return fault;
    },
    openView: ({ name, fragment }) => navigation.open({ ...readAddress(fragment), saved: name }),
    renameView: (name, next) => {
      const fault = views.rename(name, next);
      reread();
      if (fault === undefined && state.address.value.saved === name) named(viewName(next));
      return fault;
    },
    removeView: (name) => {
      views.remove(name);
      reread();
      if (state.address.value.saved === name) named(undefined);
    },
    rereadViews: reread,
  };
}
