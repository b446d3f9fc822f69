// Parts of ClickHouse SQL that are there in some calls: `/* if @a */ AND x = @a /* end */`, `/* if not @a = day */ hour /* end */`.
import { type PartCondition, conditionText } from '../../../sql/clickhouse/part-condition.ts';
import type { Condition, Value } from './nodes.ts';
import { demanded, type Rendering, emit, type Sink } from './rendering.ts';
import { integerOf } from '../../../sql/types/traits.ts';
import { parseType } from '../../../sql/types/type.ts';
import { exclusive, type RenderedArm, type Writer } from './arm.ts';
import { givenValues } from './conditions.ts';
import { textOf, type Fragment, type Use } from './output.ts';
import { hasClause, isFilter, precedesCondition } from './sql-outline.ts';

/** As in endpoint files. */
const MAX_PARTS = 100;

/** One alternative that depends on values that are given, or on one value, and can be absent. */
export function writePart(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, rendering } = writer;
  const [arm] = arms;
  if (rendering.source.dialect !== 'clickhouse' || arm === undefined || arms.length > 1) return false;
  if (isInToken(arms, writer)) return false;
  if (rendering.parts >= MAX_PARTS || !canBeAbsent(arm, sink)) return false;
  const terms = givenTerms(arm.when, rendering) ?? onlyTerms(arm.when, rendering);
  if (terms === undefined || terms.length === 0) return false;
  addPart(terms, arm.sink.fragments, writer);
  for (const { text } of arm.sink.fragments) sink.position.add(text);
  separate(writer);
  return true;
}

function givenTerms(when: Condition, { demands }: Rendering): readonly PartTerm[] | undefined {
  const values = givenValues(when);
  return (
    values && [...new Map(values.map((value) => [value.name, termOf(demanded(value, demands))])).values()]
  );
}

/** The terms of a condition that are all about one value, such as `@a and not @a = all`. */
function onlyTerms(when: Condition, rendering: Rendering): readonly PartTerm[] | undefined {
  const [terms, ...others] = partTerms(when, rendering) ?? [];
  return others.length === 0 && new Set(terms?.map(({ name }) => name)).size === 1 ? terms : undefined;
}

/** Any alternatives whose conditions parts can have; the last one is for all other calls, or each of them can be absent. */
export function writeParts(arms: readonly RenderedArm[], writer: Writer): boolean {
  const isWhole = arms.at(-1)?.when.kind === 'constant';
  return (isWhole || arms.every((arm) => canBeAbsent(arm, writer.sink))) && writeAlternatives(arms, writer);
}

/** Does the same for alternatives of which one is always there, or none can be. */
export function writeAlternatives(arms: readonly RenderedArm[], writer: Writer): boolean {
  const { sink, rendering } = writer;
  if (rendering.source.dialect !== 'clickhouse' || isInToken(arms, writer)) return false;
  const parts: { readonly terms: readonly PartTerm[]; readonly arm: RenderedArm }[] = [];
  for (const arm of exclusive(arms)) {
    const { tokens, isBalanced } = arm.outline;
    if (!isBalanced) return false;
    if (tokens.includes('OR') && !hasClause(tokens)) return false;
    const lists = partTerms(arm.when, rendering);
    if (lists === undefined) return false;
    if (tokens.length > 0) parts.push(...lists.map((terms) => ({ terms, arm })));
  }
  if (rendering.parts + parts.length > MAX_PARTS || parts.some(({ terms }) => terms.length === 0))
    return false;
  for (const { terms, arm } of parts) addPart(terms, arm.sink.fragments, writer);
  for (const { text } of parts[0]?.arm.sink.fragments ?? []) sink.position.add(text);
  separate(writer);
  return true;
}

/** Returns whether an alternative and what stands beside it are one name or number. */
function isInToken(arms: readonly RenderedArm[], { sink, span, rendering }: Writer): boolean {
  const isAfter = /\w$/.test(sink.fragments.at(-1)?.text ?? '');
  const isBefore = /^\w/.test(rendering.source.text.slice(span.end, span.end + 1));
  return arms.some((arm) => {
    const text = textOf(arm.sink.fragments);
    return (isAfter && /^\w/.test(text)) || (isBefore && /\w$/.test(text));
  });
}

/** The comments are no part of the SQL that positions follow, and neither are alternatives but the first one. */
function addPart(
  terms: readonly PartTerm[],
  fragments: readonly Fragment[],
  { sink, span, rendering }: Writer,
): void {
  rendering.parts++;
  const add = (text: string): void => void sink.fragments.push({ text, at: span.start, isCopied: false });
  const body = textOf(fragments);
  add(`${space(/(^|\s)$/.test(sink.fragments.at(-1)?.text ?? ''))}/* if `);
  for (const [index, { isNot, value: compared, use: value }] of terms.entries()) {
    const name = rendering.names.of(value.name);
    const use: Use = {
      name,
      value,
      isGuarded: true,
      isPartOfString: false,
      isCondition: true,
      at: span.start,
      end: span.end,
    };
    const text = conditionText({ name, isNot, value: compared });
    add(index > 0 ? ' and ' : '');
    sink.fragments.push({ text, at: span.start, isCopied: false, use });
  }
  add(` */${space(/^\s/.test(body))}`);
  sink.fragments.push(...fragments);
  add(`${space(/\s$/.test(body))}/* end */`);
}

/** Writes a space if the text goes on with a token that would join the one before. */
function separate({ sink, span, rendering }: Writer): void {
  if (/^[\w(]/.test(rendering.source.text.slice(span.end, span.end + 1)))
    emit(sink, { text: ' ', at: span.start, isCopied: false });
}

function space(isThere: boolean): string {
  return isThere ? '' : ' ';
}

/** Returns whether SQL is left without the part, and means the same with it. */
function canBeAbsent({ outline }: RenderedArm, sink: Sink): boolean {
  const { tokens, isBalanced } = outline;
  if (!isBalanced || tokens.length === 0) return false;
  const [first = '', end = ''] = [tokens[0], tokens.at(-1)];
  if (first === 'OR' || isFilter(first)) return false;
  const isCondition = first === 'AND' || end === 'AND';
  if (isCondition) return !tokens.includes('OR');
  const { last, value } = sink.position.expectation();
  const isOperand = value && precedesCondition(last);
  return !isOperand || hasClause(tokens);
}

/** One of the conditions of a part; `name` is the template's. */
interface PartTerm extends PartCondition {
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
function partTerms(condition: Condition, rendering: Rendering): readonly (readonly PartTerm[])[] | undefined {
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
function termOf(value: Value): PartTerm {
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
