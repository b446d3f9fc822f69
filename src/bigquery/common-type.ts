// Finds a common type for several values: branches of a condition, array elements, both sides of a comparison.
import { number, text, whole } from '../dialects/operand.ts';
import { isNumberKind, NULL_TYPE, TEXT, type Type, type Value } from '../dialects/value.ts';
import { sql, type Sql } from '../dialects/sql.ts';

/** The values converted to a common type, and that type. */
export function unified(values: readonly Value[]): { readonly sqls: readonly Sql[]; readonly type: Type } {
  const type = commonType(values);
  const write = isNumberKind(type.kind) ? number : text;
  const isLoose = values.some((each) => each.type.kind === 'dynamic');
  // ClickHouse has no common type of integers or decimals and Float64.
  const asType = (each: Value): Sql =>
    type.kind === 'float' && (each.type.kind === 'int' || each.type.kind === 'decimal')
      ? sql`toFloat64(${whole(each)})`
      : whole(each);
  return { sqls: values.map((each) => (isLoose ? write(each) : asType(each))), type };
}

function commonType(values: readonly Value[]): Type {
  const known = values.map(({ type }) => type).filter(({ kind }) => kind !== 'null' && kind !== 'dynamic');
  const [first] = known;
  if (first === undefined) return values.some(({ type }) => type.kind === 'dynamic') ? TEXT : NULL_TYPE;
  if (known.every(({ kind }) => kind === first.kind))
    return {
      ...first,
      isNullable: values.some(({ type: { isNullable } }) => isNullable),
      isWide: known.every(({ isWide }) => isWide === true),
    };
  const areNumbers = known.every(({ kind }) => isNumberKind(kind));
  const isNullable = !areNumbers || values.some(({ type }) => type.isNullable);
  return { kind: areNumbers ? 'float' : 'unknown', isNullable };
}
