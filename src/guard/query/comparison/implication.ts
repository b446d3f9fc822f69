// Whether one condition implies another: a weaker form of a condition is a lost condition.
import { blockOf } from './blocks.ts';
import type { Texts } from './canonical.ts';
import { truthUnder, type Condition } from './evaluation.ts';
import { childrenOf, type QueryNode, type UnionNode } from '../tree/nodes.ts';
import { narrowerCalls, type Narrower } from './narrower-calls.ts';
import { plainForm } from './plain-form.ts';
import { isFiltered, readingsOf, type Restriction } from './restrictions.ts';
import { momentOf } from './scalars.ts';
import { isOpen, NO_FACTS, type Facts, type Open } from './term-facts.ts';
import { componentsOf } from '../confinement/values.ts';
import { isDate, isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';
import type { ClickHouseType } from '../../../sql/types/type.ts';

/**
 * Returns whether every row that passes all of `now` passes `old`, as far as their forms show it. `assumed` is what is known of the
 * parameters of the calls that are compared.
 */
export function areImplying(
  now: readonly Restriction[],
  old: Restriction,
  assumed: Facts = NO_FACTS,
): boolean {
  const near = now.filter(({ stage }) => stage <= old.stage);
  if (near.some(({ text, kind }) => text === old.text && kind === old.kind)) return true;
  const { condition, texts } = old;
  if (condition === undefined || old.kind !== 'filter') return false;
  if (isJoined(near, old)) return true;
  const premises = conditionsOf(near);
  const conclusion: Condition = [condition, texts];
  return isConsequence(premises, conclusion, assumed);
}

/** Returns whether each row, or each element of an array, that passes all premises passes the conclusion. */
function isConsequence(premises: readonly Condition[], conclusion: Condition, assumed: Facts): boolean {
  const narrower = [
    ...narrowerSets(premises, conclusion),
    ...narrowerCalls([...premises, conclusion], (small, large) => isConsequence([small], large, NO_FACTS)),
  ];
  return isFollowing(premises, (facts) => truthUnder(conclusion, facts), assumed, narrower);
}

/** Returns whether every row that passes all of `now` passes all conditions of one of the alternatives. */
export function areImplyingOne(
  now: readonly Restriction[],
  alternatives: readonly (readonly Restriction[])[],
  assumed: Facts = NO_FACTS,
): boolean {
  const isMet = (each: Restriction, facts: Facts): boolean | undefined | Open =>
    each.condition !== undefined && each.kind === 'filter'
      ? truthUnder([each.condition, each.texts], facts)
      : now.some(({ kind, text }) => kind === each.kind && text === each.text);
  return isFollowing(
    conditionsOf(now),
    (facts) => eitherOf(alternatives.map((all) => bothOf(all, facts, isMet))),
    assumed,
  );
}

function conditionsOf(restrictions: readonly Restriction[]): readonly Condition[] {
  return restrictions.flatMap((each): readonly Condition[] =>
    each.condition !== undefined && each.kind === 'filter' ? [[each.condition, each.texts]] : [],
  );
}

type Truth = boolean | undefined | Open;

function bothOf(
  all: readonly Restriction[],
  facts: Facts,
  isMet: (each: Restriction, facts: Facts) => Truth,
): Truth {
  const values = all.map((each) => isMet(each, facts));
  if (values.includes(false) || values.includes(undefined)) return false;
  return values.find(isOpen) ?? true;
}

function eitherOf(values: readonly Truth[]): Truth {
  return values.includes(true) ? true : (values.find(isOpen) ?? false);
}

/** Combinations of values that are tried for one condition. */
const MAX_CASES = 3_000;

/**
 * Returns whether the conclusion is true in each case in which all premises are: the values of the terms in them are tried. Of `narrower`,
 * no row passes only the first of a pair.
 */
function isFollowing(
  premises: readonly Condition[],
  conclusion: (facts: Facts) => Truth,
  assumed: Facts,
  narrower: readonly Narrower[] = [],
): boolean {
  let cases = 0;
  const holds = (facts: Facts): boolean => {
    if (++cases > MAX_CASES) return false;
    const result = conclusion(facts);
    if (isOpen(result)) return result.options.every(holds);
    if (result === true) return true;
    for (const premise of premises) {
      const isMet = truthUnder(premise, facts);
      if (isOpen(isMet)) return isMet.options.every(holds);
      if (isMet !== true) return true;
    }
    return narrower.some(
      ([small, large]) => truthUnder(small, facts) === true && truthUnder(large, facts) === false,
    );
  };
  return holds(assumed);
}

/** Pairs of conditions by subqueries, of which the first implies the second. */
function narrowerSets(premises: readonly Condition[], conclusion: Condition): readonly Narrower[] {
  const large = subqueryConditions(conclusion);
  if (large.length === 0) return [];
  return premises
    .flatMap(subqueryConditions)
    .flatMap((small) =>
      large.filter((each) => isNarrower(small, each)).map((each) => [small, each] as const),
    );
}

function subqueryConditions([expression, texts]: Condition): readonly Condition[] {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  const isOwn = plain.kind === 'function' && /^(?:in|notIn|exists)$/.test(plain.name);
  const inner = childrenOf(plain).flatMap((each) => subqueryConditions([each, texts]));
  return isOwn ? [[plain, texts], ...inner] : inner;
}

/** Returns whether a join has the conditions of an IN with a subquery that only filters tables. */
function isJoined(now: readonly Restriction[], { condition, texts }: Restriction): boolean {
  if (condition?.kind !== 'function' || condition.name !== 'in') return false;
  const [left, set] = condition.arguments;
  if (left === undefined || set?.kind !== 'subquery' || !isFiltered(set.query)) return false;
  const inside = texts.inside(set.query);
  const columns = componentsOf(left).map((each) => texts.expression(each));
  const others = set.query.projection.map(inside.expression);
  if (columns.length !== others.length) return false;
  const equalities = columns.map(
    (each, index) => `equals(${[each, others[index] ?? ''].toSorted().join(', ')})`,
  );
  const { conditions } = blockOf(set.query);
  const known = new Set(
    now.flatMap((each) => (each.condition === undefined ? [] : each.texts.conjuncts(each.condition))),
  );
  return [...equalities, ...conditions.flatMap(inside.conjuncts)].every((text) => known.has(text));
}

/** The condition that keeps a longer period than `old` does, everything else being equal; undefined if there is none. */
export function widerWindow(now: readonly Restriction[], old: Restriction): Restriction | undefined {
  if (old.condition === undefined || old.kind !== 'filter') return undefined;
  const bound = boundOf([old.condition, old.texts]);
  if (bound === undefined) return undefined;
  return now.find(({ condition, texts, stage, kind }) => {
    const other = condition === undefined || kind !== 'filter' ? undefined : boundOf([condition, texts]);
    return other !== undefined && stage <= old.stage && isSameBound(other, bound);
  });
}

function isSameBound(a: Bound, b: Bound): boolean {
  return a.term === b.term && a.base === b.base && a.isUpper === b.isUpper;
}

/** A date or time compared with another one. */
interface Bound {
  readonly term: string;
  readonly isUpper: boolean;
  /** What the other one is relative to; '' for a constant time. */
  readonly base: string;
}

function boundOf([expression, texts]: Condition): Bound | undefined {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  if (plain.kind !== 'function' || (plain.name !== 'less' && plain.name !== 'lessOrEquals')) return undefined;
  const [left, right] = plain.arguments;
  if (left === undefined || right === undefined) return undefined;
  const isUpper = left.kind === 'column';
  const [term, limit] = isUpper ? [left, right] : [right, left];
  if (term.kind !== 'column' || !isTime(plainTypeOf(term.type))) return undefined;
  return { term: texts.expression(term), isUpper, base: momentOf(limit, texts).base };
}

function isTime(type: ClickHouseType): boolean {
  return isDate(type) || isDateTime(type);
}

/** `x IN (SELECT …)` against the same of a query that returns more rows; for NOT IN the reverse. */
function isNarrower([now, texts]: Condition, [old, oldTexts]: Condition): boolean {
  if (now.kind !== 'function' || old.kind !== 'function' || now.name !== old.name) return false;
  const [[left, set], [oldLeft, oldSet]] = [now.arguments, old.arguments];
  if (left === undefined || oldLeft === undefined) return false;
  if (now.name === 'exists')
    return (
      left.kind === 'subquery' &&
      oldLeft.kind === 'subquery' &&
      isContained([left.query, texts], [oldLeft.query, oldTexts])
    );
  if (set?.kind !== 'subquery' || oldSet?.kind !== 'subquery') return false;
  if (texts.expression(left) !== oldTexts.expression(oldLeft)) return false;
  const [a, b]: readonly Subquery[] = [[set.query, texts], [oldSet.query, oldTexts]]; // prettier-ignore
  if (a === undefined || b === undefined) return false;
  if (now.name === 'in') return isContained(a, b);
  return now.name === 'notIn' && isContained(b, a);
}

/** Returns whether a query that only filters tables returns no row that the other does not. */
function isContained([now, around]: Subquery, [old, oldAround]: Subquery): boolean {
  if (!isFiltered(now) || !isFiltered(old)) return false;
  const columns = now.projection.map(around.inside(now).expression);
  const oldColumns = old.projection.map(oldAround.inside(old).expression);
  if (columns.join('\n') !== oldColumns.join('\n')) return false;
  const readings = readingsOf(now, { around });
  const oldReadings = readingsOf(old, { around: oldAround });
  if (readings.length !== oldReadings.length) return false;
  return readings.every((reading, index) => {
    const other = oldReadings[index];
    return (
      other?.name === reading.name &&
      other.restrictions.every((restriction) => areImplying(reading.restrictions, restriction))
    );
  });
}

type Subquery = readonly [query: QueryNode | UnionNode, around: Texts];

/** The terms that equal one through pairs of equal ones, itself included. */
export function reachable(from: string, pairs: readonly (readonly string[])[]): ReadonlySet<string> {
  const found = new Set([from]);
  for (const term of found) {
    for (const other of pairs.filter((pair) => pair.includes(term)).flat()) found.add(other); // the loop visits what it adds
  }
  return found;
}
