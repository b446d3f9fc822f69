// Remembers how the visitor arranged the log view of a table: widths of columns, wrapping, the panel and the facets.
import { useLayoutMemory } from '../parts/use-layout-memory.ts';

export interface LogLayout {
  /** Pixels, by the name of the column; others are as wide as their content. */
  readonly widths: Readonly<Record<string, number>>;
  /** It lists the paths of the time, the level and the message if they are hidden. */
  readonly hidden: readonly string[];
  readonly isWrapped: boolean;
  /** `auto` shows an open row beside the rows if there is room. */
  readonly panel: 'auto' | 'beside' | 'below';
  /** The width of the panel beside the rows, or its height below them; 0: a share of the space. */
  readonly panelWidth: number;
  readonly panelHeight: number;
  readonly isSideFolded: boolean;
  readonly showsEmpty: boolean;
}

/** In a window with fewer pixels, the messages have little room beside the facets. */
const ROOM_FOR_FACETS = 1000;

const INITIAL: LogLayout = {
  widths: {},
  hidden: [],
  isWrapped: false,
  panel: 'auto',
  panelWidth: 0,
  panelHeight: 0,
  isSideFolded: false,
  showsEmpty: false,
};

export interface LayoutProps {
  readonly layout: LogLayout;
  readonly onLayout: (part: Partial<LogLayout>) => void;
}

/** `place`: the endpoint and its table. */
export function useLogLayout(place: string): LayoutProps {
  const [layout, onLayout] = useLayoutMemory(`logs.${place}`, {
    ...INITIAL,
    isSideFolded: innerWidth < ROOM_FOR_FACETS,
  });
  return { layout, onLayout };
}
