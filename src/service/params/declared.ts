// A declared parameter with its type: that of a choice follows from its names.
import type { Parameter } from '../config/generated/endpoint.ts';
import { parseDeclaredType, printType } from '../../sql/types/type.ts';

/** With ClickHouse's own names of types; with the type of a choice, and its names as `enum`. */
export type DeclaredParameter = Parameter & { readonly type: string };

/** Completes the declaration of a choice: its values are names. */
export function declaredParameter(spec: Parameter): DeclaredParameter {
  const { choices, type = 'String' } = spec;
  if (choices === undefined) return { ...spec, type: printType(parseDeclaredType(type)) };
  const names = Object.keys(choices);
  if (spec.multiple !== true) return { ...spec, type: 'String', enum: names };
  return { ...spec, type: 'Array(String)', enum: names, min_length: 1, max_length: names.length };
}
