// The subset of JSON Schema 2020-12 that these documents use.

export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  const { type } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const values = schema.enum === undefined ? {} : { enum: [...schema.enum, null] };
  return { ...schema, ...values, type: [type, 'null'] };
}
