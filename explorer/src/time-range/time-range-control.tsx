// The control for a range of time: presets, relative and fixed bounds, the zone, and links.
import { useId } from 'preact/hooks';
import { useCopy } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { CustomRange } from './custom-range.tsx';
import { fixedAt, isSameRange, PRESETS, type TimeRange, type Zone } from './range.ts';
import { localZone, rangeWords } from './range-words.ts';
import { usePopover } from '../parts/use-popover.ts';

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

export function TimeRangeControl(props: TimeRangeProps) {
  const { range, zone, none } = props;
  const id = useId();
  const popover = usePopover();
  const words = range === undefined ? (none?.label ?? 'No time range') : rangeWords(range, zone);
  const preset = PRESETS.find((each) => isSameRange(range, each.range));
  return (
    <div class="time-range" ref={popover.root} onKeyDown={popover.onKeyDown} onFocusOut={popover.onFocusOut}>
      <button
        type="button"
        class="button time-range-button"
        ref={popover.button}
        aria-haspopup="dialog"
        aria-expanded={popover.isOpen}
        aria-controls={popover.isOpen ? id : undefined}
        onClick={popover.toggle}
      >
        <Icon name="history" />
        <span class="visually-hidden">Time range: </span>
        <span class="time-range-words">{words}</span>
        <span class="time-range-short" aria-hidden="true">
          {preset?.label ?? words}
        </span>
      </button>
      {popover.isOpen && (
        <div id={id} class="time-range-panel" role="dialog" aria-label="Time range" ref={popover.panel}>
          <Presets {...props} close={popover.close} />
          <CustomRange
            key={`${range?.from} ${range?.to} ${zone}`}
            range={range}
            zone={zone}
            onApply={(next) => {
              props.onChange(next);
              popover.close();
            }}
          />
          <ZoneChoice {...props} name={id} />
          <Share {...props} />
        </div>
      )}
    </div>
  );
}

function Presets({ range, onChange, none, close }: TimeRangeProps & { readonly close: () => void }) {
  return (
    <div class="time-range-presets" role="group" aria-label="Common ranges">
      {PRESETS.map((preset) => (
        <button
          key={preset.label}
          type="button"
          class="chip"
          aria-pressed={isSameRange(range, preset.range)}
          onClick={() => {
            onChange(preset.range);
            close();
          }}
        >
          <span class="visually-hidden">{preset.title}</span>
          <span aria-hidden="true">{preset.label}</span>
        </button>
      ))}
      {none !== undefined && (
        <button
          type="button"
          class="chip"
          aria-pressed={range === undefined}
          onClick={() => {
            none.onChoose();
            close();
          }}
        >
          {none.label}
        </button>
      )}
    </div>
  );
}

function ZoneChoice({ zone, onZone, name }: TimeRangeProps & { readonly name: string }) {
  const choices: readonly (readonly [Zone, string])[] = [
    ['utc', 'UTC'],
    ['local', `Local (${localZone()})`],
  ];
  return (
    <div class="choices" role="radiogroup" aria-label="Time zone">
      {choices.map(([each, label]) => (
        <label key={each} class="choice">
          <input
            type="radio"
            name={`${name}-zone`}
            value={each}
            checked={each === zone}
            onChange={() => onZone(each)}
          />
          <span>{label}</span>
        </label>
      ))}
    </div>
  );
}

function Share({ range, linkOf }: TimeRangeProps) {
  const copy = useCopy();
  if (range === undefined || linkOf === undefined) return null;
  return (
    <div class="time-range-share" role="group" aria-label="Share">
      {range.kind === 'relative' && (
        <button
          type="button"
          class="button small"
          onClick={() => copy(linkOf(range), 'a link to the relative range')}
        >
          <Icon name="copy" /> Link, relative
        </button>
      )}
      <button
        type="button"
        class="button small"
        onClick={() => copy(linkOf(fixedAt(range, Date.now())), 'a link to the fixed range')}
      >
        <Icon name="copy" /> Link, fixed
      </button>
    </div>
  );
}
