// The values of a row, each with buttons to copy, include and exclude it, and to find an id in other tables.
import { useMemo, useState } from 'preact/hooks';
import { useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { Marked } from '../parts/marked.tsx';
import { placesOf } from '../parts/places.ts';
import { Visible } from '../parts/visible.tsx';
import { counted } from '../parts/words.ts';
import { coloredJson } from '../result/json-view.tsx';
import { TEXT_SLICE } from '../result/tree.ts';
import { isNested, preview, printJson, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { NULL_TEXTS } from '../service/nulls.ts';
import { useExplorer } from '../state/context.ts';
import { fieldNulls, fieldOf } from './fields.ts';
import { FilterButtons, type FilterActions } from './filter-buttons.tsx';
import type { LayoutProps } from './log-layout.ts';
import { targetOf } from './lql-edit.ts';
import { matchesOf } from './matches.ts';
import { parsedOf } from './message.ts';
import { isEmpty } from './row-calls.ts';
import { RowTrace } from './row-trace.tsx';
import { leavesOf, type Leaf } from './row-values.ts';
import { fullTimeText } from './times.ts';
import { isTraceId } from './trace.ts';
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
  const empty = leaves.filter(
    ({ segments, value }) => isEmpty(value) && !isNonFinite(value, table, targetOf(segments, table).path),
  );
  const shown = (layout.showsEmpty ? leaves : leaves.filter((each) => !empty.includes(each))).slice(0, limit);
  return (
    <>
      <dl class="log-leaves mono">
        {shown.map((leaf) => (
          <LeafRow key={leaf.segments.join('\0')} {...{ leaf, row, table, logs }} {...actions} />
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

/** A null of a type without NULL: a number that JSON does not have, and a filter by NULL does not find. */
function isNonFinite(value: Leaf['value'], table: Table, path: string): boolean {
  return value === null && fieldNulls(table, path) === 'non-finite';
}

interface LeafProps extends FilterActions, Omit<Props, keyof LayoutProps> {
  readonly leaf: Leaf;
}

function LeafRow({ leaf: { segments, value }, row, table, logs, ...actions }: LeafProps) {
  const copy = useCopy();
  const name = segments.join('.');
  const target = targetOf(segments, table);
  const { zone } = useExplorer();
  const text = value === null ? NULL_TEXTS[fieldNulls(table, target.path)] : preview(value, Infinity);
  const isTime = fieldOf(table, target.path)?.kind === 'time';
  const shown = isTime ? fullTimeText(text, zone.value) : text;
  const [isTraced, setTraced] = useState(false);
  const canTrace = isTraceId(target.path, value);
  return (
    <div class="log-leaf">
      <dt>
        <Visible text={name} />
      </dt>
      <dd>
        <LeafValue value={value} text={shown} filter={name === logs.view.message ? actions.filter : ''} />
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
        {!isNonFinite(value, table, target.path) && (
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

interface ValueProps {
  readonly value: Leaf['value'];
  readonly text: string;
  /** What it searches for is marked. */
  readonly filter: string;
}

/** JSON in a text is formatted; *As sent* shows it as it is. */
function LeafValue({ value, text, filter }: ValueProps) {
  const [limit, setLimit] = useState(TEXT_SLICE);
  const [isRaw, setRaw] = useState(false);
  const json = useMemo(() => (typeof value === 'string' ? parsedOf(value) : undefined), [value]);
  const isJson = isNested(json);
  const shown = isJson && !isRaw ? printJson(json, '  ') : text;
  const part = shown.slice(0, limit);
  return (
    <span class="leaf-value" data-kind={value === null ? 'null' : typeof value}>
      {isJson && !isRaw ? (
        coloredJson(part)
      ) : (
        <Marked text={part} places={placesOf(part, matchesOf(filter))} />
      )}
      {shown.length > limit && (
        <button type="button" class="chip small more" onClick={() => setLimit(limit * 5)}>
          {(shown.length - limit).toLocaleString('en')} more characters
        </button>
      )}
      {isJson && (
        <button type="button" class="chip small more" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          As sent
        </button>
      )}
    </span>
  );
}
