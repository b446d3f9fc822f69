// Declared parameters as JSON Schema: the values a caller may send.
import type { Parameter } from '../config/generated/endpoint.ts';
import type { Schema } from './schema.ts';

/** The allowed values; `locked` is the value that the caller's key sets. */
export function parameterSchema(spec: Parameter, locked: unknown): Schema {
  const element = /^Array\s*\((.*)\)$/s.exec(spec.type.trim())?.[1];
  const schema =
    element === undefined ? textSchema(spec, spec.type.trim()) : listSchema(spec, element.trim());
  const value = spec.default === undefined ? {} : { default: spec.default };
  return { ...schema, ...value, ...(locked === undefined ? {} : { const: locked }) };
}

function listSchema(spec: Parameter, element: string): Schema {
  const { min_length: minItems, max_length: maxItems } = spec;
  const items = valueSchema(spec, element);
  return {
    type: 'array',
    items,
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
  };
}

function textSchema(spec: Parameter, type: string): Schema {
  const { min_length: minLength, max_length: maxLength } = spec;
  const schema = valueSchema(spec, type);
  if (schema.type !== 'string') return schema;
  return {
    ...schema,
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
}

function valueSchema({ enum: values, min, max, pattern, format }: Parameter, type: string): Schema {
  return {
    ...typeSchema(type),
    ...(values === undefined ? {} : { enum: values }),
    ...(typeof min === 'number' ? { minimum: min } : {}),
    ...(typeof max === 'number' ? { maximum: max } : {}),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    ...(format === undefined ? {} : { format }),
  };
}

function typeSchema(type: string): Schema {
  if (/^U?Int/.test(type)) return { type: 'integer', ...(type.startsWith('U') ? { minimum: 0 } : {}) };
  if (/^(Float|Decimal)/.test(type)) return { type: 'number' };
  if (type === 'Bool') return { type: 'boolean' };
  if (type.startsWith('DateTime')) return { type: 'string', format: 'date-time' };
  if (type.startsWith('Date')) return { type: 'string', format: 'date' };
  if (type === 'UUID') return { type: 'string', format: 'uuid' };
  return { type: 'string' };
}
