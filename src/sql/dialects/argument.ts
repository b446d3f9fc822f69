// String and number arguments of functions.
import type { Expression } from './tree.ts';
import type { Application } from './function.ts';
import { joinSql, sql, type Sql, int, operand, text, type Value } from './value.ts';

/** An argument as a string, or as bytes. */
export function asText({ arg, at, context }: Application, index: number): Value {
  const own = arg(index);
  const isPlain = ['text', 'bytes', 'null', 'unknown'].includes(own.type.kind);
  return isPlain ? own : context.asText(own, at);
}

/** The integer of a literal, with its sign; undefined for other expressions. Not exact above 2^53. */
export function signedInteger(expression: Expression | undefined): number | undefined {
  if (expression?.kind === 'unary' && expression.operator === '-') {
    const inner = signedInteger(expression.value);
    return inner === undefined ? undefined : -inner;
  }
  return expression?.kind === 'number' && /^-?\d+$/.test(expression.text)
    ? Number(expression.text)
    : undefined;
}

/** The text of a literal argument; null for NULL, undefined for other expressions. */
export function literalText({ source }: Application, index: number): string | null | undefined {
  const each = source(index);
  if (each.kind === 'null') return null;
  return each.kind === 'string' ? each.value : undefined;
}

/** A number of characters or repetitions, which must not be negative. */
export function count(application: Application, index: number): Sql {
  const { source, arg, context, fail, call } = application;
  const literal = signedInteger(source(index));
  if (literal !== undefined && literal < 0 && call.isSafe) return 'NULL';
  if (literal !== undefined && literal < 0)
    return fail(`${call.name} does not accept a negative number here`);
  const own = arg(index);
  if (literal === undefined && call.isSafe) return sql`if(${own.sql} < 0, NULL, ${own.sql})`;
  if (literal !== undefined || context.isEvaluated !== true) return own.sql;
  const type = own.type.isNullable ? 'Nullable(UInt64)' : 'UInt64';
  return sql`accurateCast(${own.sql}, '${type}')`;
}

/** NULL of NULL: an array cannot be NULL in ClickHouse. */
export function unlessNull(
  values: readonly Value[],
  ofNull: Sql,
  build: (...own: readonly Sql[]) => Sql,
): Sql {
  const nullable = values.filter(({ type }) => type.isNullable);
  if (nullable.length === 0) return build(...values.map(text));
  const isNull = joinSql(
    nullable.map((each) => sql`${operand(each)} IS NULL`),
    ' OR ',
  );
  const present = values.map((each) =>
    each.type.isNullable ? sql`assumeNotNull(${text(each)})` : text(each),
  );
  return sql`if(${isNull}, ${ofNull}, ${build(...present)})`;
}

/** A number of characters, or a position of one. */
export const characters = (own: Sql, nullable: boolean): Value => int(own, nullable, { bits: 32 });
