// Saves the rows of a log view as a file: the same call in another format, with as many rows as a response holds.
import { Icon } from '../parts/icon.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import { Downloads } from '../result/downloads.tsx';
import { totalOf } from './log-status.tsx';
import type { Logs } from './use-logs.ts';

interface Props {
  readonly logs: Logs;
}

export function ExportMenu({ logs }: Props) {
  return (
    <PopoverButton
      label="Export the rows"
      panelClass="log-export"
      isDisabled={logs.store.rows.value.ask === undefined}
      words={
        <>
          <Icon name="save" /> <span class="wide-words">Export</span>
        </>
      }
    >
      {() => <ExportChoice logs={logs} />}
    </PopoverButton>
  );
}

export function ExportChoice({ logs }: Props) {
  const { endpoint, view, store } = logs;
  const { ask } = store.rows.value;
  if (ask === undefined) return null;
  return (
    <>
      <p class="note">{exportWords(totalOf(logs), endpoint.max_rows)}</p>
      <Downloads ask={ask} name={`${endpoint.name}.${view.table}`} />
    </>
  );
}

/** A response holds `most` rows. */
function exportWords(total: number | undefined, most: number): string {
  if (total === undefined)
    return `The newest rows, at most ${most.toLocaleString('en')}, with all of their columns.`;
  if (total <= most)
    return `All ${total.toLocaleString('en')} rows of the filter and the time range, with all of their columns.`;
  return `The newest ${most.toLocaleString('en')} of ${total.toLocaleString('en')} rows, with all of their columns: choose a shorter time range for the others.`;
}
