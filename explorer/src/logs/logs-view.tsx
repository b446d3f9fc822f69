// The log view: filter and time range, histogram, facets, rows, and one row beside them.
import { useEffect, useRef } from 'preact/hooks';
import { usePaletteActions } from '../palette/use-palette-actions.ts';
import { useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { counted } from '../parts/words.ts';
import { printJson } from '../service/json.ts';
import type { Endpoint, Table } from '../service/listing.ts';
import { viewFragment } from '../saved-views/view-actions.ts';
import { ALL_LOGS } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { PRESETS, type TimeRange } from '../time-range/range.ts';
import { TimeRangeControl } from '../time-range/time-range-control.tsx';
import { CallMenu } from './call-menu.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { LogFacets } from './log-facets.tsx';
import { isOfFilter, LogFilter } from './log-filter.tsx';
import { LogHistogram } from './log-histogram.tsx';
import { useLogLayout, type LayoutProps } from './log-layout.ts';
import { LogPanel } from './log-panel.tsx';
import { LogRows } from './log-rows.tsx';
import { LogSide } from './log-side.tsx';
import { LogSplit } from './log-split.tsx';
import { MAX_ROWS, type Part } from './log-store.ts';
import { canSendSql } from './questions.ts';
import { useSelection, type Selection } from './selection.ts';
import { levelField } from './severity-filter.ts';
import { rangeText, useLogs, type Logs } from './use-logs.ts';
import { tableOf, type LogView } from './view.ts';

interface Props {
  readonly endpoint: Endpoint;
  readonly views: readonly [LogView, ...LogView[]];
}

export function LogsView({ endpoint, views }: Props) {
  const logs = useLogs(endpoint, views);
  const table = tableOf(logs.view, endpoint);
  const selection = useSelection(logs);
  const layoutProps = useLogLayout(logs.place);
  useLogActions(logs);
  if (table === undefined) return null;
  const { store, filter, change } = logs;
  const onFilter = (next: string): void => {
    if (next !== filter) change({ filter: next });
  };
  const { rows, histogram, facets } = store;
  return (
    <section class="logs" aria-label="Logs" data-open={selection.isOpen}>
      <LogBar logs={logs} table={table} />
      <LogFilter filter={filter} onFilter={onFilter} problem={rows.value.problem} />
      <div class="logs-body">
        <LogSide {...layoutProps}>
          <PartProblem part={facets.value} what="The facets" />
          {!canSendSql(logs.question) && (
            <p class="note">Facets need SQL, which this endpoint or your key does not allow.</p>
          )}
          <LogFacets facets={facets.value.value ?? []} filter={filter} onFilter={onFilter} />
        </LogSide>
        <div class="logs-main" aria-busy={rows.value.isLoading}>
          <PartProblem part={histogram.value} what="The histogram" />
          {histogram.value.value !== undefined && (
            <LogHistogram
              {...histogram.value.value}
              range={rangeText(logs.range)}
              onRange={(range) => change({ range })}
              level={levelField(logs.question)}
              {...{ filter, onFilter }}
            />
          )}
          <LogSplit
            {...layoutProps}
            panel={(isBelow) =>
              selection.row !== undefined && (
                <LogPanel
                  row={selection.row}
                  total={totalOf(logs)}
                  {...{ table, logs, selection, filter, onFilter, isBelow }}
                  {...layoutProps}
                />
              )
            }
          >
            <Rows {...{ logs, table, selection }} {...layoutProps} />
          </LogSplit>
          <Status logs={logs} />
        </div>
      </div>
    </section>
  );
}

interface LogsProps {
  readonly logs: Logs;
}

function LogBar({ logs, table }: LogsProps & { readonly table: Table }) {
  const { zone, setZone, address, base } = useExplorer();
  const { view, views, range, store, change, columns, setColumns } = logs;
  const isFollowing = store.isFollowing.value;
  const canFollow = range.to === 'now';
  const linkOf = (other: TimeRange): string =>
    new URL(
      viewFragment({
        ...address.value,
        logs: { ...(address.value.logs ?? ALL_LOGS), range: rangeText(other) },
      }),
      base,
    ).href;
  return (
    <div class="log-bar">
      {views.length > 1 && (
        <label>
          <span class="visually-hidden">Table</span>
          <select
            class="input mono"
            value={view.table}
            onChange={({ currentTarget }) =>
              change({ ...ALL_LOGS, range: rangeText(range), table: currentTarget.value })
            }
          >
            {views.map(({ table: name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <TimeRangeControl
        range={range}
        onChange={(next) => change({ range: rangeText(next) })}
        zone={zone.value}
        onZone={setZone}
        linkOf={linkOf}
      />
      <button
        type="button"
        class="button"
        aria-pressed={isFollowing}
        disabled={!canFollow && !isFollowing}
        title={canFollow ? 'Show new rows as they arrive' : 'Choose a time range that ends now'}
        onClick={isFollowing ? store.pause : store.follow}
      >
        <Icon name={isFollowing ? 'stop' : 'play'} /> {isFollowing ? 'Pause' : 'Follow'}
      </button>
      <button type="button" class="button" onClick={logs.reload}>
        <Icon name="again" /> Refresh
      </button>
      <ColumnMenu {...{ table, view, columns }} onColumns={setColumns} />
      <CallMenu logs={logs} />
    </div>
  );
}

interface RowsProps extends LogsProps, LayoutProps {
  readonly table: Table;
  readonly selection: Selection;
}

function Rows({ logs, table, selection, ...layout }: RowsProps) {
  const { store, view, columns, filter } = logs;
  const copy = useCopy();
  const isAtTop = useRef(true);
  const { value, problem, isLoading } = store.rows.value;
  const fresh = store.fresh.value;
  useEffect(() => {
    if (fresh.length > 0 && isAtTop.current && !selection.isOpen) store.showFresh();
  }, [fresh, selection.isOpen]);
  if (problem !== undefined && value === undefined) {
    return isOfFilter(problem) ? (
      <p class="empty-note">The filter was not accepted: its message is above.</p>
    ) : (
      <ProblemCard problem={problem} onRetry={logs.reload} />
    );
  }
  if (value === undefined)
    return <div class="skeleton-page" aria-busy="true" aria-label="Loading the rows" />;
  if (value.rows.length === 0 && !isLoading)
    return (
      <p class="empty-note">
        No rows match in this time range. Widen the range, or remove a clause of the filter.
      </p>
    );
  return (
    <>
      {fresh.length > 0 && (
        <button type="button" class="chip log-fresh" onClick={store.showFresh}>
          {counted(fresh.length, 'new row')}
        </button>
      )}
      <LogRows
        rows={value.rows}
        {...{ view, table, columns, filter }}
        {...layout}
        onColumns={logs.setColumns}
        active={selection.active}
        onActive={selection.choose}
        onOpen={selection.open}
        onCopy={(index) => copy(printJson(value.rows[index] ?? null, '  '), 'the row')}
        onClose={selection.close}
        onEnd={store.loadOlder}
        onTop={(isTop) => (isAtTop.current = isTop)}
      />
    </>
  );
}

/** All rows of the filter and the time range, as the histogram counts them; undefined while they are counted. */
function totalOf({ store }: Logs): number | undefined {
  const { value, isLoading } = store.histogram.value;
  return isLoading ? undefined : value?.buckets.reduce((sum, { rows }) => sum + rows, 0);
}

function Status({ logs }: LogsProps) {
  const { store } = logs;
  const { value, problem, isLoading } = store.rows.value;
  const total = totalOf(logs);
  const shown = value?.rows.length ?? 0;
  const isFull = shown >= MAX_ROWS;
  const words = [
    isLoading ? 'Loading' : counted(shown, 'row'),
    // While new rows are followed, the time range moves, and rows that have left it are still shown.
    ...(total === undefined || total < shown || isLoading
      ? []
      : [`of ${total.toLocaleString('en')} in the time range`]),
    ...(store.isLoadingOlder.value ? ['· loading older rows'] : []),
    ...(value?.isIncomplete === true ? ['· some rows of one time are left out'] : []),
    ...(isFull
      ? [`· older rows than these ${MAX_ROWS.toLocaleString('en')} are not kept: choose a shorter time range`]
      : []),
    ...(value !== undefined && problem !== undefined ? [`· older rows failed: ${problem.title}`] : []),
    ...(store.isFollowing.value ? ['· following'] : []),
  ];
  return (
    <p class="log-status" role="status">
      {words.join(' ')}
    </p>
  );
}

/** The filter's own problem is shown at the filter. */
function PartProblem({ part, what }: { readonly part: Part<unknown>; readonly what: string }) {
  const { problem } = part;
  if (problem === undefined || problem.status === 400) return null; // also that of the rows
  return (
    <p class="note" role="alert">
      {what} failed: {problem.title}. {problem.hint}
    </p>
  );
}

function useLogActions(logs: Logs): void {
  const { store, change } = logs;
  const isFollowing = store.isFollowing.value;
  usePaletteActions('logs', [
    { id: 'logs refresh', label: 'Refresh the logs', run: logs.reload },
    {
      id: 'logs follow',
      label: isFollowing ? 'Pause the logs' : 'Follow the logs',
      hint: 'live tail',
      run: isFollowing ? store.pause : store.follow,
    },
    { id: 'logs clear', label: 'Clear the filter', run: () => change({ filter: '' }) },
    ...PRESETS.map(({ title, range }) => ({
      id: `logs ${title}`,
      label: title,
      hint: 'time range',
      run: () => change({ range: rangeText(range) }),
    })),
    ...logs.views.map(({ table }) => ({
      id: `logs table ${table}`,
      label: `Logs of ${table}`,
      run: () => change({ table, filter: '', columns: undefined }),
    })),
  ]);
}
