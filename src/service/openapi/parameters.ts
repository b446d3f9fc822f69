// Declared parameters as JSON Schema: the values a caller may send.
import type { DeclaredParameter } from '../params/declared.ts';
import { jsonValueOf, type JsonValue } from '../../sql/types/json-value.ts';
import { orNull, type Schema } from './schema.ts';

/** The allowed values; `locked` is the value that the caller's key sets. */
export function parameterSchema(spec: DeclaredParameter, locked: unknown): Schema {
  const type = jsonValueOf(spec.type);
  const schema = declaredSchema(spec, type.kind === 'nullable' ? type.inner : type);
  const isTime = TIMES.has(schema.format ?? '') && spec.enum === undefined;
  // A default that is computed from another parameter is none that a caller could send.
  const isComputed = isTime && typeof spec.default === 'string' && spec.default.trim().startsWith('@');
  const value = spec.default === undefined || isComputed ? {} : { default: spec.default };
  const values: Schema = isTime ? { type: 'string', anyOf: [schema, RELATIVE_TIME] } : schema;
  return {
    ...(type.kind === 'nullable' ? orNull(values) : values),
    ...value,
    ...(locked === undefined ? {} : { const: locked }),
  };
}

const TIMES: ReadonlySet<string> = new Set(['date', 'date-time']);

/** A time relative to the call. */
const RELATIVE_TIME: Schema = {
  type: 'string',
  pattern: '^now(?: ?(?:[-+] ?[0-9]{0,6}|/ ?)[smhdwMQy])*$',
  examples: ['now-24h', 'now/d'],
};

function declaredSchema(spec: DeclaredParameter, type: JsonValue): Schema {
  const { min_length: min, max_length: max } = spec;
  if (type.kind === 'nullable') return orNull(declaredSchema(spec, type.inner));
  if (type.kind === 'array') {
    const bounds = withoutUndefined({ minItems: min, maxItems: max, uniqueItems: spec.multiple });
    return { type: 'array', items: constrained(spec, type.element), ...bounds };
  }
  const schema = constrained(spec, type);
  if (type.kind === 'map')
    return { ...schema, ...withoutUndefined({ minProperties: min, maxProperties: max }) };
  return type.kind === 'string'
    ? { ...schema, ...withoutUndefined({ minLength: min, maxLength: max }) }
    : schema;
}

/** The constraints of single values. */
function constrained(spec: DeclaredParameter, type: JsonValue): Schema {
  if (type.kind === 'nullable') return orNull(constrained(spec, type.inner));
  const { enum: values, min, max, pattern, format } = spec;
  return {
    ...sentSchema(type),
    ...(values === undefined ? {} : { enum: values }),
    ...(typeof min === 'number' ? { minimum: min } : {}),
    ...(typeof max === 'number' ? { maximum: max } : {}),
    ...(pattern === undefined ? {} : { pattern: `^(?:${pattern})$` }),
    ...(format === undefined ? {} : { format }),
  };
}

/** What a caller may send, which is less than what the type can hold: no null for a float, no 64-bit string. */
function sentSchema(type: JsonValue): Schema {
  switch (type.kind) {
    case 'integer':
      return { type: 'integer', ...(type.signed ? {} : { minimum: 0 }) };
    case 'float':
    case 'decimal':
      return { type: 'number' };
    case 'boolean':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'string', enum: type.values };
    case 'nullable':
      return orNull(sentSchema(type.inner));
    case 'array':
      return { type: 'array', items: sentSchema(type.element) };
    case 'map':
      return { type: 'object', additionalProperties: sentSchema(type.value) };
    case 'tuple':
      return { type: 'array', prefixItems: type.elements.map(sentSchema), items: false };
    case 'record':
      return recordSchema([...type.members]);
    case 'string':
      return { type: 'string', ...withoutUndefined({ format: type.format }) };
    case 'object':
    case 'any':
    case 'null':
      return { type: 'string' };
  }
}

function recordSchema(members: readonly (readonly [name: string, type: JsonValue])[]): Schema {
  const properties = Object.fromEntries(members.map(([name, type]) => [name, sentSchema(type)]));
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function withoutUndefined<T extends object>(properties: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const known = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [K in keyof T]?: NonNullable<T[K]> }; // the entries of `properties` that are defined
}
