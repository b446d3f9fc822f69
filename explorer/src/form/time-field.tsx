// A date or time: the browser's native picker, in UTC as the service expects, and common relative times.
import { described, type FieldProps } from './field.ts';
import { fromPicker, isPickable, toPicker } from './time.ts';

const AGO: readonly (readonly [string, number])[] = [
  ['1 h ago', 3600],
  ['24 h ago', 86_400],
  ['7 d ago', 604_800],
];

export function TimeField(props: FieldProps) {
  const { parameter, id, value, onChange } = props;
  const isDay = parameter.type === 'Date' || parameter.type === 'Date32';
  return (
    <div class="time-field">
      {isPickable(value, isDay) ? (
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
        {AGO.filter(([, seconds]) => !isDay || seconds >= 86_400).map(([label, seconds]) => (
          <button key={label} type="button" class="chip small" onClick={() => onChange(ago(seconds, isDay))}>
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

function ago(seconds: number, isDay: boolean): string {
  const time = new Date(Date.now() - seconds * 1000).toISOString();
  return isDay ? time.slice(0, 10) : `${time.slice(0, 19)}Z`;
}
