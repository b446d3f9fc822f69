// The divider between the query and its result: dragged, or moved with the arrow keys (ARIA window splitter).
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useExplorer } from '../state/context.ts';

interface Props {
  /** What is above the divider. */
  readonly above: RefObject<HTMLElement | null>;
}

const STEP = 24;
const MIN_ABOVE = 96;
/** What the result keeps. */
const MIN_BELOW = 180;

export function Divider({ above }: Props) {
  const { split, setSplit } = useExplorer();
  const [isDragged, setDragged] = useState(false);
  const start = useRef({ pointer: 0, height: 0 });
  const height = (): number => above.current?.offsetHeight ?? MIN_ABOVE;
  const limit = (): number => Math.max(MIN_ABOVE, roomOf(above.current) - MIN_BELOW);
  const move = (next: number): void => setSplit(Math.round(Math.max(MIN_ABOVE, Math.min(next, limit()))));
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = heightAfter(event.key, height(), limit());
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (next === 'content') setSplit(undefined);
    else move(next);
  };
  return (
    <div
      class="divider"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Divider between query and result"
      aria-controls="ask"
      aria-valuemin={MIN_ABOVE}
      aria-valuemax={Math.max(limit(), split.value ?? 0)}
      aria-valuenow={split.value ?? height()}
      aria-valuetext={split.value === undefined ? 'height of the query' : `${split.value} pixels`}
      title="Drag, or use the arrow keys. Double-click or Enter: height of the query"
      tabIndex={0}
      data-dragged={isDragged}
      onKeyDown={onKeyDown}
      onDblClick={() => setSplit(undefined)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { pointer: event.clientY, height: height() };
        setDragged(true);
      }}
      onPointerMove={(event) => {
        if (isDragged) move(start.current.height + event.clientY - start.current.pointer);
      }}
      onLostPointerCapture={() => setDragged(false)}
    />
  );
}

function heightAfter(key: string, height: number, limit: number): number | 'content' | undefined {
  switch (key) {
    case 'ArrowDown':
      return height + STEP;
    case 'ArrowUp':
      return height - STEP;
    case 'Home':
      return MIN_ABOVE;
    case 'End':
      return limit;
    case 'Enter':
      return 'content';
    default:
      return undefined;
  }
}

/** The height of what scrolls. */
function roomOf(element: HTMLElement | null): number {
  return element?.closest('.main')?.clientHeight ?? innerHeight;
}
