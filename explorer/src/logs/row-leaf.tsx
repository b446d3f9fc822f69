// Shows a value of a row, with buttons to copy, include and exclude it, and to find an id in other tables.
import { useState } from 'preact/hooks';
import { useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Visible } from '../parts/visible.tsx';
import { isNonFinite, preview, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import { fieldOf } from './fields.ts';
import { FilterButtons, type FilterActions } from './filter-buttons.tsx';
import { targetOf } from './lql-edit.ts';
import { RowTrace } from './row-trace.tsx';
import { RowValue } from './row-value.tsx';
import type { Leaf } from './row-values.ts';
import { fullTimeText } from './times.ts';
import { isTraceId } from './trace.ts';
import type { Logs } from './use-logs.ts';

interface RowLeafProps extends FilterActions {
  readonly row: Row;
  readonly table: Table;
  readonly logs: Logs;
  readonly leaf: Leaf;
}

export function RowLeaf({ leaf: { segments, value }, row, table, logs, ...actions }: RowLeafProps) {
  const copy = useCopy();
  const name = segments.join('.');
  const target = targetOf(segments, table);
  const { zone } = useExplorer();
  const text = preview(value, Infinity);
  const kind = fieldOf(table, target.path)?.kind;
  const shown = kind === 'time' ? fullTimeText(text, zone.value) : text;
  const [isTraced, setTraced] = useState(false);
  const canTrace = isTraceId(target.path, value);
  return (
    <div class="log-leaf">
      <dt>
        <Visible text={name} />
      </dt>
      <dd>
        <RowValue value={value} text={shown} filter={name === logs.view.message ? actions.filter : ''} />
        {canTrace && (
          <button
            type="button"
            class="chip small"
            aria-expanded={isTraced}
            title="Other tables and endpoints with the same id"
            onClick={() => setTraced(!isTraced)}
          >
            Same id
          </button>
        )}
        <button type="button" class="leaf-copy" aria-label={`Copy ${name}`} onClick={() => copy(text, name)}>
          <Icon name="copy" />
        </button>
        {/* NaN equals nothing, so a filter would find no row. */}
        {!(kind === 'number' && isNonFinite(value)) && (
          <FilterButtons target={target} value={value} text={preview(value, 60)} {...actions} />
        )}
      </dd>
      {canTrace && isTraced && (
        <dd>
          <RowTrace id={text} path={target.path} row={row} logs={logs} />
        </dd>
      )}
    </div>
  );
}
