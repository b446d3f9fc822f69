// A parameter entered as text: a string, a number, a comma-separated list, or JSON.
import type { Parameter } from '../service/listing.ts';
import { defaultOf, described, type FieldProps } from './field.ts';

export function TextField(props: FieldProps) {
  const { parameter, value, onChange } = props;
  return (
    <input
      {...described(props)}
      class="input mono"
      type="text"
      inputMode={/^(U?Int|Float|Decimal)/.test(parameter.type) ? 'decimal' : 'text'}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      placeholder={placeholderOf(parameter)}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function placeholderOf(parameter: Parameter): string {
  const { type, min, max } = parameter;
  const preset = defaultOf(parameter);
  if (preset !== undefined) return preset;
  if (min !== undefined && max !== undefined) return `${min} to ${max}`;
  if (min !== undefined) return `at least ${min}`;
  if (max !== undefined) return `at most ${max}`;
  if (/^Array\((?!Array|Tuple|Map)/.test(type)) return 'comma-separated values';
  return /^(?:Array|Tuple|Map)/.test(type) ? 'JSON' : '';
}
