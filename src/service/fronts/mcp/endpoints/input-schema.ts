// The arguments of an endpoint's tool as JSON Schema: its parameters without those that the key sets.
import type { Endpoint, PagePolicy } from '../../../endpoints/endpoint.ts';
import type { DeclaredParameter } from '../../../params/declared.ts';
import { parameterSchema } from '../../../openapi/parameters.ts';
import { withoutNull, type Schema } from '../../../openapi/schema.ts';
import { jsonValueOf, type JsonValue } from '../../../../sql/types/json-value.ts';

/** Locked parameters, by name. */
export type Locked = ReadonlyMap<string, unknown>;

/** An object with the parameters that the caller may send. */
export function inputSchema({ parameters, examples, page }: Endpoint, locked: Locked): Schema {
  const own = Object.entries(parameters).filter(([name]) => !locked.has(name));
  const [example] = examples;
  const properties = own.map(([name, spec]) => {
    const value: unknown = example?.parameters?.[name];
    const shown =
      value === undefined || JSON.stringify(value).length > MAX_EXAMPLE ? {} : { examples: [value] };
    return [name, { ...argumentSchema(spec), ...(value === null ? {} : shown) }] as const;
  });
  const required = own.filter(([, spec]) => spec.required === true).map(([name]) => name);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...(page && pageArguments(page)) },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function pageArguments({ size, max }: PagePolicy): Readonly<Record<string, Schema>> {
  return {
    page_size: { type: 'integer', minimum: 1, maximum: max, default: size, description: 'Rows of a page.' },
    cursor: {
      type: 'string',
      description: 'The value of next in the result before; leave it out for the first page.',
    },
  };
}

/** Characters of an example of one parameter. */
const MAX_EXAMPLE = 200;

/**
 * A parameter for clients that check arguments before they send them: regular expressions are RE2, which JSON Schema does not
 * have, and arguments lose digits of large numbers unless they are strings, which the call accepts.
 */
function argumentSchema(spec: DeclaredParameter): Schema {
  const { pattern, format, ...plain } = spec;
  const isShared = pattern === undefined || isUnicodePattern(pattern);
  const schema = parameterSchema(
    isShared && pattern !== undefined ? { ...plain, pattern } : plain,
    undefined,
  );
  const isLarge = hasLargeNumbers(jsonValueOf(spec.type));
  const notes = [
    ...(spec.description === undefined ? [] : [spec.description.trim()]),
    ...(isShared ? [] : [`Must match the regular expression (RE2) ${pattern}`]),
    ...(format === 'regex' && spec.description?.includes('RE2') !== true
      ? ['A regular expression (RE2).']
      : []),
    ...(isLarge ? ['Send numbers beyond 2^53 as strings.'] : []),
    ...(jsonValueOf(spec.type).kind === 'nullable' ? ['May be null.'] : []),
  ];
  const described = notes.length === 0 ? {} : { description: notes.join(' ') };
  const { default: value, ...one } = oneType(schema);
  // Without the argument, it is NULL as well.
  return { ...described, ...one, ...(value === undefined || value === null ? {} : { default: value }) };
}

/** Returns whether JavaScript, in which most clients check schemas, accepts the expression; RE2 has more. */
function isUnicodePattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function hasLargeNumbers(value: JsonValue): boolean {
  switch (value.kind) {
    case 'integer':
      return value.bits > 53;
    case 'decimal':
      return true;
    case 'nullable':
      return hasLargeNumbers(value.inner);
    case 'array':
      return hasLargeNumbers(value.element);
    case 'tuple':
      return value.elements.some(hasLargeNumbers);
    case 'record':
      return [...value.members.values()].some(hasLargeNumbers);
    case 'map':
      return hasLargeNumbers(value.value);
    case 'float':
    case 'boolean':
    case 'null':
    case 'string':
    case 'enum':
    case 'object':
    case 'any':
      return false;
  }
}

/**
 * The schema with one type for each value, at its top: some clients reject all tools for a list of types or for none. What else a call
 * accepts, null and strings of numbers, is in the description.
 */
function oneType(schema: Schema): Schema {
  const { anyOf, items, prefixItems, properties, additionalProperties, ...rest } = withoutNull(schema);
  const [first] = anyOf ?? [];
  return {
    ...(first?.type === undefined ? {} : { type: first.type }),
    ...rest,
    ...(anyOf && { anyOf: anyOf.map(oneType) }),
    ...(items === undefined ? {} : { items: items && oneType(items) }),
    ...(prefixItems && { prefixItems: prefixItems.map(oneType) }),
    ...(properties && { properties: mapValues(properties, oneType) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? oneType(additionalProperties) : additionalProperties,
        }),
  };
}

/** The same names with other values. */
export function mapValues<A, B>(
  record: Readonly<Record<string, A>>,
  map: (value: A) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
