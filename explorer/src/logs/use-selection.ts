// Which row of a log view the keys move from, and whether it is open.
import { useEffect, useState } from 'preact/hooks';
import type { Row } from '../service/json.ts';
import type { Logs } from './use-logs.ts';

export interface Selection {
  readonly active: number;
  readonly isOpen: boolean;
  /** The row that is open. */
  readonly row: Row | undefined;
  choose(index: number): void;
  open(index: number): void;
  move(step: 1 | -1): void;
  close(): void;
}

export function useSelection({ store, question }: Logs): Selection {
  const rows = store.rows.value.value?.rows ?? [];
  const [chosen, setChosen] = useState(rows[0]);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [question.view.table]);
  // New rows above do not change which one is chosen.
  const found = chosen === undefined ? -1 : rows.indexOf(chosen);
  const active = Math.max(0, found);
  const choose = (index: number): void => setChosen(rows[Math.min(rows.length - 1, Math.max(0, index))]);
  return {
    active,
    isOpen: isOpen && found >= 0,
    row: isOpen && found >= 0 ? chosen : undefined,
    choose,
    open: (index) => {
      choose(index);
      setOpen(true);
    },
    move: (step) => choose(active + step),
    close: () => {
      setOpen(false);
      document.querySelector<HTMLElement>('.log-rows')?.focus();
    },
  };
}
