// The table's header row; each column header sorts the rows.
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import type { Column } from '../service/listing.ts';
import type { Sort } from '../state/address.ts';
import { Resizer } from '../parts/resizer.tsx';
import { pinnedStyle, renderedColumns, type ColumnLayout, type VisibleColumns } from './column-window.ts';
import type { TableColumn } from './columns.ts';
import type { TableState } from './table-layout.ts';

/** In pixels. */
export const HEAD_HEIGHT = 34;

interface HeadProps extends Pick<TableState, 'layout' | 'onLayout'> {
  readonly columns: readonly TableColumn[];
  readonly typed: readonly Column[];
  readonly places: ColumnLayout;
  readonly shown: VisibleColumns;
  readonly sort: Sort | undefined;
  readonly onSort: (column: string) => void;
}

export function TableHead(props: HeadProps) {
  const { columns, places, shown } = props;
  return (
    <div class="grid-head" role="rowgroup" style={{ height: `${HEAD_HEIGHT}px` }}>
      <div class="grid-row head" role="row" aria-rowindex={1}>
        <div role="columnheader" class="cell expand" aria-colindex={1}>
          <span class="visually-hidden">Expand</span>
        </div>
        {renderedColumns(places.pinned, shown).map((index) => {
          const column = columns[index];
          return column && <HeadCell key={column.name} {...props} column={column} index={index} />;
        })}
      </div>
    </div>
  );
}

const [NARROWEST, WIDEST] = [48, 1600];

interface CellProps extends HeadProps {
  readonly column: TableColumn;
  readonly index: number;
}

function HeadCell({ column, index, typed, places, shown, sort, onSort, layout, onLayout }: CellProps) {
  const { name, isNumeric } = column;
  const order = sort?.column !== name ? 'none' : sort.isDescending ? 'descending' : 'ascending';
  const type = typed.find((each) => each.name === name)?.type;
  const { edges, pinned } = places;
  const width = (edges[index + 1] ?? 0) - (edges[index] ?? 0);
  const { [name]: _, ...others } = layout.widths;
  const resize = (size: number): void =>
    onLayout({ widths: { ...others, [name]: Math.min(WIDEST, Math.max(NARROWEST, size)) } });
  return (
    <div
      role="columnheader"
      aria-sort={order}
      aria-colindex={index + 2}
      class="cell"
      data-first={index === shown.first}
      data-pinned={index < pinned}
      data-numeric={isNumeric}
      style={pinnedStyle(places, index)}
    >
      <button type="button" class="sort mono" onClick={() => onSort(name)} title={titleOf(name, type)}>
        <Visible text={name} />
        {order !== 'none' && <Icon name={order === 'ascending' ? 'up' : 'down'} />}
      </button>
      <Resizer size={() => width} onSize={resize} onReset={() => onLayout({ widths: others })} />
    </div>
  );
}

/** JSON column types list every path; the beginning is enough for display. */
function titleOf(name: string, type: string | undefined): string {
  const short = type === undefined ? '' : `: ${type.slice(0, 60)}${type.length > 60 ? '…' : ''}`;
  return `${name}${short}. Click to sort`;
}
