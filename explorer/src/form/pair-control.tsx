// The time range control for the two time parameters of an endpoint.
import { useExplorer } from '../state/context.ts';
import { writeAddress } from '../state/address.ts';
import { usePaletteActions } from '../palette/use-palette-actions.ts';
import { PRESETS, type TimeRange } from '../time-range/range.ts';
import { TimeRangeControl } from '../time-range/time-range-control.tsx';
import { isPairShown, pairRange, type TimePair } from './time-pair.ts';

interface Props {
  readonly pair: TimePair;
  /** What happens after the range was chosen. */
  readonly onChosen?: () => void;
}

export function PairControl({ pair, onChosen }: Props) {
  const { address, base, zone, setZone } = useExplorer();
  const { parameters } = address.value;
  const set = useSetRange(pair, onChosen);
  const linkOf = (range: TimeRange): string => {
    const fragment = writeAddress({
      ...address.value,
      parameters: { ...parameters, ...valuesOf(pair, range) },
    });
    return new URL(fragment, base).href;
  };
  const isOptional = !pair.from.required && !pair.to.required;
  const label = isPairShown(pair, parameters) ? 'Default times' : 'Other times';
  const none = { label, onChoose: () => set(undefined) };
  return (
    <TimeRangeControl
      range={pairRange(pair, parameters)}
      onChange={set}
      zone={zone.value}
      onZone={setZone}
      linkOf={linkOf}
      none={isOptional ? none : undefined}
    />
  );
}

/** Adds the common ranges to the palette. */
export function usePairActions(pair: TimePair | undefined): void {
  const set = useSetRange(pair);
  const { start } = useExplorer();
  usePaletteActions(
    'time range',
    (pair === undefined ? [] : PRESETS).map(({ title, range }) => ({
      id: `range ${title}`,
      label: title,
      hint: 'time range',
      run: () => {
        set(range);
        void start();
      },
    })),
  );
}

function useSetRange(
  pair: TimePair | undefined,
  onChosen?: () => void,
): (range: TimeRange | undefined) => void {
  const { address, change } = useExplorer();
  return (range) => {
    if (pair === undefined) return;
    change({ parameters: { ...address.value.parameters, ...valuesOf(pair, range) } });
    onChosen?.();
  };
}

function valuesOf({ from, to }: TimePair, range: TimeRange | undefined): Readonly<Record<string, string>> {
  return { [from.name]: range?.from ?? '', [to.name]: range?.to ?? '' };
}
