// What a condition says about the rows that satisfy it.
import { bind, eitherOf, link, type Facts } from './facts.ts';
import { childrenOf, typesOf, type Expression, type FunctionExpression } from '../tree/nodes.ts';
import { isExact, isNullable, typeOf } from './types.ts';
import { componentsOf, isValue, refOf, type ValueContext } from './values.ts';
import { innerType, parseType, printType } from '../../../sql/types/type.ts';

export interface FilterContext extends ValueContext {
  /** It is true if the parameter is never NULL. */
  readonly isNeverNull: boolean;
}

/** Rounds over one filter, which is enough for a chain of as many equalities in the worst order. */
const MAX_ROUNDS = 6;

/**
 * The facts about the rows for which a condition is true. Undefined: there are no such rows. Repeated until nothing more
 * follows, since the order of conditions has no meaning.
 */
export function filterBy(facts: Facts, condition: Expression, context: FilterContext): Facts | undefined {
  let current: Facts = facts;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = filterOnce(current, condition, context, true);
    if (next === undefined) return undefined;
    if (sizeOf(next) === sizeOf(current)) return next;
    current = next;
  }
  return current;
}

/** Grows with everything that a condition can add. */
function sizeOf({ equal, links, sources }: Facts): number {
  let size = equal.size + (links?.size ?? 0);
  for (const { isConfined, keys } of sources.values()) size += isConfined ? 1_000_000 : keys.size;
  return size;
}

/** The same in one pass, for `isTrue` false of the rows for which the condition is false, not NULL. */
function filterOnce(
  facts: Facts,
  condition: Expression,
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  if (condition.kind === 'constant') return isNone(condition.text, isTrue) ? undefined : facts;
  if (condition.kind !== 'function' || condition.role !== 'ordinary') return facts;
  const { arguments: list } = condition;
  const [first, second, third] = list;
  const name = condition.name.toLowerCase();
  if (name === 'and' || name === 'or') {
    const isAll = (name === 'and') === isTrue;
    return (isAll ? filterByAll : filterByAny)(facts, list, context, isTrue);
  }
  if (first === undefined) return facts;
  if (name === 'not') return filterOnce(facts, first, context, !isTrue);
  if (isTruthOf(condition, first)) return filterOnce(facts, first, context, isTrue);
  if (name === 'if' && second !== undefined && third !== undefined)
    return filterByCases(facts, list, context, isTrue);
  if (name === 'multiif') return filterByCases(facts, list, context, isTrue);
  if (name === 'casewithexpression') return filterByCases(facts, casesOf(first, list), context, isTrue);
  if ((name === 'ifnull' || name === 'coalesce') && isNeverNull(first, context))
    return filterOnce(facts, first, context, isTrue);
  if ((name === 'ifnull' || name === 'coalesce') && list.length === 2 && isTrue && isFalse(second))
    return filterOnce(facts, first, context, true);
  if (name === 'isnull' && isTrue && isParameter(first, context))
    return context.isNeverNull ? undefined : facts;
  return filterByComparison(facts, condition, context, isTrue);
}

/** A conversion of a condition that is never NULL, whose truth it keeps. */
function isTruthOf({ name, type }: FunctionExpression, first: Expression): boolean {
  const isCondition = first.kind === 'function' && isTruthType(first.type);
  if (/^(?:assumeNotNull|materialize|identity)$/.test(name)) return isCondition;
  return isCondition && isTruthType(type) && /^(?:_?CAST|accurateCast|toBool|toUInt8)$/.test(name);
}

function isTruthType(type: string): boolean {
  return /^(?:LowCardinality\()?(?:UInt8|Bool)\)?$/.test(type);
}

/** Returns whether a condition is never NULL: its type may be Nullable because of a parameter that is never NULL. */
function isNeverNull(expression: Expression, context: FilterContext): boolean {
  if (!isNullable(typeOf(expression))) return true;
  if (isParameter(expression, context)) return context.isNeverNull;
  if (expression.kind !== 'function' || expression.role !== 'ordinary') return false;
  const { name, arguments: list } = expression;
  return COMPARISONS.test(name) && list.every((each) => isNeverNull(each, context));
}

const COMPARISONS = /^(?:equals|notEquals|less|lessOrEquals|greater|greaterOrEquals|and|or|not)$/;

/** `CASE value WHEN a THEN b … ELSE c END` as the arguments of multiIf. */
function casesOf(value: Expression, list: readonly Expression[]): readonly Expression[] {
  return list
    .slice(1)
    .map((each, index) => (index % 2 === 0 && index < list.length - 2 ? equality(value, each) : each));
}

/** `left = right`. */
export function equality(left: Expression, right: Expression): Expression {
  return {
    kind: 'function', id: -1, name: 'equals', role: 'ordinary', type: 'UInt8',
    arguments: [left, right], parameters: [], window: undefined,
  }; // prettier-ignore
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

/** Conditions that all hold. */
function filterByAll(
  facts: Facts,
  conditions: readonly Expression[],
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  let current: Facts | undefined = isTrue ? filterByRange(facts, conditions, context) : facts;
  for (const condition of conditions) {
    if (current === undefined) return undefined;
    current = filterOnce(current, condition, context, isTrue);
  }
  return current;
}

/** `x BETWEEN value AND value`. */
function filterByRange(facts: Facts, conditions: readonly Expression[], context: FilterContext): Facts {
  const sides = (name: string): readonly (readonly Expression[])[] =>
    conditions.flatMap((each) => (each.kind === 'function' && each.name === name ? [each.arguments] : []));
  let current = facts;
  for (const [column, low] of sides('greaterOrEquals')) {
    const ref = column && refOf(column);
    if (column === undefined || low === undefined || ref === undefined) continue;
    const isClosed = sides('lessOrEquals').some(
      ([other, high]) =>
        other !== undefined &&
        high !== undefined &&
        refOf(other) === ref &&
        isMatch(column, high, facts, context),
    );
    if (isClosed && isMatch(column, low, facts, context)) current = bind(current, ref);
  }
  return current;
}

/** Returns whether `column = value` holds for the parameter's rows only. */
function isMatch(column: Expression, value: Expression, facts: Facts, context: FilterContext): boolean {
  return isExact(typeOf(column), typeOf(value)) && isValue(value, facts, context);
}

function filterByAny(
  facts: Facts,
  conditions: readonly Expression[],
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  return eitherOf(conditions.map((condition) => filterOnce(facts, condition, context, isTrue)));
}

/** `if` and multiIf: the conditions and results in turn, then the result otherwise. */
function filterByCases(
  facts: Facts,
  list: readonly Expression[],
  context: FilterContext,
  isTrue: boolean,
): Facts | undefined {
  const branches: (Facts | undefined)[] = [];
  let others: Facts | undefined = facts;
  for (let at = 0; at < list.length && others !== undefined; at += 2) {
    const [when, then] = [list[at], list[at + 1]];
    if (when === undefined) continue;
    const chosen: Facts | undefined = then === undefined ? others : filterOnce(others, when, context, true);
    branches.push(chosen && filterOnce(chosen, then ?? when, context, isTrue));
    // A condition that is NULL leads to the next branch, so nothing follows there from one that is not true. One that has
    // branches itself is not looked at twice: each level would double the time.
    if (then !== undefined && !isNullable(typeOf(when)) && !hasBranches(when))
      others = filterOnce(others, when, context, false);
  }
  return eitherOf(branches);
}

function hasBranches(condition: Expression): boolean {
  const isBranching =
    condition.kind === 'function' && /^(?:if|multiIf|caseWithExpression)$/i.test(condition.name);
  return isBranching || childrenOf(condition).some(hasBranches);
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
    if (condition !== undefined) return filterOnce(facts, condition, context, true);
    const isOfNull = /distinct/.test(folded) && [left, right].every((each) => isNullable(typeOf(each)));
    return isOfNull ? connect(facts, left, right) : equate(facts, left, right, context);
  }
  if (isTrue && folded === 'notequals' && isFalse(right) && left.kind === 'function')
    return filterOnce(facts, left, context, true);
  const isOfNull = folded.includes('null') && isNullable(typeOf(left));
  if (!isOfNull && (isTrue ? IN : NOT_IN).has(folded)) return among(facts, left, right, context);
  if (isTrue && folded === 'has') return has(facts, left, right, context);
  return facts;
}

/** The condition of `condition = 1`. */
function conditionThatIsTrue(left: Expression, right: Expression): Expression | undefined {
  if (isOne(right)) return left.kind === 'function' && isTruthType(left.type) ? left : undefined;
  return isOne(left) && right.kind === 'function' && isTruthType(right.type) ? right : undefined;
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
  let current = connect(facts, left, right);
  if (a !== undefined && isMatch(left, right, facts, context)) current = bind(current, a);
  if (b !== undefined && isMatch(right, left, facts, context)) current = bind(current, b);
  return current;
}

/** Two columns have the same value in every row, or are both NULL. */
function connect(facts: Facts, left: Expression, right: Expression): Facts {
  const [a, b] = [refOf(left), refOf(right)];
  if (a === undefined || b === undefined) return facts;
  const isSame = isExact(typeOf(left), typeOf(right)) && isExact(typeOf(right), typeOf(left));
  return isSame ? link(facts, a, b) : facts;
}

/** `left IN set`. */
function among(facts: Facts, left: Expression, set: Expression, context: FilterContext): Facts {
  const columns = componentsOf(left);
  if (set.kind === 'subquery') {
    const types = typesOf(set.query);
    return columns.reduce((current, column, index) => {
      const ref = refOf(column);
      const isBound = isExact(typeOf(column), types[index] ?? '') && context.isValueQuery(set, index);
      return ref !== undefined && isBound ? bind(current, ref) : current;
    }, facts);
  }
  const rows = rowsOf(set, columns.length);
  return columns.reduce((current, column, index) => {
    const ref = refOf(column);
    const values = rows.map((row) => row[index]);
    const isBound = values.every((value) => value !== undefined && isElement(column, value, facts, context));
    return ref !== undefined && values.length > 0 && isBound ? bind(current, ref) : current;
  }, facts);
}

/** The same as `isMatch`; a parameter may be an array of values. */
function isElement(column: Expression, value: Expression, facts: Facts, context: FilterContext): boolean {
  const type = value.kind === 'parameter' ? parseType(value.type) : undefined;
  if (type?.name !== 'Array') return isMatch(column, value, facts, context);
  return isExact(typeOf(column), printType(innerType(type))) && isValue(value, facts, context);
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
  const isList = array.kind === 'function' && array.name === 'array';
  if (ref === undefined || (!isList && array.kind !== 'parameter')) return facts;
  const elements = isList ? array.arguments : [array];
  const isBound = elements.length > 0 && elements.every((each) => isElement(column, each, facts, context));
  return isBound ? bind(facts, ref) : facts;
}

function isOne(expression: Expression): boolean {
  return expression.kind === 'constant' && /^(?:UInt64_1|Bool_(?:1|true)|true)$/.test(expression.text);
}
