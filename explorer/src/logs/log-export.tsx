// Saves the rows of a log view as a file: the same call in another format, with as many rows as a response holds.
import { Icon } from '../parts/icon.tsx';
import { Downloads } from '../result/downloads.tsx';
import { usePopover } from '../time-range/use-popover.ts';
import { totalOf } from './log-status.tsx';
import type { Logs } from './use-logs.ts';

export function LogExport({ logs }: { readonly logs: Logs }) {
  const { endpoint, view, store } = logs;
  const { isOpen, ...popover } = usePopover();
  const { ask } = store.rows.value;
  return (
    <div ref={popover.root} onKeyDown={popover.onKeyDown} onFocusOut={popover.onFocusOut}>
      <button
        type="button"
        class="button"
        ref={popover.button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={ask === undefined}
        onClick={popover.toggle}
      >
        <Icon name="save" /> <span class="wide-words">Export</span>
      </button>
      {isOpen && ask !== undefined && (
        <div class="log-menu log-export" role="dialog" aria-label="Export the rows" ref={popover.panel}>
          <p class="note">{exportWords(totalOf(logs), endpoint.max_rows)}</p>
          <Downloads ask={ask} name={`${endpoint.name}.${view.table}`} />
        </div>
      )}
    </div>
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
