// Conditions of templates as those of optional parts: alternatives that exclude each other, each `@a and not @b = day`.
import type { PartCondition } from '../../../sql/clickhouse/part-condition.ts';
import type { Condition, Value } from './nodes.ts';
import { demanded, type Rendering } from './rendering.ts';
import { integerOf } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';

/** One of the conditions of a part; `name` is the template's. */
export interface PartTerm extends PartCondition {
  /** It is as the template uses it there, without its default if the condition asks whether it is given. */
  readonly use: Value;
}

type Terms =
  | { readonly kind: 'term'; readonly term: PartTerm }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'not'; readonly of: Terms }
  | { readonly kind: 'all' | 'any'; readonly of: readonly Terms[] };

/** Most parts of one alternative. */
const MAX_ALTERNATIVES = 4;

/** Lists of terms of which exactly one holds if the condition does; undefined if they cannot express it. */
export function partTerms(
  condition: Condition,
  rendering: Rendering,
): readonly (readonly PartTerm[])[] | undefined {
  const terms = termsOf(condition, rendering);
  const found = terms && alternatives(terms, []);
  if (found === undefined || found.length > MAX_ALTERNATIVES) return undefined;
  return found.map((each) => each.filter((term) => !isImplied(term, each)));
}

function termsOf(condition: Condition, rendering: Rendering): Terms | undefined {
  switch (condition.kind) {
    case 'constant':
      return condition;
    case 'computed':
      return undefined;
    case 'given':
      return condition.value.type === 'Bool' ? undefined : givenTerm(condition.value);
    case 'truthy':
      return truthyTerms(condition.value, rendering);
    case 'compare':
      return comparedTerms(condition, rendering);
    case 'not': {
      const of = termsOf(condition.of, rendering);
      return of && { kind: 'not', of };
    }
    case 'all':
    case 'any': {
      const of = condition.of.flatMap((each) => termsOf(each, rendering) ?? []);
      return of.length < condition.of.length ? undefined : { kind: condition.kind, of };
    }
  }
}

function givenTerm(value: Value): Terms {
  return { kind: 'term', term: termOf(value) };
}

/** Returns whether the value is given, whatever its default. */
export function termOf(value: Value): PartTerm {
  const { default: _, ...use } = value;
  return { name: use.name, isNot: false, value: undefined, use };
}

function truthyTerms(value: Value, rendering: Rendering): Terms | undefined {
  if (hasOwnDefault(value, rendering) && value.default !== false) return undefined;
  if (value.type === 'Bool')
    return { kind: 'term', term: { name: value.name, isNot: false, value: undefined, use: value } };
  if (!isInteger(value.type) || value.isList === true) return givenTerm(value);
  const zero = comparedTerms({ kind: 'compare', operator: '=', value, right: 0 }, rendering);
  return zero && { kind: 'all', of: [givenTerm(value), { kind: 'not', of: zero }] };
}

function isInteger(type = ''): boolean {
  return integerOf(parseType(type)) !== undefined;
}

/** A comment can contain such a value, and included files read it as it is. */
const TEXT = /^[^'\\@*\n,]{0,100}$/;

/** Returns the terms of a comparison of one value with a literal; a Boolean is compared with true alone. */
function comparedTerms(
  { operator, value, right }: Extract<Condition, { kind: 'compare' }>,
  rendering: Rendering,
): Terms | undefined {
  const { type = 'String', isList, default: fallback } = value;
  if (typeof right === 'object' || isList === true || (operator !== '=' && operator !== '<>'))
    return undefined;
  if (type === 'Bool' && (right !== true || operator !== '=')) return undefined;
  if (type === 'Bool') return truthyTerms(value, rendering);
  const text = String(right);
  if ((type !== 'String' && !isInteger(type)) || !TEXT.test(text)) return undefined;
  if (type !== 'String' && !/^-?\d{1,15}$/.test(text)) return undefined;
  const { enum: allowed } = demanded(value, rendering.demands);
  const isPossible = allowed === undefined || allowed.some((each) => String(each) === text);
  const term = { name: value.name, isNot: false, value: text, use: value };
  const equal: Terms = isPossible ? { kind: 'term', term } : { kind: 'constant', value: false };
  const isOwn = hasOwnDefault(value, rendering);
  const isDefault = isOwn && String(fallback) === text;
  const isAbsent: Terms = { kind: 'not', of: givenTerm(value) };
  const holds: Terms = isDefault ? { kind: 'any', of: [equal, isAbsent] } : equal;
  if (operator === '=') return holds;
  const differs: Terms = { kind: 'not', of: holds };
  return fallback === undefined ? { kind: 'all', of: [givenTerm(value), differs] } : differs;
}

/** Returns whether calls without the value have a default beside its uses, and not the parameter's. */
function hasOwnDefault(value: Value, { withDefaultsInPlace }: Rendering): boolean {
  return value.default !== undefined && withDefaultsInPlace.has(value.name);
}

function alternatives(terms: Terms, known: readonly PartTerm[]): readonly (readonly PartTerm[])[] {
  const outcome = outcomeOf(terms, known);
  if (outcome === true) return [known];
  if (outcome === false) return [];
  const found = alternatives(terms, [...known, outcome]);
  if (found.length > MAX_ALTERNATIVES) return found;
  return [...found, ...alternatives(terms, [...known, { ...outcome, isNot: true }])];
}

/** Returns whether the condition holds; a term that it depends on if that is not known. */
function outcomeOf(terms: Terms, known: readonly PartTerm[]): boolean | PartTerm {
  switch (terms.kind) {
    case 'constant':
      return terms.value;
    case 'term':
      return valueIn(terms.term, known) ?? terms.term;
    case 'not': {
      const of = outcomeOf(terms.of, known);
      return typeof of === 'boolean' ? !of : of;
    }
    case 'all':
    case 'any': {
      const outcomes = terms.of.map((each) => outcomeOf(each, known));
      const deciding = terms.kind === 'any';
      if (outcomes.includes(deciding)) return deciding;
      return outcomes.find((each) => typeof each === 'object') ?? !deciding;
    }
  }
}

/** Returns whether a term, as it is without NOT, holds where these do. */
function valueIn({ name, value }: PartCondition, known: readonly PartCondition[]): boolean | undefined {
  const own = known.filter((each) => each.name === name);
  const equal = own.find((each) => !each.isNot && each.value !== undefined);
  if (equal !== undefined) return value === undefined || value === equal.value;
  if (own.some((each) => each.isNot && (each.value === undefined || each.value === value))) return false;
  return value === undefined && own.some(({ isNot }) => !isNot) ? true : undefined;
}

function isImplied(term: PartTerm, all: readonly PartTerm[]): boolean {
  const others = all.filter((each) => each !== term);
  return valueIn(term, others) === !term.isNot;
}
