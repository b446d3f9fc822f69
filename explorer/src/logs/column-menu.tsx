// Chooses the columns of the rows, and their order.
import { useId, useState } from 'preact/hooks';
import type { Table } from '../service/listing.ts';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import { usePopover } from '../time-range/use-popover.ts';
import { fieldsOf } from './fields.ts';
import type { LogView } from './view.ts';

interface Props {
  readonly table: Table;
  readonly view: LogView;
  readonly columns: readonly string[];
  readonly onColumns: (columns: readonly string[]) => void;
}

/** Fields that are listed; a search finds the others. */
const MAX_LISTED = 100;
const MAX_COLUMNS = 30;

export function ColumnMenu({ table, view, columns, onColumns }: Props) {
  const id = useId();
  const { isOpen, ...popover } = usePopover();
  const [search, setSearch] = useState('');
  const shownAnyway = new Set([view.time, view.level, view.message]);
  const others = fieldsOf(table)
    .filter(({ path, kind }) => kind !== 'nested' && !shownAnyway.has(path) && !columns.includes(path))
    .map(({ path }) => path)
    .filter((path) => path.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div ref={popover.root} onKeyDown={popover.onKeyDown} onFocusOut={popover.onFocusOut}>
      <button
        type="button"
        class="button"
        ref={popover.button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={popover.toggle}
      >
        <Icon name="list" /> Columns <span class="count">{columns.length}</span>
      </button>
      {isOpen && (
        <div class="log-menu" role="dialog" aria-label="Columns" ref={popover.panel}>
          <ol class="log-chosen" aria-label="Shown">
            {columns.map((path, index) => (
              <li key={path}>
                <label>
                  <input
                    type="checkbox"
                    checked
                    onChange={() => onColumns(columns.filter((each) => each !== path))}
                  />
                  <span class="mono">
                    <Visible text={path} />
                  </span>
                </label>
                {[-1, 1].map((step) => (
                  <button
                    key={step}
                    type="button"
                    class="leaf-copy"
                    aria-label={`Move ${path} ${step < 0 ? 'up' : 'down'}`}
                    disabled={columns[index + step] === undefined}
                    onClick={() => onColumns(moved(columns, index, index + step))}
                  >
                    <Icon name={step < 0 ? 'up' : 'down'} />
                  </button>
                ))}
              </li>
            ))}
          </ol>
          <label class="visually-hidden" for={id}>
            Search fields
          </label>
          <input
            id={id}
            class="input"
            type="search"
            placeholder="Search fields"
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <ul aria-label="Not shown">
            {others.slice(0, MAX_LISTED).map((path) => (
              <li key={path}>
                <label>
                  <input
                    type="checkbox"
                    checked={false}
                    disabled={columns.length >= MAX_COLUMNS}
                    onChange={() => onColumns([...columns, path])}
                  />
                  <span class="mono">
                    <Visible text={path} />
                  </span>
                </label>
              </li>
            ))}
          </ul>
          {others.length > MAX_LISTED && <p class="note">{others.length - MAX_LISTED} more: search.</p>}
          <button type="button" class="button small" onClick={() => onColumns(view.columns)}>
            Columns of the endpoint
          </button>
        </div>
      )}
    </div>
  );
}

function moved(columns: readonly string[], from: number, to: number): readonly string[] {
  const path = columns[from];
  const rest = columns.filter((_, index) => index !== from);
  return path === undefined ? columns : [...rest.slice(0, to), path, ...rest.slice(to)];
}
