// What is assumed of the values of terms while conditions are evaluated: which are NULL, and how they compare.
import { orderOf, type Scalar } from './scalars.ts';

/** How two values compare; `none`: neither is less, as with NaN, arrays and tuples. */
export type Order = 'less' | 'equal' | 'greater' | 'none';

/** The value of a column, a parameter or a call, which is not known. */
export interface Term {
  /** Terms of equal text have equal values. */
  readonly text: string;
  readonly domain: Domain;
}

/** The values that a term can have. */
export interface Domain {
  readonly isNullable: boolean;
  /** Of two values that are not equal, one is less. */
  readonly isOrdered: boolean;
  /** Only whole numbers. */
  readonly isWhole: boolean;
  /** Only NaN is not ordered, which is so beside any number. */
  readonly isFloat?: boolean;
  readonly least?: Scalar | undefined;
  readonly most?: Scalar | undefined;
  /** All of them, if they are few. */
  readonly values?: readonly string[] | undefined;
}

/** Assumptions. They do not contradict each other as far as `orderWith` and `orderBetween` can tell. */
export interface Facts {
  readonly nulls: ReadonlyMap<string, boolean>;
  /** By the text of a term, or of the difference of two. */
  readonly orders: ReadonlyMap<string, readonly Known[]>;
  readonly equal: readonly (readonly [a: string, b: string])[];
}

interface Known {
  readonly order: Order;
  readonly value: Scalar;
}

export const NO_FACTS: Facts = { nulls: new Map(), orders: new Map(), equal: [] };

/** Nothing that is assumed decides it: these are the possibilities. */
export interface Open {
  readonly kind: 'open';
  readonly options: readonly Facts[];
}

export function isOpen(value: unknown): value is Open {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'open';
}

/** Returns whether a term is NULL. */
export function isNull({ text, domain }: Term, facts: Facts): boolean | Open {
  const known = facts.nulls.get(text);
  if (known !== undefined) return known;
  if (!domain.isNullable) return false;
  return { kind: 'open', options: [true, false].map((value) => assumeNull(facts, text, value)) };
}

export function assumeNull(facts: Facts, text: string, value: boolean): Facts {
  return { ...facts, nulls: new Map([...facts.nulls, [text, value]]) };
}

export function assumeOrder(facts: Facts, key: string, known: Known): Facts {
  const former = facts.orders.get(key) ?? [];
  return { ...facts, orders: new Map([...facts.orders, [key, [...former, known]]]) };
}

/** How a term compares with a value. */
export function orderWith({ text, domain }: Term, value: Scalar, facts: Facts): Order | Open {
  const known = [...classOf(text, facts)].flatMap((each) => facts.orders.get(each) ?? []);
  return decided(text, value, { known, domain, facts });
}

/** How two terms compare, the second moved by a number. */
export function orderBetween(a: Term, b: Term, moved: number, facts: Facts): Order | Open {
  const { isOrdered, isWhole } = a.domain;
  if (a.text === b.text && isOrdered) return orderOf(0, moved) ?? 'none';
  if (a.text > b.text) return flipped(orderBetween(b, a, -moved, facts));
  const direct = moved === 0 ? orderOfValues(a, b, facts) : undefined;
  if (direct !== undefined) return direct;
  const known = differences(classOf(a.text, facts), classOf(b.text, facts), facts);
  const domain = { isNullable: false, isOrdered: isOrdered && b.domain.isOrdered, isWhole: isWhole && b.domain.isWhole }; // prettier-ignore
  const order = decided(keyOf(a.text, b.text), moved, { known, domain, facts });
  if (!isOpen(order) || moved !== 0) return order;
  const [less, equal, ...others] = order.options;
  const linked = [less, equal, ...others].map((each) => {
    const isEqual = each?.orders.get(keyOf(a.text, b.text))?.at(-1)?.order === 'equal';
    return each && isEqual ? { ...each, equal: [...each.equal, [a.text, b.text] as const] } : each;
  });
  return { kind: 'open', options: linked.filter((each) => each !== undefined) };
}

function flipped(order: Order | Open): Order | Open {
  if (order === 'less') return 'greater';
  return order === 'greater' ? 'less' : order;
}

function keyOf(a: string, b: string): string {
  return `${a}\n${b}`;
}

/** Of two terms whose values are known. */
function orderOfValues(a: Term, b: Term, facts: Facts): Order | undefined {
  const [first, second] = [a, b].map(({ text }) => valueOf(text, facts));
  return first === undefined || second === undefined ? undefined : orderOf(first, second);
}

function valueOf(text: string, facts: Facts): Scalar | undefined {
  const known = [...classOf(text, facts)].flatMap((each) => facts.orders.get(each) ?? []);
  return known.find(({ order }) => order === 'equal')?.value;
}

/** What is known of the differences between terms that are equal to one, and those that are equal to the other. */
function differences(a: ReadonlySet<string>, b: ReadonlySet<string>, { orders }: Facts): readonly Known[] {
  return [...a].flatMap((first) =>
    [...b].flatMap((second): readonly Known[] => {
      if (first <= second) return orders.get(keyOf(first, second)) ?? [];
      return (orders.get(keyOf(second, first)) ?? []).map(({ order, value }) => ({
        order: order === 'less' ? 'greater' : order === 'greater' ? 'less' : order,
        value: typeof value === 'string' ? value : -value,
      }));
    }),
  );
}

/** The terms that are equal to one, itself included. */
function classOf(text: string, { equal }: Facts): ReadonlySet<string> {
  const found = new Set([text]);
  for (const each of found) {
    for (const other of equal.filter((pair) => pair.includes(each)).flat()) found.add(other); // the loop visits what it adds
  }
  return found;
}

interface FactsScope {
  readonly known: readonly Known[];
  readonly domain: Domain;
  readonly facts: Facts;
}

/** The order that follows from what is known; otherwise those that do not contradict it. */
function decided(key: string, value: Scalar, { known, domain, facts }: FactsScope): Order | Open {
  const candidates: readonly Order[] = domain.isOrdered
    ? ['less', 'equal', 'greater']
    : ['less', 'equal', 'greater', 'none'];
  const possible = candidates.filter((order) => isPossible({ order, value }, known, domain));
  const [only] = possible;
  if (only === undefined) return 'none'; // contradictions that are not found earlier decide nothing
  if (possible.length === 1) return only;
  return { kind: 'open', options: possible.map((order) => assumeOrder(facts, key, { order, value })) };
}

function isPossible(one: Known, known: readonly Known[], domain: Domain): boolean {
  const isNone = known.some(
    ({ order, value }) => order === 'none' && (domain.isFloat === true || value === one.value),
  );
  if (isNone) return one.order === 'none';
  if (one.order === 'none') return !known.some(({ order }) => order !== 'none');
  const { isWhole, least, most, values } = domain;
  const all = [...known, one].filter(({ order }) => order !== 'none');
  const fits = (text: string): boolean =>
    all.every(({ order, value }) => (orderOf(text, value) ?? order) === order);
  if (values?.some(fits) === false) return false;
  const lows = all.flatMap((each) => lowOf(each, isWhole));
  const highs = all.flatMap((each) => highOf(each, isWhole));
  if (least !== undefined) lows.push({ value: least, isStrict: false });
  if (most !== undefined) highs.push({ value: most, isStrict: false });
  return lows.every((low) => highs.every((high) => isBelow(low, high)));
}

interface Limit {
  readonly value: Scalar;
  readonly isStrict: boolean;
  /** The term has this value. */
  readonly isValue?: boolean;
}

function lowOf({ order, value }: Known, isWhole: boolean): readonly Limit[] {
  if (order === 'less') return [];
  if (order === 'equal') return [{ value, isStrict: false, isValue: true }];
  return [isWhole && typeof value === 'bigint' ? { value: value + 1n, isStrict: false } : { value, isStrict: true }]; // prettier-ignore
}

function highOf({ order, value }: Known, isWhole: boolean): readonly Limit[] {
  if (order === 'greater') return [];
  if (order === 'equal') return [{ value, isStrict: false, isValue: true }];
  return [isWhole && typeof value === 'bigint' ? { value: value - 1n, isStrict: false } : { value, isStrict: true }]; // prettier-ignore
}

/** Returns whether a value can be between both; if their order is not known, it may, unless it would be two values. */
function isBelow(low: Limit, high: Limit): boolean {
  const order = orderOf(low.value, high.value);
  if (order === undefined) return low.isValue !== true || high.isValue !== true;
  if (order === 'equal') return !low.isStrict && !high.isStrict;
  return order !== 'greater';
}
