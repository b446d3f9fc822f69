// The subset of JSON Schema 2020-12 that these documents use.

export interface Schema {
  /** One, never a list: many programs read no others. */
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
}

const NULL: Schema = { type: 'null' };

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  if (Object.keys(schema).length === 0 || allowsNull(schema)) return schema;
  return { anyOf: [schema, NULL] };
}

function allowsNull({ type, anyOf }: Schema): boolean {
  return type === 'null' || anyOf?.some(allowsNull) === true;
}

/** The schema without null as an alternative. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined || !anyOf.some(({ type }) => type === 'null')) return schema;
  const [only = {}, ...others] = anyOf.filter(({ type }) => type !== 'null');
  return others.length === 0 ? { ...only, ...rest } : { ...rest, anyOf: [only, ...others] };
}
