// The row that the keys move from, and the one that is open: the address has its key, so that it can be linked and stays open.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Row } from '../service/json.ts';
import { CallFailure } from '../service/problem.ts';
import { useExplorer } from '../state/context.ts';
import { rowOfKey } from './row-calls.ts';
import { findRow, keyOf } from './row-key.ts';
import type { Logs } from './use-logs.ts';

export interface Selection {
  readonly active: number;
  readonly isOpen: boolean;
  /** The row that is open; undefined also while it is looked for. */
  readonly row: Row | undefined;
  /** Its index among the rows of the list; undefined if it is not one of them. */
  readonly position: number | undefined;
  choose(index: number): void;
  open(index: number): void;
  /** Opens a row that may not be in the list. */
  show(row: Row): void;
  move(step: 1 | -1): void;
  close(): void;
}

export function useSelection(logs: Logs): Selection {
  const { store, view, rowKey, change } = logs;
  const rows = store.rows.value.value?.rows ?? [];
  const [chosen, setChosen] = useState<Row | undefined>(rows[0]);
  const row = useOpenRow(logs);
  // New rows above do not change which one is chosen.
  const current = row ?? chosen;
  const found = useMemo(
    () => (current === undefined ? undefined : findRow(rows, keyOf(current, view.time), view.time)),
    [rows, current],
  );
  const index = found === undefined ? -1 : rows.indexOf(found);
  const active = Math.max(0, index);
  const at = (wanted: number): Row | undefined => rows[Math.min(rows.length - 1, Math.max(0, wanted))];
  const show = (next: Row): void => {
    setChosen(next);
    change({ row: keyOf(next, view.time) });
  };
  const choose = (wanted: number): void => {
    const next = at(wanted);
    if (next === undefined) return;
    if (rowKey === undefined) setChosen(next);
    else show(next);
  };
  return {
    active,
    isOpen: row !== undefined,
    row,
    position: row === undefined || index < 0 ? undefined : index,
    choose,
    open: (wanted) => {
      const next = at(wanted);
      if (next === undefined) return;
      show(next);
      document.querySelector<HTMLElement>('.log-panel h2')?.focus({ preventScroll: true });
    },
    show,
    move: (step) => choose(active + step),
    close: () => {
      if (rowKey === undefined) return;
      change({ row: undefined });
      document.querySelector<HTMLElement>('.log-rows')?.focus();
    },
  };
}

/** The row of the address: one of the list, or else one that is asked for. It is closed if it no longer matches the filter. */
function useOpenRow({ store, view, question, rowKey, change }: Logs): Row | undefined {
  const { client, key, tell } = useExplorer();
  const { value, isLoading } = store.rows.value;
  const listed = useMemo(
    () => (rowKey === undefined ? undefined : findRow(value?.rows ?? [], rowKey, view.time)),
    [rowKey, value?.rows],
  );
  const last = useRef<Row | undefined>(undefined);
  const [other, setOther] = useState<Row>();
  const isLost = rowKey !== undefined && listed === undefined && value !== undefined && !isLoading;
  useEffect(() => {
    if (!isLost) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    rowOfKey({ client, key: key.value ?? '', signal }, question, rowKey)
      .then((found) => {
        if (signal.aborted) return;
        setOther(found);
        if (found !== undefined) return;
        change({ row: undefined });
        tell('The row was closed: the filter does not match it, or it is no longer there');
      })
      .catch((error: unknown) => {
        if (signal.aborted) return;
        if (!(error instanceof CallFailure)) throw error;
        tell(`The row could not be read: ${error.problem.title}`);
      });
    return () => controller.abort();
  }, [isLost, question, rowKey]);
  const candidates = [listed, other, last.current];
  const row = candidates.find((each) => each !== undefined && keyOf(each, view.time) === rowKey);
  last.current = row;
  return row;
}
