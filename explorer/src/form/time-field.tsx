// A date or time: the browser's native picker, in UTC as the service expects, and common relative times.
import { described, type FieldProps } from './field.ts';
import { fromPicker, isPickable, timeTypeOf, toPicker } from './time.ts';

/** Values that the service computes for each call. */
const AGO: readonly (readonly [label: string, value: string])[] = [
  ['1 h ago', 'now-1h'],
  ['24 h ago', 'now-24h'],
  ['7 d ago', 'now-7d'],
];

export function TimeField(props: FieldProps) {
  const { parameter, id, value, onChange } = props;
  const type = timeTypeOf(parameter.type) ?? { isDay: false, zone: undefined };
  const { isDay } = type;
  return (
    <div class="time-field">
      {isPickable(value, type) ? (
        <input
          {...described(props)}
          class="input mono"
          type={isDay ? 'date' : 'datetime-local'}
          step={isDay ? undefined : 1}
          value={toPicker(value, isDay)}
          onInput={(event) => onChange(fromPicker(event.currentTarget.value, isDay))}
        />
      ) : (
        <input
          {...described(props)}
          class="input mono"
          type="text"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
      <div class="time-chips" role="group" aria-label={`${parameter.name}, common values`} id={`${id}-chips`}>
        <span class="zone">{isDay ? 'day' : 'UTC'}</span>
        {AGO.filter(([, ago]) => !isDay || ago !== 'now-1h').map(([label, ago]) => (
          <button key={label} type="button" class="chip small" onClick={() => onChange(ago)}>
            {label}
          </button>
        ))}
        {value !== '' && !parameter.required && (
          <button type="button" class="chip small" onClick={() => onChange('')}>
            clear
          </button>
        )}
      </div>
    </div>
  );
}
