// The tool of an endpoint, as tools/list shows it.
import type { Principal } from '../../../auth/principal.ts';
import type { Endpoint } from '../../../endpoints/endpoint.ts';
import type { DescribedEndpoint } from '../../../openapi/operations.ts';
import type { Schema } from '../../../openapi/schema.ts';
import type { ToolDefinition } from '../tool.ts';
import { inputSchema, mapValues, type Locked } from './input-schema.ts';
import { outputSchema } from './output-schema.ts';
import { toolText } from './tool-text.ts';

/** Saved queries read, and the same arguments give the same rows until the data changes. */
export const READ_ONLY = {
  readOnlyHint: true,
  idempotentHint: true,
  destructiveHint: false,
  openWorldHint: false,
} as const;

/** Characters of an input schema; longer ones lose descriptions first. */
const MAX_INPUT = 16_384;

/** The definition for a key: locked parameters are no arguments. Undefined columns: without them in the output schema. */
export function toolDefinition(
  name: string,
  described: DescribedEndpoint,
  principal: Pick<Principal, 'locked' | 'redact'>,
): ToolDefinition {
  const { endpoint } = described;
  return {
    name,
    title: endpoint.name,
    description: toolText(endpoint, principal.locked),
    inputSchema: argumentsSchema(endpoint, principal.locked, MAX_INPUT),
    outputSchema: { ...outputSchema(described, principal) },
    annotations: { title: endpoint.name, ...READ_ONLY },
  };
}

/** The schema of the arguments with at most about `max` characters. */
export function argumentsSchema(
  endpoint: Endpoint,
  locked: Locked,
  max: number,
): ToolDefinition['inputSchema'] {
  const schema = fittingSchema(inputSchema(endpoint, locked), max);
  return schema as ToolDefinition['inputSchema']; // of an object, and a Schema is JSON
}

/** The schema of an object with at most about `max` characters: with short descriptions, or without, if it is longer. */
function fittingSchema(schema: Schema, max: number): Schema {
  if (lengthOf(schema) <= max) return schema;
  const short = withProperties(schema, ({ description, ...rest }) => ({
    ...(description === undefined ? {} : { description: firstOf(description) }),
    ...rest,
  }));
  if (lengthOf(short) <= max) return short;
  return withProperties(schema, ({ type, format }) => ({
    ...(type === undefined ? {} : { type }),
    ...(format === undefined ? {} : { format }),
  }));
}

function lengthOf(schema: Schema): number {
  return JSON.stringify(schema).length;
}

const SHORT = 100;

function firstOf(description: string): string {
  return description.length > SHORT ? `${description.slice(0, SHORT)}…` : description;
}

function withProperties(schema: Schema, map: (property: Schema) => Schema): Schema {
  return { ...schema, properties: mapValues(schema.properties ?? {}, map) };
}
