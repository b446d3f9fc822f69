// What a condition says about the rows that satisfy it.
import { bind, eitherOf, link, type Facts } from './facts.ts';
import type { Expression, FunctionExpression } from './nodes.ts';
import { componentsOf, isValue, refOf, type ValueContext } from './values.ts';

export interface FilterContext extends ValueContext {
  /** Whether the parameter is never NULL. */
  readonly isNeverNull: boolean;
}

/**
 * The facts about the rows for which a condition is true, or for `isTrue` false: false, not NULL. Undefined: there are no
 * such rows.
 */
export function filterBy(
  facts: Facts,
  condition: Expression,
  context: FilterContext,
  isTrue = true,
): Facts | undefined {
  if (condition.kind === 'constant') return isNone(condition.text, isTrue) ? undefined : facts;
  if (condition.kind !== 'function' || condition.role !== 'ordinary') return facts;
  const [first, second, third] = condition.arguments;
  const name = condition.name.toLowerCase();
  if (name === 'and' || name === 'or') {
    const isAll = (name === 'and') === isTrue;
    return (isAll ? filterByAll : filterByAny)(facts, condition.arguments, context, isTrue);
  }
  if (name === 'not' && first !== undefined) return filterBy(facts, first, context, !isTrue);
  if (name === 'if' && first !== undefined && second !== undefined && third !== undefined)
    return eitherOf([
      inTurn(facts, [[first, true], [second, isTrue]], context),
      inTurn(facts, [[first, false], [third, isTrue]], context),
    ]); // prettier-ignore
  if (name === 'multiif') return filterByCases(facts, condition.arguments, context, isTrue);
  if ((name === 'ifnull' || name === 'coalesce') && first !== undefined && isTrue && isFalse(second))
    return filterBy(facts, first, context);
  if (name === 'isnull' && first !== undefined && isTrue && isParameter(first, context))
    return context.isNeverNull ? undefined : facts;
  return filterByComparison(facts, condition, context, isTrue);
}

function isNone(text: string, isTrue: boolean): boolean {
  if (text === 'NULL') return true;
  return (
    isTrue ? /^(?:U?Int64_0|Bool_(?:0|false)|false)$/ : /^(?:U?Int64_[1-9]\d*|Bool_(?:1|true)|true)$/
  ).test(text);
}

function isFalse(expression: Expression | undefined): boolean {
  return expression?.kind === 'constant' && isNone(expression.text, true);
}

function isParameter(expression: Expression, { parameter }: FilterContext): boolean {
  return expression.kind === 'parameter' && expression.name === parameter;
}

/** Conditions that all hold; repeated until nothing more follows, since their order has no meaning. */
function filterByAll(
  facts: Facts,
  conditions: readonly Expression[],
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  let current: Facts = facts;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = sizeOf(current);
    for (const condition of conditions) {
      const next = filterBy(current, condition, context, isTrue);
      if (next === undefined) return undefined;
      current = next;
    }
    if (sizeOf(current) === before) break;
  }
  return current;
}

/** Rounds over one conjunction, which is enough for a chain of as many equalities in the worst order. */
const MAX_ROUNDS = 6;

/** Grows with everything that a condition can add. */
function sizeOf({ equal, sources }: Facts): number {
  let size = equal.size;
  for (const { isConfined, keys } of sources.values()) size += isConfined ? 1_000_000 : keys.size;
  return size;
}

function filterByAny(
  facts: Facts,
  conditions: readonly Expression[],
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  return eitherOf(conditions.map((condition) => filterBy(facts, condition, context, isTrue)));
}

function inTurn(
  facts: Facts,
  conditions: readonly (readonly [Expression, boolean])[],
  context: FilterContext,
): Facts | undefined {
  // A condition of `if` that is NULL takes the second branch, so nothing follows from one that is not true.
  return conditions.reduce<Facts | undefined>(
    (current, [condition, isTrue], index) =>
      current && (index === 0 && !isTrue ? current : filterBy(current, condition, context, isTrue)),
    facts,
  );
}

function filterByCases(
  facts: Facts,
  list: readonly Expression[],
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  const branches: (Facts | undefined)[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const [when, then] = [list[at], list[at + 1]];
    if (when === undefined) continue;
    if (then === undefined) branches.push(filterBy(facts, when, context, isTrue)); // ELSE
    else branches.push(inTurn(facts, [[when, true], [then, isTrue]], context)); // prettier-ignore
  }
  return eitherOf(branches);
}

const EQUALITIES: ReadonlySet<string> = new Set(['equals', 'isnotdistinctfrom']);
const INEQUALITIES: ReadonlySet<string> = new Set(['notequals', 'isdistinctfrom']);
const IN: ReadonlySet<string> = new Set(['in', 'globalin', 'nullin', 'globalnullin']);
const NOT_IN: ReadonlySet<string> = new Set(['notin', 'globalnotin', 'notnullin', 'globalnotnullin']);

function filterByComparison(
  facts: Facts,
  { name, arguments: [left, right] }: FunctionExpression,
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  if (left === undefined || right === undefined) return facts;
  const folded = name.toLowerCase();
  if ((isTrue ? EQUALITIES : INEQUALITIES).has(folded)) {
    const condition = isTrue ? conditionThatIsTrue(left, right) : undefined;
    return condition === undefined
      ? equate(facts, left, right, context)
      : filterBy(facts, condition, context);
  }
  if ((isTrue ? IN : NOT_IN).has(folded)) return among(facts, left, right, context);
  if (isTrue && folded === 'has') return has(facts, left, right, context);
  return facts;
}

/** The condition of `condition = 1`. */
function conditionThatIsTrue(left: Expression, right: Expression): Expression | undefined {
  if (isOne(right)) return left.kind === 'function' && left.type === 'UInt8' ? left : undefined;
  return isOne(left) && right.kind === 'function' && right.type === 'UInt8' ? right : undefined;
}

/** Both are equal in every row; tuples by component. */
function equate(facts: Facts, left: Expression, right: Expression, context: FilterContext): Facts {
  const [lefts, rights] = [componentsOf(left), componentsOf(right)];
  if (lefts.length > 1 && lefts.length === rights.length) {
    return lefts.reduce((current, each, index) => {
      const other = rights[index];
      return other === undefined ? current : equate(current, each, other, context);
    }, facts);
  }
  const [a, b] = [refOf(left), refOf(right)];
  let current = facts;
  if (a !== undefined && b !== undefined) current = link(current, a, b);
  if (a !== undefined && isValue(right, facts, context)) current = bind(current, a);
  if (b !== undefined && isValue(left, facts, context)) current = bind(current, b);
  return current;
}

/** `left IN set`. */
function among(facts: Facts, left: Expression, set: Expression, context: FilterContext): Facts {
  const columns = componentsOf(left);
  if (set.kind === 'subquery') {
    return columns.reduce((current, column, index) => {
      const ref = refOf(column);
      return ref !== undefined && context.isValueQuery(set, index) ? bind(current, ref) : current;
    }, facts);
  }
  const rows = rowsOf(set, columns.length);
  return columns.reduce((current, column, index) => {
    const ref = refOf(column);
    const values = rows.map((row) => row[index]);
    const isBound = values.every((value) => value !== undefined && isValue(value, facts, context));
    return ref !== undefined && values.length > 0 && isBound ? bind(current, ref) : current;
  }, facts);
}

/** The rows of a set that is written out. */
function rowsOf(set: Expression, width: number): readonly (readonly Expression[])[] {
  const isWritten = set.kind === 'function' && (set.name === 'tuple' || set.name === 'array');
  if (!isWritten) return [[set]];
  if (width === 1) return set.arguments.map((each) => [each]);
  const isRows = set.arguments.every((each) => each.kind === 'function' && each.name === 'tuple');
  return isRows || set.name === 'array' ? set.arguments.map(componentsOf) : [set.arguments];
}

/** `has(array, column)`. */
function has(facts: Facts, array: Expression, column: Expression, context: FilterContext): Facts {
  const ref = refOf(column);
  if (ref === undefined) return facts;
  const isList = array.kind === 'function' && array.name === 'array';
  const elements = isList ? array.arguments : [array];
  const isBound = elements.length > 0 && elements.every((each) => isValue(each, facts, context));
  return isBound && (isList || array.kind === 'parameter') ? bind(facts, ref) : facts;
}

function isOne(expression: Expression): boolean {
  return expression.kind === 'constant' && /^(?:UInt64_1|Bool_(?:1|true)|true)$/.test(expression.text);
}
