// The structured content of an endpoint's tool as JSON Schema.
import type { Principal } from '../../../auth/principal.ts';
import { rowSchema, type DescribedEndpoint } from '../../../openapi/operations.ts';
import { orNull, type Schema } from '../../../openapi/schema.ts';
import { mapValues } from './input-schema.ts';

/** Characters of the schema of a row; columns of wider ones are not listed. */
const MAX_ROW = 8192;
const MAX_ENUM = 50;

/** The schema of `StructuredRows`, in the standard shape; undefined columns are any. */
export function outputSchema(described: DescribedEndpoint, { redact }: Pick<Principal, 'redact'>): Schema {
  const { endpoint, rows } = described;
  const large = endpoint.int64 === 'string' ? 'string' : 'exact';
  const row =
    rows === undefined ? ANY_ROW : relaxed(rowSchema(described, { redact, resultShape: 'standard' }, large));
  return {
    type: 'object',
    properties: {
      rows: { type: 'array', items: JSON.stringify(row).length > MAX_ROW ? ANY_ROW : row },
      row_count: { type: 'integer' },
      complete: { type: 'boolean' },
      note: { type: 'string' },
      ...(endpoint.fresh === undefined ? {} : { data: DATA_AGE }),
      ...(endpoint.page === undefined ? {} : { next: { type: 'string' } }),
    },
    required: ['rows', 'row_count', 'complete'],
  };
}

const DATA_AGE: Schema = {
  type: 'object',
  properties: { age: orNull({ type: 'integer' }), stale: { type: 'boolean' } },
};
const ANY_ROW: Schema = { type: 'object' };

/** The columns of a row, each with values that may be cut: nested objects without some of their members. */
function relaxed(row: Schema): Schema {
  const each = row.oneOf ?? row.anyOf;
  if (each !== undefined) return { anyOf: each.map(relaxed) };
  return { ...row, properties: mapValues(row.properties ?? {}, withoutRequired) };
}

function withoutRequired({ required: _required, enum: names, format: _format, ...schema }: Schema): Schema {
  const { items, prefixItems, properties, additionalProperties, anyOf } = schema;
  return {
    ...schema,
    ...(names !== undefined && names.length <= MAX_ENUM ? { enum: names } : {}),
    ...(items ? { items: withoutRequired(items) } : {}),
    ...(prefixItems && { prefixItems: prefixItems.map(withoutRequired) }),
    ...(anyOf && { anyOf: anyOf.map(withoutRequired) }),
    ...(properties && { properties: mapValues(properties, withoutRequired) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withoutRequired(additionalProperties) }
      : {}),
  };
}
