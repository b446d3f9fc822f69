// What the fields of a form have in common.
import type { Parameter } from '../service/listing.ts';

/** What each kind of field is given. */
export interface FieldProps {
  readonly parameter: Parameter;
  readonly id: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** The attributes that tie a control to its error and its description. */
export function described({ id, error, parameter }: FieldProps) {
  return {
    id,
    'aria-invalid': error !== undefined,
    'aria-required': parameter.required,
    'aria-describedby': `${id}-error ${id}-note`,
  };
}
