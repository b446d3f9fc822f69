// Declared parameters as JSON Schema: the values a caller may send.
import type { Parameter } from '../config/generated/endpoint.ts';
import { jsonValueOf, type JsonValue } from '../sql/json-value.ts';
import type { Schema } from './schema.ts';

/** The allowed values; `locked` is the value that the caller's key sets. */
export function parameterSchema(spec: Parameter, locked: unknown): Schema {
  const type = jsonValueOf(spec.type);
  const schema = type.kind === 'array' ? listSchema(spec, type.element) : scalarSchema(spec, type);
  const value = spec.default === undefined ? {} : { default: spec.default };
  return { ...schema, ...value, ...(locked === undefined ? {} : { const: locked }) };
}

function listSchema(spec: Parameter, element: JsonValue): Schema {
  const { min_length: minItems, max_length: maxItems } = spec;
  const items = valueSchema(spec, element);
  return {
    type: 'array',
    items,
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
}

function scalarSchema(spec: Parameter, type: JsonValue): Schema {
  const { min_length: minLength, max_length: maxLength } = spec;
  const schema = valueSchema(spec, type);
  if (schema.type !== 'string') return schema;
  return {
    ...schema,
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
}

function valueSchema({ enum: values, min, max, pattern, format }: Parameter, type: JsonValue): Schema {
  return {
    ...typeSchema(type),
    ...(values === undefined ? {} : { enum: values }),
    ...(typeof min === 'number' ? { minimum: min } : {}),
    ...(typeof max === 'number' ? { maximum: max } : {}),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    ...(format === undefined ? {} : { format }),
  };
}

/** What a caller may send, which is less than what the type can hold: no null for a float, no 64-bit string. */
function typeSchema(type: JsonValue): Schema {
  if (type.kind === 'integer') return { type: 'integer', ...(type.signed ? {} : { minimum: 0 }) };
  if (type.kind === 'float' || type.kind === 'decimal') return { type: 'number' };
  if (type.kind === 'boolean') return { type: 'boolean' };
  const format = type.kind === 'string' ? type.format : undefined;
  return { type: 'string', ...(format === undefined ? {} : { format }) };
}
