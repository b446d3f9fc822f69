// A table row: truncated values, and the button that expands it.
import { Icon } from '../parts/icon.tsx';
import { isNested, preview, type Json, type Row } from '../service/json.ts';
import type { Cell } from './cell-keys.ts';
import type { TableColumn } from './columns.ts';

const PREVIEW = 160;

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly TableColumn[];
  readonly isOpen: boolean;
  readonly activeColumn: number | undefined;
  readonly fold: (row: number) => void;
  readonly onPick: (cell: Cell) => void;
}

export function TableRow({ row, index, columns, isOpen, activeColumn, fold, onPick }: RowProps) {
  return (
    <div class="grid-row" role="row" aria-rowindex={index + 2} data-open={isOpen}>
      <div role="gridcell" class="cell fold">
        <button
          type="button"
          class="fold-button"
          tabIndex={-1}
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} row ${index + 1}`}
          onClick={() => fold(index)}
        >
          <Icon name="open" />
        </button>
      </div>
      {columns.map(({ name, isNumeric }, column) => {
        const value = row[name];
        return (
          <div
            key={name}
            id={`cell-${index}-${column}`}
            role="gridcell"
            class="cell mono"
            data-kind={kindOf(value)}
            data-numeric={isNumeric}
            data-active={activeColumn === column}
            onClick={() => onPick({ row: index, column })}
            onDblClick={() => fold(index)}
          >
            {preview(value, PREVIEW)}
          </div>
        );
      })}
    </div>
  );
}

function kindOf(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  return isNested(value) ? 'nested' : typeof value;
}
