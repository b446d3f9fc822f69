// One row: all of its values, each with a button to copy it, and to include or exclude it.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Table } from '../service/listing.ts';
import { preview, printJson, type Row } from '../service/json.ts';
import { CopyButton, useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import { TEXT_SLICE } from '../result/tree.ts';
import { FilterButtons, type FilterActions } from './filter-buttons.tsx';
import { targetOf } from './lql-edit.ts';
import { leavesOf, type Leaf } from './row-values.ts';

interface Props extends FilterActions {
  readonly row: Row;
  readonly table: Table;
  /** Counted from 1. */
  readonly position: number;
  readonly count: number;
  readonly onMove: (step: 1 | -1) => void;
  readonly onClose: () => void;
}

const MAX_LEAVES = 300;

export function LogPanel({ row, table, position, count, onMove, onClose, ...actions }: Props) {
  const [limit, setLimit] = useState(MAX_LEAVES);
  const leaves = useMemo(() => leavesOf(row, limit + 1), [row, limit]);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <aside
      class="log-panel"
      aria-label="Row"
      onKeyDown={(event) => {
        const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
        if (event.key === 'Escape') onClose();
        else if (step !== undefined) onMove(step);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <div class="log-panel-head">
        <h2 tabIndex={-1} ref={heading}>
          Row {position.toLocaleString('en')} of {count.toLocaleString('en')}
        </h2>
        <button type="button" class="button small" aria-label="Newer row" onClick={() => onMove(-1)}>
          <Icon name="up" />
        </button>
        <button type="button" class="button small" aria-label="Older row" onClick={() => onMove(1)}>
          <Icon name="down" />
        </button>
        <CopyButton text={() => printJson(row, '  ')} what="the row" label="Copy row" />
        <button type="button" class="button small" onClick={onClose}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <dl class="log-leaves mono">
        {leaves.slice(0, limit).map((leaf) => (
          <LeafRow key={leaf.segments.join('\0')} leaf={leaf} table={table} {...actions} />
        ))}
      </dl>
      {leaves.length > limit && (
        <button type="button" class="chip small" onClick={() => setLimit(limit * 4)}>
          Show more values
        </button>
      )}
    </aside>
  );
}

interface LeafProps extends FilterActions {
  readonly leaf: Leaf;
  readonly table: Table;
}

function LeafRow({ leaf: { segments, value }, table, ...actions }: LeafProps) {
  const copy = useCopy();
  const name = segments.join('.');
  const target = targetOf(segments, table);
  const text = preview(value, Infinity);
  const [limit, setLimit] = useState(TEXT_SLICE);
  return (
    <div class="log-leaf">
      <dt>
        <Visible text={name} />
      </dt>
      <dd>
        <span class="leaf-value" data-kind={value === null ? 'null' : typeof value}>
          <Visible text={text.slice(0, limit)} />
          {text.length > limit && (
            <button type="button" class="chip small more" onClick={() => setLimit(limit * 5)}>
              {(text.length - limit).toLocaleString('en')} more characters
            </button>
          )}
        </span>
        <button type="button" class="leaf-copy" aria-label={`Copy ${name}`} onClick={() => copy(text, name)}>
          <Icon name="copy" />
        </button>
        <FilterButtons target={target} value={value} text={preview(value, 60)} {...actions} />
      </dd>
    </div>
  );
}
