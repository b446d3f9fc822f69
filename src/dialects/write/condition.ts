// Conditions of WHERE, HAVING, QUALIFY and joins.
import type { Expression } from '../tree.ts';
import { settled } from '../operand.ts';
import type { Sql } from '../sql.ts';
import { truth } from '../truth.ts';
import type { Context } from './context.ts';

/** An expression as a condition of which only truth matters. */
export function conditionSql(expression: Expression, context: Context): Sql {
  const inside: Context = { ...context, nullIsFalse: true };
  return truth(settled(inside.write(expression, inside)), inside, expression.at).sql;
}
