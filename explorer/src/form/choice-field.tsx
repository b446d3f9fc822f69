// A parameter with a fixed set of values: a row of buttons, or a select element if there are many.
import { defaultOf, described, type FieldProps } from './field.ts';

const MAX_ROW = 4;

export function ChoiceField(props: FieldProps) {
  const { parameter, id, value, onChange } = props;
  const values = parameter.enum?.map(String) ?? ['true', 'false'];
  const preset = defaultOf(parameter);
  const none = preset === undefined ? 'not set' : `default (${preset})`;
  if (values.length > MAX_ROW) {
    return (
      <select
        {...described(props)}
        class="input"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{parameter.required ? 'choose' : none}</option>
        {values.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    );
  }
  const choices = parameter.required ? values : ['', ...values];
  return (
    <div
      class="choices"
      role="radiogroup"
      aria-label={parameter.name}
      aria-describedby={`${id}-error ${id}-note`}
    >
      {choices.map((each, i) => (
        <label key={each} class="choice">
          <input
            type="radio"
            id={i === 0 ? id : undefined}
            name={id}
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
          />
          <span>{each === '' ? none : each}</span>
        </label>
      ))}
    </div>
  );
}
