// One row: its fields, as JSON, and the rows around it; with links, copies, and its place beside or below the others.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Resizer } from '../parts/resizer.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { JsonView } from '../result/json-view.tsx';
import { preview, type Row } from '../service/json.ts';
import type { Table } from '../service/listing.ts';
import { useExplorer } from '../state/context.ts';
import type { FilterActions } from './filter-buttons.tsx';
import type { LayoutProps } from './log-layout.ts';
import { RowAround } from './row-around.tsx';
import { RowCopies } from './row-copies.tsx';
import { RowFields } from './row-fields.tsx';
import type { Selection } from './use-selection.ts';
import { fullTimeText } from './times.ts';
import type { Logs } from './use-logs.ts';

interface Props extends FilterActions, LayoutProps {
  readonly row: Row;
  readonly table: Table;
  readonly logs: Logs;
  readonly selection: Selection;
  /** All rows of the filter and the time range; undefined: not known. */
  readonly total: number | undefined;
  readonly isBelow: boolean;
}

const TABS = [
  { name: 'fields', label: 'Fields' },
  { name: 'json', label: 'JSON' },
  { name: 'around', label: 'Around' },
] as const;

type Tab = (typeof TABS)[number]['name'];

const [MIN_WIDTH, MIN_HEIGHT] = [280, 120];

export function LogPanel(props: Props) {
  const { row, table, logs, selection, layout, isBelow } = props;
  const [tab, setTab] = useState<Tab>('fields');
  const panel = useRef<HTMLElement>(null);
  const size = isBelow ? layout.panelHeight : layout.panelWidth;
  return (
    <aside
      class="log-panel"
      aria-label="Row"
      ref={panel}
      style={size === 0 ? {} : { [isBelow ? 'height' : 'width']: `${size}px` }}
      onKeyDown={(event) => onKey(event, selection)}
    >
      <Edge {...props} panel={panel} />
      <PanelHead {...props} />
      <Tabs label="Show the row as" tabs={TABS} current={tab} controls="log-panel-body" onChoose={setTab} />
      <div id="log-panel-body" class="log-panel-body" role="tabpanel" aria-label={tab}>
        {tab === 'fields' && <RowFields {...props} />}
        {tab === 'json' && <JsonView value={row} />}
        {tab === 'around' && <RowAround {...{ row, table, logs }} onShow={selection.show} />}
      </div>
    </aside>
  );
}

function PanelHead({ row, table, logs, selection, total, onLayout, isBelow }: Props) {
  const { zone, tell } = useExplorer();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const { position, move, close } = selection;
  const time = fullTimeText(preview(row[logs.view.time], 40), zone.value);
  return (
    <div class="log-panel-head">
      <h2 tabIndex={-1} ref={heading} title={time}>
        {position === undefined ? (
          <>Row of {time}</>
        ) : (
          <>
            Row {(position + 1).toLocaleString('en')} of {countText(logs, total)}
          </>
        )}
      </h2>
      <button
        type="button"
        class="button small"
        aria-label="Newer row"
        onClick={() => move(-1)}
        disabled={position === undefined}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="button small"
        aria-label="Older row"
        onClick={() => move(1)}
        disabled={position === undefined}
      >
        <Icon name="down" />
      </button>
      <RowCopies {...{ row, table, logs }} />
      <button
        type="button"
        class="button small log-panel-place"
        onClick={() => {
          onLayout({ panel: isBelow ? 'beside' : 'below' });
          tell(isBelow ? 'The row is shown beside the others' : 'The row is shown below the others');
        }}
      >
        {isBelow ? 'Beside' : 'Below'}
      </button>
      <button type="button" class="button small" onClick={close}>
        Close <kbd>Esc</kbd>
      </button>
    </div>
  );
}

/** While rows are followed, the time range moves, and rows that have left it are still shown. */
function countText({ store }: Logs, total: number | undefined): string {
  const loaded = store.rows.value.value?.rows.length ?? 0;
  return total === undefined
    ? `${loaded.toLocaleString('en')} loaded`
    : Math.max(total, loaded).toLocaleString('en');
}

function Edge({
  isBelow,
  onLayout,
  panel,
}: Props & { readonly panel: { readonly current: HTMLElement | null } }) {
  return (
    <Resizer
      isHorizontal={isBelow}
      isReversed
      size={() => (isBelow ? panel.current?.offsetHeight : panel.current?.offsetWidth) ?? 0}
      onSize={(size) =>
        onLayout(
          isBelow ? { panelHeight: Math.max(MIN_HEIGHT, size) } : { panelWidth: Math.max(MIN_WIDTH, size) },
        )
      }
      onReset={() => onLayout(isBelow ? { panelHeight: 0 } : { panelWidth: 0 })}
    />
  );
}

function onKey(event: KeyboardEvent, { move, close }: Selection): void {
  const step = ({ ArrowDown: 1, ArrowUp: -1 } as const)[event.key];
  const isScroll = event.target instanceof Element && event.target.closest('.lines, .log-around') !== null;
  if (event.key === 'Escape') close();
  else if (step !== undefined && !isScroll) move(step);
  else return;
  event.preventDefault();
  event.stopPropagation();
}
