// Connects a log view to the page's address: what it asks, and what it changes there.
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import { viewFragment } from '../saved-views/view-actions.ts';
import { ALL_LOGS, type LogsAddress } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { boundsAt, type TimeRange } from '../time-range/range.ts';
import { heldBy, omit, rangeShown, withRange } from './log-range.ts';
import { createLogStore, type LogStore } from './log-store.ts';
import type { LogQuestion } from './questions.ts';
import { tableOf, withFacets, type LogView } from './view.ts';

export interface Logs {
  readonly view: LogView;
  readonly views: readonly LogView[];
  readonly endpoint: Endpoint;
  readonly store: LogStore;
  readonly filter: string;
  readonly range: TimeRange;
  /** Paths, in their order. */
  readonly columns: readonly string[];
  /** Paths of the facets beside those of the view's file. */
  readonly added: readonly string[];
  /** The row with this key is open. */
  readonly rowKey: string | undefined;
  /** The endpoint and the table, as what the visitor arranges is kept for. */
  readonly place: string;
  readonly question: LogQuestion;
  change(part: Partial<Omit<LogsAddress, 'range'>> & { readonly range?: TimeRange }): void;
  onFilter(filter: string): void;
  setColumns(columns: readonly string[]): void;
  /** The URL of what is shown with another range. */
  linkTo(range: TimeRange): string;
  reload(): void;
}

export function useLogs(endpoint: Endpoint, views: readonly [LogView, ...LogView[]]): Logs {
  const { address, change, client, key, page, memory, loads, start, base } = useExplorer();
  const { logs = ALL_LOGS, parameters } = address.value;
  const declared = views.find(({ table }) => table === logs.table) ?? views[0];
  const view = withFacets(declared, logs.facets, tableOf(declared, endpoint));
  const range = rangeShown(endpoint, view, address.value);
  const store = useMemo(
    () => createLogStore({ ...page, client, key: () => key.value }),
    [endpoint.id, client, page, key],
  );
  useEffect(() => store.close, [store]);
  const own = omit(parameters, heldBy(view));
  const asked = JSON.stringify([endpoint.revision, view, logs.filter, range, own, loads.value]);
  const question = useMemo<LogQuestion>(
    () => ({
      endpoint,
      view,
      parameters: own,
      lql: logs.filter,
      bounds: boundsAt(range, page.epoch()),
      isOpen: range.to === 'now',
    }),
    [asked],
  );
  // This runs before the page is painted: rows of an earlier question would be shown as those of this one.
  useLayoutEffect(() => store.load(question), [store, question]);
  const place = `${endpoint.id}/${view.table}`;
  return {
    view,
    views,
    endpoint,
    store,
    filter: logs.filter,
    range,
    columns: logs.columns ?? memory.logColumns(place) ?? view.columns,
    added: logs.facets ?? [],
    rowKey: logs.row,
    place,
    question,
    change: ({ range: next, ...part }) => {
      const changed = { ...address.value, logs: { ...logs, ...part } };
      change(next === undefined ? { logs: changed.logs } : withRange(changed, view, next));
    },
    onFilter: (filter) => {
      if (filter !== logs.filter) change({ logs: { ...logs, filter } });
    },
    setColumns: (columns) => {
      memory.setLogColumns(place, columns);
      change({ logs: { ...logs, columns } });
    },
    linkTo: (next) =>
      new URL(viewFragment({ ...address.value, ...withRange(address.value, view, next) }), base).href,
    reload: () => void start(),
  };
}
