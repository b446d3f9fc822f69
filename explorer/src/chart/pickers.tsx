// Menus that choose the chart's time, series and value columns; the choice is part of the URL.
import type { ChartChoice } from '../state/address.ts';
import { useExplorer } from '../state/context.ts';
import { visibleText } from '../parts/hidden-characters.ts';
import type { ChartColumns, ChartFields } from './fields.ts';

interface Props {
  readonly columns: ChartColumns;
  readonly fields: ChartFields;
}

export function Pickers({ columns, fields }: Props) {
  const { address, change } = useExplorer();
  // All three, so that the page does not choose another column for one that the visitor saw.
  const shown: ChartChoice = {
    time: fields.time,
    series: fields.series ?? '',
    value: fields.values.length === 1 ? (fields.values[0] ?? '') : '',
  };
  const choose = (part: ChartChoice): void => change({ view: 'chart', chart: { ...shown, ...part } });
  const isGuess = address.value.chart === undefined;
  const series = columns.series.filter((name) => name !== shown.value);
  return (
    <div class="chart-pickers" role="group" aria-label="Columns of the chart">
      <Picker
        label="Time"
        value={shown.time ?? ''}
        names={columns.times}
        onChange={(time) => choose({ time })}
      />
      <Picker
        label="Series"
        value={shown.series ?? ''}
        names={series}
        empty="none"
        onChange={(name) =>
          // One series for each value of a column needs one column of values.
          choose({
            series: name,
            ...(name === '' ? {} : { value: shown.value || valueBeside(columns, name) }),
          })
        }
      />
      <Picker
        label="Value"
        value={shown.value ?? ''}
        names={columns.values.filter((name) => name !== shown.series)}
        {...(columns.values.length > 1 ? { empty: 'all numeric columns' } : {})}
        onChange={(value) => choose({ value, ...(value === '' ? { series: '' } : {}) })}
      />
      {!isGuess && (
        <button type="button" class="button quiet small" onClick={() => change({ chart: undefined })}>
          Reset
        </button>
      )}
    </div>
  );
}

function valueBeside({ values }: ChartColumns, series: string): string {
  return values.find((name) => name !== series) ?? '';
}

interface PickerProps {
  readonly label: string;
  readonly value: string;
  readonly names: readonly string[];
  /** The label of the empty choice, if there is one. */
  readonly empty?: string;
  readonly onChange: (name: string) => void;
}

function Picker({ label, value, names, empty, onChange }: PickerProps) {
  return (
    <label class="picker">
      <span>{label}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {empty !== undefined && (
          <option value="" selected={value === ''}>
            {empty}
          </option>
        )}
        {names.map((name) => (
          <option key={name} value={name} selected={name === value}>
            {visibleText(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
