// The log view: filter and time range, histogram, facets, rows, and one row beside them.
import type { Endpoint } from '../service/listing.ts';
import { FacetContext, facetFieldsOf } from './facet-choice.ts';
import { LogBar } from './log-bar.tsx';
import { LogFilter } from './log-filter.tsx';
import { LogMain } from './log-main.tsx';
import { LogPanel } from './log-panel.tsx';
import { LogSide } from './log-side.tsx';
import { canSendSql } from './questions.ts';
import { useLogActions } from './use-log-actions.ts';
import { useLogs } from './use-logs.ts';
import { useSelection } from './use-selection.ts';
import { tableOf, type LogView } from './view.ts';

interface LogsViewProps {
  readonly endpoint: Endpoint;
  readonly views: readonly [LogView, ...LogView[]];
}

export function LogsView({ endpoint, views }: LogsViewProps) {
  const logs = useLogs(endpoint, views);
  const table = tableOf(logs.view, endpoint);
  const selection = useSelection(logs);
  useLogActions(logs);
  if (table === undefined) return null;
  const { filter, onFilter } = logs;
  const rows = logs.store.rows.value;
  return (
    <FacetContext.Provider value={canSendSql(logs.question) ? facetFieldsOf(logs) : undefined}>
      <section class="logs" aria-label="Logs" data-open={selection.isOpen}>
        <LogBar logs={logs} table={table} />
        <LogFilter filter={filter} onFilter={onFilter} problem={rows.problem} />
        <div class="logs-body">
          <LogSide logs={logs} />
          <LogMain logs={logs} table={table} selection={selection} />
          {selection.row !== undefined && (
            <LogPanel
              row={selection.row}
              table={table}
              position={selection.active + 1}
              count={rows.value?.rows.length ?? 0}
              onMove={selection.move}
              onClose={selection.close}
              filter={filter}
              onFilter={onFilter}
            />
          )}
        </div>
      </section>
    </FacetContext.Provider>
  );
}
