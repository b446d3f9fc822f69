// A parameter that accepts several of its choices: a row of checkboxes, whose order is that of checking them.
import type { FieldProps } from './field.ts';

export function ListField({ parameter, id, value, onChange }: FieldProps) {
  const chosen = value === '' ? [] : value.split(',');
  const toggle = (each: string): void =>
    onChange(
      (chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each]).join(','),
    );
  return (
    <div
      id={id}
      class="choices"
      role="group"
      aria-label={parameter.name}
      aria-describedby={`${id}-error ${id}-note`}
    >
      {(parameter.enum ?? []).map(String).map((each) => (
        <label key={each} class="choice">
          <input
            type="checkbox"
            name={id}
            value={each}
            checked={chosen.includes(each)}
            onChange={() => toggle(each)}
          />
          <span>
            {chosen.length > 1 && chosen.includes(each) ? `${chosen.indexOf(each) + 1}. ${each}` : each}
          </span>
        </label>
      ))}
    </div>
  );
}
