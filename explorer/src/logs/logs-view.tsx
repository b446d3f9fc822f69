// The log view: filter and time range, histogram, facets, rows, and one row beside them.
import type { Endpoint } from '../service/listing.ts';
import { FacetContext, facetFieldsOf } from './facet-choice.ts';
import { LogBar } from './log-bar.tsx';
import { LogFilter } from './log-filter.tsx';
import { useLogLayout } from './log-layout.ts';
import { LogMain } from './log-main.tsx';
import { LogSide } from './log-side.tsx';
import { canSendSql } from './questions.ts';
import { useLogActions } from './use-log-actions.ts';
import { useLogs } from './use-logs.ts';
import { useSelection } from './use-selection.ts';
import { useSheet } from './use-sheet.ts';
import { tableOf, type LogView } from './view.ts';

interface LogsViewProps {
  readonly endpoint: Endpoint;
  readonly views: readonly [LogView, ...LogView[]];
}

export function LogsView({ endpoint, views }: LogsViewProps) {
  const logs = useLogs(endpoint, views);
  const table = tableOf(logs.view, endpoint);
  const selection = useSelection(logs);
  const layout = useLogLayout(logs.place);
  const sheet = useSheet();
  useLogActions(logs);
  if (table === undefined) return null;
  return (
    <FacetContext.Provider value={canSendSql(logs.question) ? facetFieldsOf(logs) : undefined}>
      <section class="logs" aria-label="Logs" data-open={selection.isOpen}>
        <LogBar {...{ logs, table, sheet }} {...layout} />
        <LogFilter logs={logs} table={table} />
        <div class="logs-body">
          {/* The rows are what is looked for next: the facets, left of them, are reached after them. */}
          <LogMain {...{ logs, table, selection }} {...layout} />
          <LogSide {...{ logs, sheet }} {...layout} />
        </div>
      </section>
    </FacetContext.Provider>
  );
}
