// The rows of a log view in each of its states: loading, failed, none, and new ones above those that are read.
import { useEffect, useRef } from 'preact/hooks';
import { useCopy } from '../parts/copy.tsx';
import { counted } from '../parts/words.ts';
import { printJson } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { LogEmpty } from './log-empty.tsx';
import { LogRows } from './log-rows.tsx';
import type { Logs } from './use-logs.ts';
import type { Selection } from './use-selection.ts';

interface LogListProps {
  readonly logs: Logs;
  readonly table: Table;
  readonly selection: Selection;
}

export function LogList({ logs, table, selection }: LogListProps) {
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
        active={selection.active}
        onActive={selection.choose}
        onOpen={selection.open}
        onCopy={(index) => copy(printJson(value.rows[index] ?? null, '  '), 'the row')}
        onEnd={store.loadOlder}
        onTop={(isTop) => (isAtTop.current = isTop)}
      />
    </>
  );
}
