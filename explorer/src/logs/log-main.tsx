// The middle of a log view: its histogram, its rows, and what they are in words.
import type { Table } from '../service/listing.ts';
import { fixedRange } from '../time-range/range.ts';
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
  return (
    <div class="logs-main" aria-busy={rows.value.isLoading} data-past={isPast(rows.value)}>
      {histogram.value.value !== undefined && (
        <LogHistogram
          {...histogram.value.value}
          onZoom={(from, to) => logs.change({ range: fixedRange(from, to) })}
        />
      )}
      <LogProblem logs={logs} />
      <LogList logs={logs} table={table} selection={selection} />
      <LogStatus logs={logs} />
    </div>
  );
}

/** Whether the rows belong to an earlier question. */
function isPast({ value, problem }: LogStore['rows']['value']): boolean {
  return value !== undefined && problem !== undefined;
}
