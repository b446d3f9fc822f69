// Values of which one is returned: ClickHouse requires a common type, which it does not always find.
import { sql } from '../../dialects/sql.ts';
import type { Unified } from '../../dialects/context.ts';
import { implicit } from '../../dialects/implicit.ts';
import { jsonText } from '../../dialects/json-path.ts';
import { dateLiteral, timestampLiteral } from '../../dialects/time/literal.ts';
import { float, isNumber, isTime, text, value, type Type, type Value } from '../../dialects/value.ts';

/** The values in one type. */
export function unified(all: readonly Value[], place?: Parameters<typeof implicit>[1]): Unified {
  const values = place === undefined ? all : implicit(all, place);
  const [first = value('null', 'NULL')] = values;
  const typed = values.filter(({ type }) => type.kind !== 'null');
  const nullable = values.some(({ type }) => type.isNullable);
  if (typed.some(isTime)) return times(values, nullable);
  const kinds = new Set(typed.map(({ type }) => type.kind));
  if (typed.length > 0 && typed.every(isNumber)) return numbers(values, nullable);
  if (kinds.has('json') && kinds.size > 1)
    return unified(values.map((each) => (each.type.kind === 'json' ? jsonText(each) : each)));
  if (kinds.has('text') && kinds.size > 1 && !kinds.has('unknown'))
    return { sqls: values.map(text), type: { kind: 'text', isNullable: nullable } };
  const [only = first.type, other] = [...new Map(typed.map(({ type }) => [type.kind, type])).values()];
  const kind = other === undefined ? only : { kind: 'unknown' as const };
  return { sqls: values.map(({ sql }) => sql), type: { ...kind, isNullable: nullable } };
}

const isLiteral = ({ sql }: Value): boolean => /^-?\d+$/.test(String(sql));

/** Int64 and Float64 have no common type in ClickHouse. */
function numbers(values: readonly Value[], nullable: boolean): Unified {
  const typed = values.filter(({ type }) => type.kind !== 'null');
  const scales = typed.map(({ type }) => type.scale);
  const scale = scales.includes(undefined) ? undefined : Math.max(...scales.map((each) => each ?? 0));
  const find = (kind: Type['kind']): boolean => typed.some(({ type }) => type.kind === kind);
  const isFloat = find('float') || find('numeric');
  const kind = find('float') ? 'float' : find('numeric') ? 'numeric' : find('decimal') ? 'decimal' : 'int';
  const hasSigned = typed.some(
    (each) => each.type.kind === 'int' && each.type.isUnsigned !== true && !isLiteral(each),
  );
  const sqls = values.map((each) => {
    if (each.type.isUnsigned === true && hasSigned && kind === 'int') return sql`toInt64(${each.sql})`;
    if (!isFloat || each.type.kind === 'null' || isLiteral(each)) return each.sql;
    return each.type.kind === 'int'
      ? sql`toFloat64(${each.sql})`
      : each.type.kind === 'decimal'
        ? float(each)
        : each.sql;
  });
  const sizes = typed.map(({ type }) => type.bytes);
  const bytes =
    kind !== 'int' || sizes.includes(undefined) ? undefined : Math.max(...sizes.map((each) => each ?? 8));
  return { sqls, type: { kind, isNullable: nullable, scale, bytes } };
}

function times(values: readonly Value[], nullable: boolean): Unified {
  const literals = values.map((each) => {
    if (each.type.kind !== 'text' || each.literal === undefined) return each;
    return (/[ T]\d/.test(each.literal) ? timestampLiteral : dateLiteral)(each.literal) ?? each;
  });
  const typed = literals.filter(({ type }) => type.kind !== 'null');
  if (typed.some(({ type }) => type.kind === 'text'))
    return { sqls: values.map(text), type: { kind: 'text', isNullable: nullable } };
  const isDay = typed.every(({ type }) => type.kind === 'date');
  const areDates = isDay || typed.every(({ type }) => type.kind === 'date' || type.isDate === true);
  const sqls = literals.map(({ sql: built, type }) => {
    const isDate = type.kind === 'date' || type.isDate === true;
    return isDate && !areDates ? sql`toDateTime64(${built}, 6, 'UTC')` : built;
  });
  if (typed.some(({ type }) => type.kind === 'unknown'))
    return { sqls: literals.map(({ sql }) => sql), type: { kind: 'unknown', isNullable: nullable } };
  return {
    sqls,
    type: {
      kind: isDay ? 'date' : 'timestamp',
      isNullable: nullable,
      ...(areDates && !isDay ? { isDate: true } : {}),
      ...(typed.every(({ type }) => type.isWide === true) ? { isWide: true } : {}),
    },
  };
}
