// The middle of a log view: its histogram, its rows, and what they are in words.
import type { Table } from '../service/listing.ts';
import { fixedRange } from '../time-range/range.ts';
import { LogHistogram } from './log-histogram.tsx';
import { LogList } from './log-list.tsx';
import { LogStatus, PartProblem } from './log-status.tsx';
import { rangeText, type Logs } from './use-logs.ts';
import type { Selection } from './use-selection.ts';

interface LogMainProps {
  readonly logs: Logs;
  readonly table: Table;
  readonly selection: Selection;
}

export function LogMain({ logs, table, selection }: LogMainProps) {
  const { rows, histogram } = logs.store;
  return (
    <div class="logs-main" aria-busy={rows.value.isLoading}>
      <PartProblem part={histogram.value} what="The histogram" />
      {histogram.value.value !== undefined && (
        <LogHistogram
          {...histogram.value.value}
          onZoom={(from, to) => logs.change({ range: rangeText(fixedRange(from, to)) })}
        />
      )}
      <LogList logs={logs} table={table} selection={selection} />
      <LogStatus logs={logs} />
    </div>
  );
}
