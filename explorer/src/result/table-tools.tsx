// Tools of a table: a search in its rows, and a list of its columns, in which one is found, hidden or pinned.
import { useId, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import { Visible } from '../parts/visible.tsx';
import type { TableState } from './table-layout.ts';

interface ToolsProps extends TableState {
  /** The names of all columns. */
  readonly names: readonly string[];
}

const MAX_LISTED = 200;

export function TableTools(props: ToolsProps) {
  const { search, onSearch, names, layout } = props;
  const hidden = layout.hidden.filter((name) => names.includes(name)).length;
  return (
    <div class="table-tools">
      <input
        class="input"
        type="search"
        aria-label="Search the rows"
        placeholder="Search the rows"
        value={search}
        onInput={({ currentTarget }) => onSearch(currentTarget.value)}
      />
      <PopoverButton
        label="Columns"
        panelClass="table-columns"
        isSmall
        words={
          <>
            <Icon name="list" /> Columns{' '}
            <span class="count">
              {hidden === 0 ? names.length : `${names.length - hidden} of ${names.length}`}
            </span>
          </>
        }
      >
        {(close) => <ColumnList {...props} close={close} />}
      </PopoverButton>
    </div>
  );
}

function ColumnList({ names, layout, onLayout, find, close }: ToolsProps & { readonly close: () => void }) {
  const id = useId();
  const [search, setSearch] = useState('');
  const text = search.trim().toLowerCase();
  const found = names.filter((name) => name.toLowerCase().includes(text));
  const show = (name: string): void => {
    if (layout.hidden.includes(name)) onLayout({ hidden: without(layout.hidden, name) });
    find(name);
    close();
  };
  return (
    <>
      <label class="visually-hidden" for={id}>
        Find a column
      </label>
      <input
        id={id}
        class="input"
        type="search"
        placeholder="Find a column; Enter shows it"
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key !== 'Enter' || first === undefined) return;
          event.preventDefault();
          show(first);
        }}
      />
      <ul aria-label="Columns of the table">
        {found.slice(0, MAX_LISTED).map((name) => (
          <ListedColumn key={name} {...{ name, layout, onLayout }} onShow={() => show(name)} />
        ))}
      </ul>
      {found.length > MAX_LISTED && <p class="note">{found.length - MAX_LISTED} more: search.</p>}
      <button
        type="button"
        class="button small"
        onClick={() => onLayout({ hidden: [], pinned: [], widths: {} })}
      >
        As the query has them
      </button>
    </>
  );
}

interface ListedProps extends Pick<TableState, 'layout' | 'onLayout'> {
  readonly name: string;
  readonly onShow: () => void;
}

function ListedColumn({ name, layout, onLayout, onShow }: ListedProps) {
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={!layout.hidden.includes(name)}
          onChange={() => onLayout({ hidden: toggled(layout.hidden, name) })}
        />
        <span class="mono">
          <Visible text={name} />
        </span>
      </label>
      <button type="button" class="button quiet small" aria-label={`Show ${name}`} onClick={onShow}>
        Show
      </button>
      <button
        type="button"
        class="button quiet small"
        aria-label={`Pin ${name}`}
        aria-pressed={layout.pinned.includes(name)}
        onClick={() => onLayout({ pinned: toggled(layout.pinned, name) })}
      >
        Pin
      </button>
    </li>
  );
}

function toggled(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? without(names, name) : [...names, name];
}

function without(names: readonly string[], name: string): readonly string[] {
  return names.filter((each) => each !== name);
}
