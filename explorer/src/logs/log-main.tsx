// The middle of a log view: its histogram, its rows, and what they are in words.
import type { Table } from '../service/listing.ts';
import { endOf } from './follower.ts';
import { LogAnalysis, LogModes, useLogAnalysis } from './log-analysis.tsx';
import { LogHistogram } from './log-histogram.tsx';
import type { LayoutProps } from './log-layout.ts';
import { LogList } from './log-list.tsx';
import { LogPanel } from './log-panel.tsx';
import { LogProblem } from './log-problem.tsx';
import { LogSplit } from './log-split.tsx';
import { LogStatus, totalOf } from './log-status.tsx';
import type { LogStore } from './log-store.ts';
import { levelField } from './severity-filter.ts';
import type { Logs } from './use-logs.ts';
import type { Selection } from './use-selection.ts';

interface LogMainProps extends LayoutProps {
  readonly logs: Logs;
  readonly table: Table;
  readonly selection: Selection;
}

export function LogMain({ logs, table, selection, ...layout }: LogMainProps) {
  const { filter, onFilter, range, question } = logs;
  const { rows, histogram } = logs.store;
  const analysis = useLogAnalysis(logs);
  return (
    <div class="logs-main" aria-busy={rows.value.isLoading} data-past={isPast(rows.value)}>
      {histogram.value.value === undefined ? (
        histogram.value.problem === undefined && <div class="log-histogram" aria-busy="true" />
      ) : (
        <LogHistogram
          {...histogram.value.value}
          range={range}
          onRange={analysis.onRange}
          part={analysis.mode === 'differences' ? analysis.part : undefined}
          end={endOf(logs.store.following.value, question)}
          level={levelField(question)}
          {...{ filter, onFilter }}
        />
      )}
      <LogModes {...analysis} />
      <LogProblem logs={logs} />
      {analysis.mode === 'rows' ? (
        <LogSplit
          {...layout}
          panel={(isBelow) =>
            selection.row !== undefined && (
              <LogPanel
                row={selection.row}
                total={totalOf(logs)}
                {...{ logs, table, selection, filter, onFilter, isBelow }}
                {...layout}
              />
            )
          }
        >
          <LogList {...{ logs, table, selection }} {...layout} />
        </LogSplit>
      ) : (
        <LogAnalysis logs={logs} state={analysis} />
      )}
      <LogStatus logs={logs} />
    </div>
  );
}

/** If loading failed, the rows that are shown belong to an earlier question. */
function isPast({ value, problem }: LogStore['rows']['value']): boolean {
  return value !== undefined && problem !== undefined;
}
