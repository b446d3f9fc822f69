// Conditions of templates as SQL: whether a value is given, true, or equal to another.
import type { Condition, Part, Value } from './nodes.ts';
import { isNumeric as isNumericType } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

/** The values that a condition asks for, which are NULL if the caller does not send them. */
export function testedValues(condition: Condition): readonly Value[] {
  switch (condition.kind) {
    case 'constant':
      return [];
    case 'not':
      return testedValues(condition.of);
    case 'all':
    case 'any':
      return condition.of.flatMap(testedValues);
    case 'given':
    case 'truthy':
      return [condition.value];
    case 'compare':
      return typeof condition.right === 'object' ? [condition.value, condition.right] : [condition.value];
    case 'computed':
      return condition.values;
  }
}

/** The negation, without a NOT in front of another. */
export function negated(condition: Condition): Condition {
  switch (condition.kind) {
    case 'constant':
      return { kind: 'constant', value: !condition.value };
    case 'not':
      return condition.of;
    case 'all':
      return { kind: 'any', of: condition.of.map(negated) };
    case 'any':
      return { kind: 'all', of: condition.of.map(negated) };
    case 'given':
    case 'truthy':
    case 'compare':
    case 'computed':
      return { kind: 'not', of: condition };
  }
}

const NONE: ReadonlySet<string> = new Set();

/** With the constants evaluated; `present`: values that are certain to be given. */
export function simplified(condition: Condition, present: ReadonlySet<string> = NONE): Condition {
  if (condition.kind === 'not') return negated(simplified(condition.of, present));
  if (condition.kind === 'given' && present.has(condition.value.name))
    return { kind: 'constant', value: true };
  if (condition.kind !== 'all' && condition.kind !== 'any') return condition;
  const { kind } = condition;
  const deciding = kind === 'any';
  const of = condition.of
    .map((each) => simplified(each, present))
    .flatMap((each) => (each.kind === kind ? each.of : [each]))
    .filter((each) => each.kind !== 'constant' || each.value === deciding);
  if (of.some((each) => each.kind === 'constant')) return { kind: 'constant', value: deciding };
  const needed = withoutImplied(kind, [...new Map(of.map((each) => [JSON.stringify(each), each])).values()]);
  const [only] = needed;
  if (only === undefined) return { kind: 'constant', value: !deciding };
  return needed.length === 1 ? only : { kind, of: needed };
}

/** Without `x IS NOT NULL` beside a condition that x has to be given for, and without its negation beside the negation. */
function withoutImplied(kind: 'all' | 'any', of: readonly Condition[]): readonly Condition[] {
  const plain = (each: Condition): Condition => (kind === 'any' && each.kind === 'not' ? each.of : each);
  return of.filter((each, index) => {
    const asked = kind === 'any' && each.kind !== 'not' ? undefined : plain(each);
    if (asked?.kind !== 'given') return true;
    const isComparable = (other: Condition): boolean => kind === 'all' || other.kind === 'not';
    return !of.some(
      (other, at) => at !== index && isComparable(other) && requiresValue(plain(other), asked.value.name),
    );
  });
}

/** The values that decide whether the condition holds, each by being given; undefined if it depends on more. */
export function givenValues(condition: Condition): readonly Value[] | undefined {
  if (condition.kind === 'given') return condition.value.type === 'Bool' ? undefined : [condition.value];
  if (condition.kind === 'truthy') {
    const isExact = !isNumeric(condition.value) || condition.value.type === 'Bool';
    return isExact ? [condition.value] : undefined;
  }
  if (condition.kind !== 'all') return undefined;
  const each = condition.of.map(givenValues);
  return each.some((values) => values === undefined) ? undefined : each.flatMap((values) => values ?? []);
}

/** Returns whether the condition is never true without the value. */
export function requiresValue(condition: Condition, name: string): boolean {
  switch (condition.kind) {
    case 'given':
    case 'truthy':
    case 'compare':
    case 'computed':
      return testedValues(condition).some((value) => value.name === name);
    case 'all':
      return condition.of.some((each) => requiresValue(each, name));
    case 'any':
      return condition.of.every((each) => requiresValue(each, name));
    case 'constant':
    case 'not':
      return false;
  }
}

/** The condition as SQL that is never NULL. */
export function conditionParts(condition: Condition): readonly Part[] {
  switch (condition.kind) {
    case 'constant':
      return [condition.value ? '1 = 1' : '1 = 0'];
    case 'given':
      return given(condition.value, false);
    case 'truthy':
      return truthy(condition.value);
    case 'compare':
      return compared(condition);
    case 'computed':
      return [
        '(',
        ...condition.values.flatMap((value) => [...given(value, false), ' AND ']),
        ...condition.parts,
        ')',
      ];
    case 'not':
      if (condition.of.kind === 'given' || (condition.of.kind === 'truthy' && !isNumeric(condition.of.value)))
        return given(condition.of.value, true);
      return ['NOT ', ...conditionParts(condition.of)];
    case 'all':
    case 'any': {
      const word = condition.kind === 'all' ? ' AND ' : ' OR ';
      const parts = condition.of.flatMap((each, index) => [
        ...(index === 0 ? [] : [word]),
        ...conditionParts(each),
      ]);
      return ['(', ...parts, ')'];
    }
  }
}

/** A list parameter is never NULL. */
function given(value: Value, isNot: boolean): readonly Part[] {
  const use = { kind: 'value', value, isAsked: true } as const;
  if (value.isList !== true) return [use, isNot ? ' IS NULL' : ' IS NOT NULL'];
  return [{ kind: 'function', name: isNot ? 'empty' : 'notEmpty' }, '(', use, ')'];
}

function truthy(value: Value): readonly Part[] {
  if (!isNumeric(value)) return given(value, false); // an empty string counts as absent
  const use = { kind: 'value', value, isAsked: true } as const;
  return ['(', use, ' IS NOT NULL AND ', use, value.type === 'Bool' ? ' = true)' : ' <> 0)'];
}

function isNumeric({ type, isList }: Value): boolean {
  return isList !== true && isOfNumbers(type);
}

/** Returns whether it is a type of numbers or of truth values. */
export function isOfNumbers(type = ''): boolean {
  return type === 'Bool' || isNumericType(parseType(type));
}

function compared({ operator, value, right }: Extract<Condition, { kind: 'compare' }>): readonly Part[] {
  const use = { kind: 'value', value, isAsked: true } as const;
  if (typeof right !== 'object')
    return ['(', use, ' IS NOT NULL AND ', use, ` ${operator} `, { kind: 'literal', value: right }, ')'];
  const other = { kind: 'value', value: right, isAsked: true } as const;
  return ['(', use, ' IS NOT NULL AND ', other, ' IS NOT NULL AND ', use, ` ${operator} `, other, ')'];
}
