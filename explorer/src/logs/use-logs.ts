// Connects a log view to the page's address: what it asks, and what it changes there.
import { useEffect, useMemo } from 'preact/hooks';
import type { Endpoint } from '../service/listing.ts';
import { ALL_LOGS, type LogsAddress } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { boundsAt, readRange, writeRange, type TimeRange } from '../time-range/range.ts';
import { createLogStore, type LogStore } from './log-store.ts';
import type { LogQuestion } from './questions.ts';
import type { LogView } from './view.ts';

export interface Logs {
  readonly view: LogView;
  readonly views: readonly LogView[];
  readonly endpoint: Endpoint;
  readonly store: LogStore;
  readonly filter: string;
  readonly range: TimeRange;
  /** Paths, in their order. */
  readonly columns: readonly string[];
  /** Of the row that is open. */
  readonly rowKey: string | undefined;
  /** The endpoint and the table, as what the visitor arranges is kept for. */
  readonly place: string;
  readonly question: LogQuestion;
  change(part: Partial<LogsAddress>): void;
  onFilter(filter: string): void;
  setColumns(columns: readonly string[]): void;
  reload(): void;
}

const LAST_HOUR: TimeRange = { kind: 'relative', from: 'now-1h', to: 'now' };

export function useLogs(endpoint: Endpoint, views: readonly [LogView, ...LogView[]]): Logs {
  const { address, change, client, key, page, memory, loads, start } = useExplorer();
  const { logs = ALL_LOGS, parameters } = address.value;
  const view = views.find(({ table }) => table === logs.table) ?? views[0];
  const range = readRange(logs.range) ?? LAST_HOUR;
  const store = useMemo(
    () => createLogStore({ ...page, client, key: () => key.value }),
    [endpoint.id, client, page, key],
  );
  useEffect(() => store.close, [store]);
  const asked = JSON.stringify([endpoint.revision, view, logs.filter, logs.range, parameters, loads.value]);
  const question = useMemo<LogQuestion>(
    () => ({
      endpoint,
      view,
      parameters,
      lql: logs.filter,
      bounds: boundsAt(range, page.epoch()),
      isOpen: range.to === 'now',
    }),
    [asked],
  );
  useEffect(() => store.load(question), [store, question]);
  const place = `${endpoint.id}/${view.table}`;
  return {
    view,
    views,
    endpoint,
    store,
    filter: logs.filter,
    range,
    columns: logs.columns ?? memory.logColumns(place) ?? view.columns,
    rowKey: logs.row,
    place,
    question,
    change: (part) => change({ logs: { ...logs, ...part } }),
    onFilter: (filter) => {
      if (filter !== logs.filter) change({ logs: { ...logs, filter } });
    },
    setColumns: (columns) => {
      memory.setLogColumns(place, columns);
      change({ logs: { ...logs, columns } });
    },
    reload: () => void start(),
  };
}

/** The address of a range. */
export function rangeText(range: TimeRange): string {
  return writeRange(range);
}
