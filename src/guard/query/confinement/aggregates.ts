// The rows that have an influence on an aggregate: those for which its condition, or that of its argument, holds.
import { childrenOf, type Expression, type FunctionExpression } from '../tree/nodes.ts';
import { isNullable, typeOf } from './types.ts';
import { integerOf, isDecimal } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

/** Aggregates on which NULL has no influence. */
const WITHOUT_NULL = /^(?:count|sum|avg|min|max|any|uniq\w*|groupArray|groupUniqArray)$/;

/** The aggregates of an expression, those inside subqueries excluded. */
export function aggregatesOf(expression: Expression): readonly FunctionExpression[] {
  if (expression.kind === 'function' && expression.role === 'aggregate') return [expression];
  return childrenOf(expression).flatMap(aggregatesOf);
}

/** Conditions that each row with an influence on an aggregate satisfies. */
export function conditionsOfAggregate({ name, arguments: list }: FunctionExpression): readonly Expression[] {
  const [value] = list;
  const last = list.at(-1);
  if (name.endsWith('If')) return last === undefined ? [] : [last];
  if (value === undefined || list.length > 1) return [];
  if (name === 'sum' && !isNullable(typeOf(value))) return factorsOf(value);
  return WITHOUT_NULL.test(name) ? conditionOfIf(value, 'NULL') : [];
}

/** What must not be zero for a number not to be. */
function factorsOf(value: Expression): readonly Expression[] {
  if (value.kind !== 'function') return [];
  if (value.name === 'if') return conditionOfIf(value, '0');
  const type = parseType(value.type);
  if (integerOf(type) === undefined && !isDecimal(type)) return []; // neither NaN nor infinite
  return value.name === 'multiply' ? value.arguments.flatMap(factorsOf) : [value];
}

/** The condition of `if(condition, …, otherwise)`. */
function conditionOfIf(value: Expression, otherwise: 'NULL' | '0'): readonly Expression[] {
  if (value.kind !== 'function' || value.name !== 'if') return [];
  const [condition, , last] = value.arguments;
  const text = last?.kind === 'constant' ? last.text.replace(/^U?Int64_/, '') : undefined;
  return condition !== undefined && text === otherwise ? [condition] : [];
}
