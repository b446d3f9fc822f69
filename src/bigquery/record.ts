// Records that a query makes: STRUCT, and whole rows.
import { quoteString } from '../sql/literal.ts';
import { joinSql, sql } from '../dialects/sql.ts';
import { type Value } from '../dialects/value.ts';
import { columnValue, quoteName, whole } from './value.ts';

/** One field of a record. */
export interface NamedValue {
  readonly name: string;
  readonly value: Value;
}

/** A JSON object: tuple element types must be constant, and those of aggregates are not. */
export function objectOf(fields: readonly NamedValue[]): Value {
  const members = fields.map(
    ({ name, value: each }, index) =>
      sql`${quoteString(`${index === 0 ? '{' : ', '}${JSON.stringify(name)}: `)}, toJSONString(${each.sql})`,
  );
  const object = sql`CAST(concat(${joinSql(members)}, '}') AS JSON)`;
  return columnValue(object, { kind: 'object', isNullable: false, paths: new Map() });
}

/** A tuple with named elements; the engine infers their types. */
export function tupleOf(fields: readonly NamedValue[]): Value {
  const values = fields.map((each) => whole(each.value));
  const types = fields.map(
    ({ name }, index) =>
      sql`${quoteString(`${index === 0 ? '' : ', '}${quoteName(name)} `)}, toTypeName(${values[index] ?? ''})`,
  );
  return {
    sql: sql`CAST(tuple(${joinSql(values)}), concat('Tuple(', ${joinSql(types)}, ')'))`,
    type: {
      kind: 'tuple',
      isNullable: false,
      fields: new Map(fields.map(({ name, value: each }) => [name, each.type])),
    },
  };
}
