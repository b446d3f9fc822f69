// The edge of a column or panel, to drag with a pointer. The keyboard has other ways: the menu of the column, the buttons of the panel.
import { useRef } from 'preact/hooks';

interface Props {
  /** The size before the drag, in pixels. */
  readonly size: () => number;
  readonly onSize: (size: number) => void;
  /** A double click: the size of the content. */
  readonly onReset: () => void;
  /** Vertical edges by default; the size grows to the right and down, or the other way. */
  readonly isHorizontal?: boolean;
  readonly isReversed?: boolean;
}

export function Resizer({ size, onSize, onReset, isHorizontal = false, isReversed = false }: Props) {
  const start = useRef<{ readonly at: number; readonly size: number } | undefined>(undefined);
  const at = ({ clientX, clientY }: PointerEvent): number => (isHorizontal ? clientY : clientX);
  return (
    <span
      class="resizer"
      data-horizontal={isHorizontal}
      aria-hidden="true"
      title="Drag to resize. Double-click: width of the content"
      onClick={(event) => event.stopPropagation()}
      onDblClick={onReset}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.stopPropagation();
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { at: at(event), size: size() };
      }}
      onPointerMove={(event) => {
        const { current } = start;
        if (current === undefined) return;
        const moved = at(event) - current.at;
        onSize(Math.round(current.size + (isReversed ? -moved : moved)));
      }}
      onLostPointerCapture={() => (start.current = undefined)}
    />
  );
}
