// A table row: truncated values, and the button that expands it.
import { Icon } from '../parts/icon.tsx';
import { isNested, isNumber, type Json, type Row } from '../service/json.ts';
import { Marked } from '../parts/marked.tsx';
import { placesOf } from '../parts/places.ts';
import type { Cell } from './cell-keys.ts';
import { pinnedStyle, renderedColumns, type ColumnLayout, type VisibleColumns } from './column-window.ts';
import { shownText, type TableColumn } from './columns.ts';

const PREVIEW = 160;

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly columns: readonly TableColumn[];
  readonly places: ColumnLayout;
  readonly shown: VisibleColumns;
  /** The cells mark what these patterns find. */
  readonly marks: readonly RegExp[];
  readonly isOpen: boolean;
  readonly activeColumn: number | undefined;
  readonly toggle: (row: number) => void;
  readonly onPick: (cell: Cell) => void;
}

export function TableRow(props: RowProps) {
  const { row, index, columns, places, shown, marks, isOpen, activeColumn, toggle, onPick } = props;
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
      {renderedColumns(places.pinned, shown).map((column) => {
        const { name = '', isNumeric = false } = columns[column] ?? {};
        const value = row[name];
        const text = shownText(value, PREVIEW);
        return (
          <div
            key={name}
            id={`cell-${index}-${column}`}
            role="gridcell"
            aria-colindex={column + 2}
            class="cell mono"
            data-first={column === shown.first}
            data-pinned={column < places.pinned}
            style={pinnedStyle(places, column)}
            data-kind={kindOf(value)}
            data-numeric={isNumeric}
            data-active={activeColumn === column}
            onClick={() => onPick({ row: index, column })}
          >
            <Marked text={text} places={placesOf(text, marks)} />
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
