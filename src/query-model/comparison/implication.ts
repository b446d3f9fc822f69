// Whether one condition implies another: a weaker form of a condition is a lost condition.
import { blockOf } from './blocks.ts';
import { flatten, type Texts } from './canonical.ts';
import type { Expression, QueryNode, UnionNode } from '../tree/nodes.ts';
import { elementsOf, plainForm } from './plain-form.ts';
import { isFiltered, readingsOf, type Restriction } from './restrictions.ts';
import { componentsOf } from '../confinement/values.ts';

/** Whether every row that passes all of `now` passes `old`, as far as their forms show it. */
export function areImplying(now: readonly Restriction[], old: Restriction): boolean {
  const near = now.filter(({ stage }) => stage <= old.stage);
  if (near.some((each) => each.text === old.text || isImplying(each, old))) return true;
  if (isJoined(near, old)) return true;
  return isEquality(old.condition) && areEqual(near, old);
}

/** Whether a join has the conditions of an IN with a subquery that only filters tables. */
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

function isImplying(now: Restriction, old: Restriction): boolean {
  if (now.condition === undefined || old.condition === undefined || now.kind !== old.kind) return false;
  return isConditionImplying([now.condition, now.texts], [old.condition, old.texts]);
}

type Condition = readonly [expression: Expression, texts: Texts];

function isConditionImplying([now, texts]: Condition, [old, oldTexts]: Condition): boolean {
  if (texts.expression(now) === oldTexts.expression(old)) return true;
  const [alternatives, oldAlternatives] = [flatten('or', [now]), flatten('or', [old])];
  if (alternatives.length > 1 || oldAlternatives.length > 1)
    return alternatives.every((each) =>
      oldAlternatives.some((other) => isPartImplying([each, texts], [other, oldTexts])),
    );
  return isPartImplying([now, texts], [old, oldTexts]);
}

function isPartImplying(now: Condition, old: Condition): boolean {
  const parts = flatten('and', [now[0]]);
  const oldParts = flatten('and', [old[0]]);
  return oldParts.every((oldPart) =>
    parts.some((part) => {
      if (now[1].expression(part) === old[1].expression(oldPart)) return true;
      const [a, b]: readonly Condition[] = [[part, now[1]], [oldPart, old[1]]]; // prettier-ignore
      if (a === undefined || b === undefined) return false;
      return isSubset(a, b) || isTighter(a, b) || isNarrower(a, b);
    }),
  );
}

/** `x = 1` or `x IN (1, 2)` against `x IN (1, 2, 3)`; for NOT IN the reverse. */
function isSubset(now: Condition, old: Condition): boolean {
  const [a, b] = [setOf(now), setOf(old)];
  if (a === undefined || b === undefined || a.term !== b.term || a.isNegative !== b.isNegative) return false;
  const [small, large] = a.isNegative ? [b, a] : [a, b];
  return [...small.values].every((value) => large.values.has(value));
}

interface ValueSet {
  readonly term: string;
  readonly isNegative: boolean;
  readonly values: ReadonlySet<string>;
}

function setOf([expression, texts]: Condition): ValueSet | undefined {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  if (plain.kind !== 'function') return undefined;
  const [left, right] = plain.arguments;
  if (left === undefined || right === undefined) return undefined;
  const isNegative = plain.name === 'notIn' || plain.name === 'notEquals';
  if (plain.name === 'equals' || plain.name === 'notEquals') {
    const [term, value] = isValue(right) ? [left, right] : [right, left];
    return isValue(value)
      ? { term: texts.expression(term), isNegative, values: new Set([valueText(value, texts)]) }
      : undefined;
  }
  if (plain.name !== 'in' && plain.name !== 'notIn') return undefined;
  const elements = elementsOf(right);
  if (elements === undefined) return undefined;
  const values = elements.map((each) => (typeof each === 'string' ? each : valueText(each, texts)));
  return { term: texts.expression(left), isNegative, values: new Set(values) };
}

function isValue({ kind }: Expression): boolean {
  return kind === 'constant' || kind === 'parameter';
}

/** Without the type of a constant. */
function valueText(value: Expression, texts: Texts): string {
  return value.kind === 'constant' ? value.text : texts.expression(value);
}

/** `x > 2` against `x > 1`, `ts > now() - INTERVAL 1 DAY` against `7 DAY`. */
function isTighter(now: Condition, old: Condition): boolean {
  const [a, b] = [boundOf(now), boundOf(old)];
  if (a === undefined || b === undefined || !isSameBound(a, b)) return false;
  if (a.value === b.value) return a.isStrict || !b.isStrict;
  return a.isUpper ? a.value < b.value : a.value > b.value;
}

/** The condition that keeps a longer period than `old` does, everything else being equal; undefined if there is none. */
export function widerWindow(now: readonly Restriction[], old: Restriction): Restriction | undefined {
  if (old.condition === undefined || old.kind !== 'filter') return undefined;
  const bound = boundOf([old.condition, old.texts]);
  if (bound === undefined || !bound.isTime) return undefined;
  return now.find(({ condition, texts, stage, kind }) => {
    const other = condition === undefined || kind !== 'filter' ? undefined : boundOf([condition, texts]);
    return other !== undefined && stage <= old.stage && isSameBound(other, bound);
  });
}

function isSameBound(a: Bound, b: Bound): boolean {
  return a.term === b.term && a.base === b.base && a.isUpper === b.isUpper;
}

interface Bound {
  readonly term: string;
  /** Whether the term is a date or time. */
  readonly isTime: boolean;
  readonly isUpper: boolean;
  readonly isStrict: boolean;
  /** What the number is added to; '' for a number or a constant time. */
  readonly base: string;
  /** For times in seconds. */
  readonly value: number;
}

function boundOf([expression, texts]: Condition): Bound | undefined {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  if (plain.kind !== 'function' || (plain.name !== 'less' && plain.name !== 'lessOrEquals')) return undefined;
  const [left, right] = plain.arguments;
  if (left === undefined || right === undefined) return undefined;
  const isUpper = left.kind === 'column';
  const [term, limit] = isUpper ? [left, right] : [right, left];
  if (term.kind !== 'column') return undefined;
  const isTime = /Date/.test(term.type);
  const offset = isTime ? timeOf(limit, texts) : { base: '', value: numberOf(limit) };
  if (offset.value === undefined) return undefined;
  const { base, value } = offset;
  return { term: texts.expression(term), isTime, isUpper, isStrict: plain.name === 'less', base, value };
}

function numberOf(expression: Expression): number | undefined {
  if (expression.kind !== 'constant') return undefined;
  const digits = /^(?:U?Int64|Float64)_(-?[\d.]+)$/.exec(expression.text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const SECONDS: Readonly<Record<string, number>> = {
  Second: 1, Minute: 60, Hour: 3_600, Day: 86_400, Week: 604_800, Month: 2_629_746, Quarter: 7_889_238, Year: 31_556_952,
}; // prettier-ignore

interface Offset {
  readonly base: string;
  readonly value: number | undefined;
}

/** A constant time, or an expression plus an interval. */
function timeOf(expression: Expression, texts: Texts): Offset {
  const plain = expression.kind === 'function' ? plainForm(expression) : expression;
  const constant = constantTime(plain);
  if (constant !== undefined) return { base: '', value: constant };
  const whole = { base: texts.expression(plain), value: 0 };
  if (plain.kind !== 'function' || (plain.name !== 'plus' && plain.name !== 'minus')) return whole;
  const [from, interval] = plain.arguments;
  if (from === undefined || interval?.kind !== 'function') return whole;
  const seconds = SECONDS[/^toInterval(\w+)$/.exec(interval.name)?.[1] ?? ''];
  const [count] = interval.arguments.map(numberOf);
  if (seconds === undefined || count === undefined) return whole;
  const inner = timeOf(from, texts);
  const moved = count * seconds * (plain.name === 'plus' ? 1 : -1);
  return { base: inner.base, value: (inner.value ?? 0) + moved };
}

/** `'2024-01-01'` and `toDateTime('2024-01-01 10:00:00')`, in seconds. */
function constantTime(expression: Expression): number | undefined {
  if (expression.kind === 'function') {
    const [only, ...zone] = expression.arguments;
    const isTime = /^(?:toDate(?:Time)?(?:32|64)?|parseDateTime\w*|_?CAST)$/.test(expression.name);
    return isTime && only !== undefined && zone.every(({ kind }) => kind === 'constant')
      ? constantTime(only)
      : undefined;
  }
  if (expression.kind !== 'constant') return undefined;
  const text = /^'(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d+)?))?'$/.exec(expression.text);
  if (text === null) return undefined;
  const seconds = Date.parse(`${text[1] ?? ''}T${text[2] ?? '00:00:00'}Z`) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds;
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

/** Whether a query that only filters tables returns no row that the other does not. */
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

function isEquality(condition: Expression | undefined): boolean {
  return condition?.kind === 'function' && plainForm(condition) === condition && condition.name === 'equals';
}

/** Whether other equalities make both sides of an equality equal. */
function areEqual(now: readonly Restriction[], old: Restriction): boolean {
  if (old.condition?.kind !== 'function') return false;
  const [from, to] = old.condition.arguments.map(old.texts.expression);
  if (from === undefined || to === undefined) return false;
  const pairs = now.flatMap(({ condition, texts }): readonly (readonly string[])[] => {
    const plain = condition?.kind === 'function' ? plainForm(condition) : condition;
    const isPair = plain?.kind === 'function' && plain.name === 'equals';
    return isPair ? [plain.arguments.map(texts.expression)] : [];
  });
  return reachable(from, pairs).has(to);
}

/** The terms that equal one through pairs of equal ones, itself included. */
export function reachable(from: string, pairs: readonly (readonly string[])[]): ReadonlySet<string> {
  const found = new Set([from]);
  for (const term of found) {
    for (const other of pairs.filter((pair) => pair.includes(term)).flat()) found.add(other); // the loop visits what it adds
  }
  return found;
}
