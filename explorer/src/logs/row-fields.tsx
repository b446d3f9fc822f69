// Shows the values of a row; empty ones only when the visitor asks for them.
import { useMemo, useState } from 'preact/hooks';
import { counted } from '../parts/words.ts';
import type { Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import type { FilterActions } from './filter-buttons.tsx';
import type { LayoutProps } from './log-layout.ts';
import { isEmpty } from './row-calls.ts';
import { RowLeaf } from './row-leaf.tsx';
import { leavesOf } from './row-values.ts';
import type { Logs } from './use-logs.ts';

interface Props extends FilterActions, LayoutProps {
  readonly row: Row;
  readonly table: Table;
  readonly logs: Logs;
}

const MAX_LEAVES = 300;

export function RowFields({ row, table, logs, layout, onLayout, ...actions }: Props) {
  const [limit, setLimit] = useState(MAX_LEAVES);
  const leaves = useMemo(() => leavesOf(row, limit + 1), [row, limit]);
  const empty = leaves.filter(({ value }) => isEmpty(value));
  const shown = (layout.showsEmpty ? leaves : leaves.filter((each) => !empty.includes(each))).slice(0, limit);
  return (
    <>
      <dl class="log-leaves mono">
        {shown.map((leaf) => (
          <RowLeaf key={leaf.segments.join('\0')} {...{ leaf, row, table, logs }} {...actions} />
        ))}
      </dl>
      {leaves.length > limit && (
        <button type="button" class="chip small" onClick={() => setLimit(limit * 4)}>
          Show more values
        </button>
      )}
      {empty.length > 0 && (
        <button
          type="button"
          class="chip small"
          aria-pressed={layout.showsEmpty}
          onClick={() => onLayout({ showsEmpty: !layout.showsEmpty })}
        >
          {counted(empty.length, 'empty value')}
        </button>
      )}
    </>
  );
}
