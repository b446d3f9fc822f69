// The result: as a table, a chart, JSON, and as code that makes the request.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Column, Endpoint } from '../service/listing.ts';
import { isRetryable } from '../service/problem.ts';
import type { Address, View } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { askKey, askOf, isCorrected, isSameAsk, type Run } from '../state/model.ts';
import { readChart, type ChartReading } from '../chart/series.ts';
import { ChartView } from '../chart/chart-view.tsx';
import { CodeView } from '../code/code-view.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Downloads } from './downloads.tsx';
import { ExportButton } from './export-button.tsx';
import { AnswerJson } from './json-view.tsx';
import { Ready } from './ready.tsx';
import { StatusLine } from './status-line.tsx';
import { useTableState, type TableState } from './table-layout.ts';
import { TableTools } from './table-tools.tsx';
import { TableView } from './table-view.tsx';

interface Props {
  readonly endpoint: Endpoint;
}

const TABS: readonly { readonly name: View; readonly label: string }[] = [
  { name: 'table', label: 'Table' },
  { name: 'chart', label: 'Chart' },
  { name: 'json', label: 'JSON' },
  { name: 'code', label: 'Code' },
];

export function ResultPanel({ endpoint }: Props) {
  const { address, run, change } = useExplorer();
  const reading = useReading(run.value, address.value);
  const view = address.value.view ?? (isChartFirst(reading) ? 'chart' : 'table');
  const table = useTableState(endpoint.id);
  const section = useRef<HTMLElement>(null);
  const asked = run.value.kind === 'done' ? askKey(run.value.ask) : undefined;
  // Other rows are not searched for what was searched for in these.
  useEffect(() => table.onSearch(''), [asked]);
  const isOver = run.value.kind !== 'none' && run.value.kind !== 'running';
  useEffect(() => {
    if (isOver) section.current?.scrollIntoView({ block: 'nearest' });
  }, [isOver]);
  return (
    <section class="result" aria-label="Result" ref={section}>
      <div class="result-bar">
        <Tabs
          label="Show the result as"
          tabs={TABS}
          current={view}
          controls="result-panel"
          onChoose={(view) => change({ view })}
        />
        {run.value.kind === 'done' && view === 'table' && run.value.answer.rows.length > 0 && (
          <TableTools {...table} names={Object.keys(run.value.answer.rows[0] ?? {})} />
        )}
        {run.value.kind === 'done' && run.value.answer.truncated && endpoint.export !== undefined && (
          <ExportButton key={asked} ask={run.value.ask} policy={endpoint.export} />
        )}
        {run.value.kind === 'done' && <Downloads ask={run.value.ask} name={run.value.ask.endpoint} />}
      </div>
      <div id="result-panel" class="result-panel" role="tabpanel" aria-label={view}>
        {view === 'code' ? (
          <CodeView endpoint={endpoint} />
        ) : (
          <Outcome {...{ endpoint, view, reading, table }} />
        )}
      </div>
      {run.value.kind === 'done' && (
        <StatusLine
          answer={run.value.answer}
          ask={run.value.ask}
          maxRows={endpoint.max_rows}
          isPast={!isSameAsk(run.value.ask, askOf(address.value))}
        />
      )}
    </section>
  );
}

/** A chart of rows with more columns leaves some of them out, and so is not shown first. */
const MAX_WHOLE = 10;

/** Reading thousands of rows takes milliseconds: once per result and choice, and of wide rows only when it is shown. */
function useReading(run: Run, { chart: choice, view }: Address): ChartReading {
  const isShown = view === 'chart';
  return useMemo(() => {
    if (run.kind !== 'done') return { kind: 'none' };
    const { own } = run.ask;
    const { rows, truncated: isTruncated } = run.answer;
    if (!isShown && Object.keys(rows[0] ?? {}).length > MAX_WHOLE) return { kind: 'none' };
    const query = own?.language === 'sql' ? own.text : '';
    return readChart(rows, { choice, query, isTruncated });
  }, [run, choice, isShown]);
}

/** Returns whether a chart hides nothing of the rows. One point alone is better read in the table. */
function isChartFirst(reading: ChartReading): boolean {
  return reading.kind === 'chart' && reading.chart.isWhole && reading.chart.times.length > 1;
}

/** It is one constant, so that the table is not laid out again. */
const NO_COLUMNS: readonly Column[] = [];

interface OutcomeProps extends Props {
  readonly view: View;
  readonly reading: ChartReading;
  readonly table: TableState;
}

function Outcome({ endpoint, view, reading, table }: OutcomeProps) {
  const { address, run, start } = useExplorer();
  const { value } = run;
  const retry = (): void => void start();
  switch (value.kind) {
    case 'none':
      return <Ready endpoint={endpoint} />;
    case 'running':
      return <Skeleton />;
    case 'cancelled':
      return <Empty title="Cancelled">The query was also cancelled in the engine.</Empty>;
    case 'failed':
      if (isCorrected(value, address.value))
        return <Empty title="Parameters changed">Run the request again.</Empty>;
      return <ProblemCard problem={value.problem} onRetry={isRetryable(value.problem) ? retry : undefined} />;
    case 'done': {
      const { rows } = value.answer;
      const listed = value.ask.own === undefined ? endpoint.columns : undefined;
      const columns = value.answer.columns ?? listed ?? NO_COLUMNS;
      if (view === 'json') return <AnswerJson answer={value.answer} />;
      if (rows.length === 0)
        return (
          <Empty title="No rows">
            The query returned no rows. Widen the time range, or change a parameter.
          </Empty>
        );
      if (view === 'chart') return <ChartView reading={reading} />;
      return <TableView rows={rows} columns={columns} state={table} />;
    }
  }
}

function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty" role="status">
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}

function Skeleton() {
  return (
    <div class="skeleton-rows" role="status" aria-busy="true">
      <span class="visually-hidden">Running</span>
      {Array.from({ length: 12 }, (_, i) => (
        <div class="skeleton-row" key={i}>
          <div class="skeleton" />
          <div class="skeleton" />
          <div class="skeleton" style={{ width: `${40 + ((i * 37) % 55)}%` }} />
        </div>
      ))}
    </div>
  );
}
