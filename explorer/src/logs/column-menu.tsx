// Chooses the columns of the rows, and their order.
import { useId, useState } from 'preact/hooks';
import type { Table } from '../service/listing.ts';
import { Icon } from '../parts/icon.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import { Visible } from '../parts/visible.tsx';
import { fieldsOf } from './fields.ts';
import { movedTo } from './log-columns.ts';
import type { LayoutProps } from './log-layout.ts';
import type { LogView } from './view.ts';

interface Props extends LayoutProps {
  readonly table: Table;
  readonly view: LogView;
  readonly columns: readonly string[];
  readonly onColumns: (columns: readonly string[]) => void;
}

/** Fields that are listed; a search finds the others. */
const MAX_LISTED = 100;
const MAX_COLUMNS = 30;

export function ColumnMenu(props: Props) {
  const { view, columns, onColumns, onLayout } = props;
  return (
    <PopoverButton
      label="Columns"
      words={
        <>
          <Icon name="list" /> <span class="wide-words">Columns</span>{' '}
          <span class="count">{columns.length}</span>
        </>
      }
    >
      {() => (
        <>
          <Fixed {...props} />
          <Shown columns={columns} onColumns={onColumns} />
          <Others {...props} />
          <button
            type="button"
            class="button small"
            onClick={() => {
              onColumns(view.columns);
              onLayout({ hidden: [] });
            }}
          >
            Columns of the endpoint
          </button>
        </>
      )}
    </PopoverButton>
  );
}

/** The time, the level and the message have their own places. */
function Fixed({ view: { time, level, message }, columns, layout, onLayout }: Props) {
  const paths = [time, level, message].filter((path) => path !== undefined);
  const { hidden } = layout;
  const count = columns.length + paths.filter((path) => !hidden.includes(path)).length;
  return (
    <ul aria-label="Time, level and message">
      {paths.map((path) => {
        const isShown = !hidden.includes(path);
        const next = isShown ? [...hidden, path] : hidden.filter((each) => each !== path);
        return (
          <li key={path}>
            <Check
              path={path}
              isShown={isShown}
              isDisabled={isShown && count === 1}
              onChange={() => onLayout({ hidden: next })}
            />
          </li>
        );
      })}
    </ul>
  );
}

function Shown({ columns, onColumns }: Pick<Props, 'columns' | 'onColumns'>) {
  if (columns.length === 0) return null;
  return (
    <ol aria-label="Shown">
      {columns.map((path, index) => (
        <li key={path}>
          <Check path={path} isShown onChange={() => onColumns(columns.filter((each) => each !== path))} />
          {[-1, 1].map((step) => (
            <button
              key={step}
              type="button"
              class="leaf-copy"
              aria-label={`Move ${path} ${step < 0 ? 'up' : 'down'}`}
              disabled={columns[index + step] === undefined}
              onClick={() => onColumns(movedTo(columns, index, index + step))}
            >
              <Icon name={step < 0 ? 'up' : 'down'} />
            </button>
          ))}
        </li>
      ))}
    </ol>
  );
}

function Others({ table, view, columns, onColumns }: Props) {
  const id = useId();
  const [search, setSearch] = useState('');
  const listed = new Set([view.time, view.level, view.message, ...columns]);
  const others = fieldsOf(table)
    .filter(({ path, kind }) => kind !== 'nested' && !listed.has(path))
    .map(({ path }) => path)
    .filter((path) => path.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <>
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
            <Check
              path={path}
              isShown={false}
              isDisabled={columns.length >= MAX_COLUMNS}
              onChange={() => onColumns([...columns, path])}
            />
          </li>
        ))}
      </ul>
      {others.length > MAX_LISTED && <p class="note">{others.length - MAX_LISTED} more: search.</p>}
    </>
  );
}

interface CheckProps {
  readonly path: string;
  readonly isShown: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: () => void;
}

function Check({ path, isShown, isDisabled = false, onChange }: CheckProps) {
  return (
    <label>
      <input type="checkbox" checked={isShown} disabled={isDisabled} onChange={onChange} />
      <span class="mono">
        <Visible text={path} />
      </span>
    </label>
  );
}
