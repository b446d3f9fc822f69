// A table row: truncated values, and the button that expands it.
import { Icon } from '../parts/icon.tsx';
import { isNested, isNumber, preview, type Json, type Row } from '../service/json.ts';
import { Visible } from '../parts/visible.tsx';
import type { Cell } from './cell-keys.ts';
import type { VisibleColumns } from './column-window.ts';
import type { TableColumn } from './columns.ts';

const PREVIEW = 160;

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly TableColumn[];
  readonly shown: VisibleColumns;
  readonly isOpen: boolean;
  readonly activeColumn: number | undefined;
  readonly toggle: (row: number) => void;
  readonly onPick: (cell: Cell) => void;
}

export function TableRow({ row, index, columns, shown, isOpen, activeColumn, toggle, onPick }: RowProps) {
  return (
    <div class="grid-row" role="row" aria-rowindex={index + 2} data-open={isOpen}>
      <div role="gridcell" class="cell expand" aria-colindex={1}>
        <button
          type="button"
          class="expand-button"
          tabIndex={-1}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Collapse' : 'Expand'} row ${index + 1}`}
          onClick={() => toggle(index)}
        >
          <Icon name="open" />
        </button>
      </div>
      {columns.slice(shown.first, shown.end).map(({ name, isNumeric }, i) => {
        const value = row[name];
        const column = shown.first + i;
        return (
          <div
            key={name}
            id={`cell-${index}-${column}`}
            role="gridcell"
            aria-colindex={column + 2}
            class="cell mono"
            data-first={i === 0}
            data-kind={kindOf(value)}
            data-numeric={isNumeric}
            data-active={activeColumn === column}
            onClick={() => onPick({ row: index, column })}
          >
            <Visible text={preview(value, PREVIEW)} />
          </div>
        );
      })}
    </div>
  );
}

function kindOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (isNested(value)) return 'nested';
  return isNumber(value) ? 'number' : typeof value;
}
