// Shared props and attributes of form fields.
import { defaultText } from '../state/initial-address.ts';
import type { Parameter } from '../service/listing.ts';

/** Props of every kind of field. */
export interface FieldProps {
  readonly parameter: Parameter;
  readonly id: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** ARIA attributes that link a control to its error and description. */
export function described({ id, error, parameter }: FieldProps) {
  return {
    id,
    'aria-invalid': error !== undefined,
    'aria-required': parameter.required,
    'aria-describedby': `${id}-error ${id}-note`,
  };
}

/** What the service uses if the field is empty; undefined if there is no default. */
export function defaultOf(parameter: Parameter): string | undefined {
  const text = defaultText(parameter);
  return text === '' ? undefined : text;
}
