// The head of the rows: a menu for each column, edges to drag, names to drag to another place, and whether messages wrap.
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { Resizer } from '../parts/resizer.tsx';
import { Visible } from '../parts/visible.tsx';
import { usePopover } from '../parts/use-popover.ts';
import { movedTo, NARROWEST, WIDEST, type LogColumn } from './log-columns.ts';
import type { LogRowsProps } from './log-rows.tsx';

interface HeadProps extends Pick<LogRowsProps, 'columns' | 'onColumns' | 'layout' | 'onLayout'> {
  readonly shown: readonly LogColumn[];
}

export function LogHead(props: HeadProps) {
  const { shown, layout, onLayout } = props;
  const last = shown.at(-1);
  return (
    <div class="log-row log-head" role="row" aria-rowindex={1}>
      {shown.map((column) => (
        <span key={column.path} role="columnheader" class={`log-head-${column.kind}`} data-path={column.path}>
          <ColumnHead {...props} column={column} />
          {column.kind === 'message' && (
            <button
              type="button"
              class="log-wrap"
              aria-pressed={layout.isWrapped}
              onClick={() => onLayout({ isWrapped: !layout.isWrapped })}
            >
              Wrap
            </button>
          )}
          {column !== last && <Edge {...props} column={column} />}
        </span>
      ))}
    </div>
  );
}

interface ColumnProps extends HeadProps {
  readonly column: LogColumn;
}

function Edge({ column: { path, width }, layout, onLayout }: ColumnProps) {
  const { [path]: _, ...others } = layout.widths;
  return (
    <Resizer
      size={() => width}
      onSize={(size) => onLayout({ widths: { ...layout.widths, [path]: within(size) } })}
      onReset={() => onLayout({ widths: others })}
    />
  );
}

const STEP = 24;
/** Pixels that a pointer moves before a press is a drag. */
const MIN_DRAG = 6;

function ColumnHead(props: ColumnProps) {
  const { column } = props;
  const isField = column.kind === 'field';
  const { isOpen, toggle, ...popover } = usePopover();
  const drag = useDrag(props);
  return (
    <span
      class="log-head-menu"
      ref={popover.root}
      onKeyDown={popover.onKeyDown}
      onFocusOut={popover.onFocusOut}
    >
      <button
        type="button"
        class="log-head-button"
        ref={popover.button}
        title={isField ? `${column.path}. Drag to move` : column.path}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-dragged={drag.isDragged}
        onClick={() => !drag.hasMoved() && toggle()}
        {...(isField ? drag.handlers : {})}
      >
        <Visible text={column.label} />
      </button>
      {isOpen && (
        <div
          class="popover-panel log-column-menu"
          role="dialog"
          aria-label={`Column ${column.path}`}
          ref={popover.panel}
        >
          <ColumnActions {...props} close={popover.close} />
        </div>
      )}
    </span>
  );
}

function ColumnActions(props: ColumnProps & { readonly close: () => void }) {
  const { column, columns, onColumns, layout, onLayout, close } = props;
  const { kind, path, width } = column;
  const at = columns.indexOf(path);
  const { [path]: _, ...others } = layout.widths;
  const resize = (size: number): void => onLayout({ widths: { ...layout.widths, [path]: within(size) } });
  const moves = [
    { label: 'Move left', isOff: at <= 0, run: () => onColumns(movedTo(columns, at, at - 1)) },
    {
      label: 'Move right',
      isOff: at >= columns.length - 1,
      run: () => onColumns(movedTo(columns, at, at + 1)),
    },
  ];
  const sizes = [
    { label: 'Wider', isOff: width >= WIDEST, run: () => resize(width + STEP) },
    { label: 'Narrower', isOff: width <= NARROWEST, run: () => resize(width - STEP) },
    {
      label: 'Width of the content',
      isOff: !(path in layout.widths),
      run: () => onLayout({ widths: others }),
    },
  ];
  const hide = { label: 'Hide', isOff: props.shown.length < 2, run: () => hideColumn(props) };
  // The message gets the width that the other columns leave, so it cannot be resized.
  const actions = [...(kind === 'field' ? moves : []), ...(kind === 'message' ? [] : sizes), hide];
  return (
    <>
      {actions.map(({ label, isOff, run }) => (
        <button
          key={label}
          type="button"
          class="button quiet small"
          disabled={isOff}
          onClick={() => {
            if (label === 'Hide') close();
            run();
          }}
        >
          {label === 'Hide' && <Icon name="stop" />}
          {label}
        </button>
      ))}
    </>
  );
}

function hideColumn({ column: { kind, path }, columns, onColumns, layout, onLayout }: ColumnProps): void {
  if (kind === 'field') onColumns(columns.filter((each) => each !== path));
  else onLayout({ hidden: [...layout.hidden, path] });
}

/** A drag of a name to the place of another column. */
function useDrag({ column, columns, onColumns }: ColumnProps) {
  const start = useRef<number | undefined>(undefined);
  const moved = useRef(false);
  const [isDragged, setDragged] = useState(false);
  const finish = (event: PointerEvent): void => {
    const isDone = start.current !== undefined && moved.current;
    start.current = undefined;
    setDragged(false);
    if (isDone) drop(event);
  };
  const drop = ({ clientX, currentTarget }: PointerEvent): void => {
    const row = currentTarget instanceof Element ? currentTarget.closest('.log-head') : null;
    const heads = Array.from(row?.querySelectorAll('.log-head-field') ?? []);
    const before = heads.filter((head) => {
      const { left, width } = head.getBoundingClientRect();
      return head.getAttribute('data-path') !== column.path && left + width / 2 < clientX;
    });
    onColumns(movedTo(columns, columns.indexOf(column.path), before.length));
  };
  return {
    isDragged,
    hasMoved: () => moved.current,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0 || !(event.currentTarget instanceof Element)) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = event.clientX;
        moved.current = false;
      },
      onPointerMove: (event: PointerEvent) => {
        if (start.current === undefined || Math.abs(event.clientX - start.current) < MIN_DRAG) return;
        moved.current = true;
        setDragged(true);
      },
      onPointerUp: finish,
      onPointerCancel: () => {
        start.current = undefined;
        setDragged(false);
      },
    },
  };
}

function within(size: number): number {
  return Math.min(WIDEST, Math.max(NARROWEST, size));
}
