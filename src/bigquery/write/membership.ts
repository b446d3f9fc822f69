// IN.
import { syntax } from '../../dialects/context.ts';
import { key, settled } from '../../dialects/operand.ts';
import type { Context } from '../../dialects/write/context.ts';
import { writeNested } from '../../dialects/write/nested.ts';
import { anyOf, inArray, inConstants, inRows, negated } from '../../dialects/membership.ts';
import { joinSql, located, sql } from '../../dialects/sql.ts';
import type { Expression } from '../../dialects/tree.ts';
import { isKind, isTime, type Value } from '../../dialects/value.ts';
import { alike, compared, operand } from './comparison.ts';
import { unnestedOf } from '../../dialects/write/unnest.ts';

type In = Extract<Expression, { kind: 'in' }>;

/** Writes IN with a list, an array or a subquery. */
export function membership(expression: In, context: Context): Value {
  const { among } = expression;
  const subject = operand(expression.value, context);
  const written =
    among.kind === 'list'
      ? inList(subject, among.values, { expression, context })
      : inOther(subject, expression, context);
  return { ...written, sql: located(expression.at, sql`(${written.sql})`), isLoose: false };
}

interface Place {
  readonly expression: In;
  readonly context: Context;
}

function inList(subject: Value, items: readonly Expression[], { expression, context }: Place): Value {
  const { isNot, at } = expression;
  const members = items.map((each) => operand(each, context));
  const values = members.filter((each) => !isKind(each, 'null'));
  const hasNull = values.length < members.length;
  // IN does not convert times to the precision of its left side.
  const isSet =
    items.every(isConstant) &&
    values.length > 0 &&
    ![subject, ...values].some(isTime) &&
    !isKind(subject, 'tuple');
  if (!isSet) return negated(anyOf(members.map((each) => compared('=', [subject, each], at))), isNot);
  const [own = '', ...list] = alike([subject, ...values], at);
  return inConstants(
    { subject: { ...subject, sql: own, isLoose: false }, list: sql`(${joinSql(list)})`, hasNull },
    { isNot, context },
  );
}

function isConstant(written: Expression): boolean {
  if (written.kind === 'unary') return written.operator !== 'NOT' && isConstant(written.value);
  return ['string', 'number', 'boolean', 'null', 'time'].includes(written.kind);
}

function inOther(own: Value, { among, isNot, at }: In, context: Context): Value {
  const subject = key(own);
  const compare = (member: Value): Value => compared('=', [member, subject], at);
  if (among.kind === 'query') {
    const {
      sql: rows,
      columns,
      isCorrelated,
    } = writeNested(among.query, context, {
      isShown: false,
      isPlain: true,
    });
    const [column, more] = columns ?? [];
    if (column === undefined || more !== undefined)
      syntax(among.query.at, 'A subquery after IN must have one column');
    return inRows(
      subject,
      { sql: rows, column: column.name, type: column.value.type, isCorrelated },
      { isNot, context, compare },
    );
  }
  if (among.kind === 'unnest' && among.array.kind === 'array')
    return inList(own, among.array.items, {
      expression: { kind: 'in', value: among.array, among, isNot, at },
      context,
    });
  const array = context.elements(
    among.kind === 'unnest' ? operand(unnestedOf(among.array), context) : subject,
  );
  return inArray(settled(subject), array, { isNot, context });
}
