// The rows of a log view in each of its states: loading, failed, none, and new ones above those that are read.
import { useEffect, useRef } from 'preact/hooks';
import { useCopy } from '../parts/copy.tsx';
import { counted } from '../parts/words.ts';
import { printJson } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { LogEmpty } from './log-empty.tsx';
import type { LayoutProps } from './log-layout.ts';
import { LogRows } from './log-rows.tsx';
import type { Logs } from './use-logs.ts';
import type { Selection } from './use-selection.ts';

interface LogListProps extends LayoutProps {
  readonly logs: Logs;
  readonly table: Table;
  readonly selection: Selection;
}

export function LogList({ logs, table, selection, ...layout }: LogListProps) {
  const { store, view, columns } = logs;
  const copy = useCopy();
  const isAtTop = useRef(true);
  const { value, problem, isLoading } = store.rows.value;
  const fresh = store.fresh.value;
  useEffect(() => {
    if (fresh.length > 0 && isAtTop.current && !selection.isOpen) store.showFresh();
  }, [fresh, selection.isOpen]);
  if (value === undefined)
    return problem === undefined ? (
      <div class="skeleton-page" aria-busy="true" aria-label="Loading the rows" />
    ) : null;
  if (value.rows.length === 0 && !isLoading && problem === undefined) return <LogEmpty logs={logs} />;
  return (
    <>
      {fresh.length > 0 && (
        <button type="button" class="chip log-fresh" onClick={store.showFresh}>
          {counted(fresh.length, 'new row')}
        </button>
      )}
      <LogRows
        rows={value.rows}
        {...{ view, table, columns }}
        filter={problem === undefined ? logs.filter : ''} // rows of before the change are not marked by it
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
