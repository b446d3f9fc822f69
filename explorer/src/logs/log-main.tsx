// The middle of a log view: its histogram, its rows, and what they are in words.
import type { Table } from '../service/listing.ts';
import { LogAnalysis, LogModes, useLogAnalysis } from './log-analysis.tsx';
import { LogHistogram } from './log-histogram.tsx';
import { LogList } from './log-list.tsx';
import { LogProblem } from './log-problem.tsx';
import { LogStatus } from './log-status.tsx';
import type { LogStore } from './log-store.ts';
import type { Logs } from './use-logs.ts';
import type { Selection } from './use-selection.ts';

interface LogMainProps {
  readonly logs: Logs;
  readonly table: Table;
  readonly selection: Selection;
}

export function LogMain({ logs, table, selection }: LogMainProps) {
  const { rows, histogram } = logs.store;
  const analysis = useLogAnalysis(logs);
  return (
    <div class="logs-main" aria-busy={rows.value.isLoading} data-past={isPast(rows.value)}>
      {histogram.value.value !== undefined && (
        <LogHistogram {...histogram.value.value} onZoom={analysis.onZoom} />
      )}
      <LogModes {...analysis} />
      <LogProblem logs={logs} />
      {analysis.mode === 'rows' ? (
        <LogList logs={logs} table={table} selection={selection} />
      ) : (
        <LogAnalysis logs={logs} state={analysis} />
      )}
      <LogStatus logs={logs} />
    </div>
  );
}

/** Whether the rows belong to an earlier question. */
function isPast({ value, problem }: LogStore['rows']['value']): boolean {
  return value !== undefined && problem !== undefined;
}
