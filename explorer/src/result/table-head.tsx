// The table's header row; each column header sorts the rows.
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import type { Column } from '../service/listing.ts';
import type { Sort } from '../state/address.ts';
import type { VisibleColumns } from './column-window.ts';
import type { TableColumn } from './columns.ts';

/** In pixels. */
export const HEAD_HEIGHT = 34;

interface HeadProps {
  readonly columns: readonly TableColumn[];
  readonly typed: readonly Column[];
  readonly shown: VisibleColumns;
  readonly sort: Sort | undefined;
  readonly onSort: (column: string) => void;
}

export function TableHead({ columns, typed, shown, sort, onSort }: HeadProps) {
  return (
    <div class="grid-head" role="rowgroup" style={{ height: `${HEAD_HEIGHT}px` }}>
      <div class="grid-row head" role="row" aria-rowindex={1}>
        <div role="columnheader" class="cell expand" aria-colindex={1}>
          <span class="visually-hidden">Expand</span>
        </div>
        {columns.slice(shown.first, shown.end).map(({ name, isNumeric }, i) => {
          const order = sort?.column !== name ? 'none' : sort.isDescending ? 'descending' : 'ascending';
          const type = typed.find((each) => each.name === name)?.type;
          return (
            <div
              key={name}
              role="columnheader"
              aria-sort={order}
              aria-colindex={shown.first + i + 2}
              class="cell"
              data-first={i === 0}
              data-numeric={isNumeric}
            >
              <button type="button" class="sort mono" onClick={() => onSort(name)} title={shortType(type)}>
                <Visible text={name} />
                {order !== 'none' && <Icon name={order === 'ascending' ? 'up' : 'down'} />}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** JSON column types list every path; the beginning is enough for display. */
function shortType(type: string | undefined): string {
  return type === undefined ? 'Sort' : `${type.slice(0, 60)}${type.length > 60 ? '…' : ''}`;
}
