// Aggregates that collect values in an array or a string, and quantiles.
import type { Order } from '../tree.ts';
import type { Application } from '../context.ts';
import { joinSql, onlyIf, sql, type Sql, isNumber, isTime, text, value, type Type, type Value, isOpen, float, arrayOfType } from '../value.ts'; // prettier-ignore
import { isSliding, nullsFirst } from '../window.ts';
import {
  plainArgument,
  type Aggregation,
  type AggregateRule,
  noteEstimate,
  rankedBy,
  toFloat,
} from './aggregate.ts';
import { withoutNan } from '../equality.ts';

const NONE = { isNullOfNone: false };
const DISTINCT = { ...NONE, isDistinct: false };

/** A key of the order of collected values. */
interface Key {
  readonly value: Value;
  readonly isDescending: boolean;
  readonly isNullFirst: boolean;
}

/** An array of the values of an argument, in order; NULL is one of them. */
function collected(aggregation: Aggregation, own: Value): Sql {
  const { application, apply } = aggregation;
  const { call } = application;
  const keys = keysOf(call.withinGroup ?? call.orderBy, application);
  if (call.isDistinct) return distinct(aggregation, own, keys);
  if (keys.length > 0) return ordered(aggregation, own, keys);
  if (!own.type.isNullable) return apply('groupArray', [own.sql], NONE);
  return sql`arrayMap(t -> t.1, ${apply('groupArray', [sql`tuple(${own.sql})`], NONE)})`;
}

function keysOf(orders: readonly Order[], { context }: Application): readonly Key[] {
  return orders.map((order) => ({
    value: context.key(context.write(order.value, context)),
    isDescending: order.isDescending,
    isNullFirst: nullsFirst(order, context),
  }));
}

/** Distinct values, by themselves: most dialects sort them to find those that are equal. */
function distinct({ application, apply }: Aggregation, own: Value, [key, more]: readonly Key[]): Sql {
  const { context, fail } = application;
  if (context.key(own).sql !== own.sql)
    return fail('DISTINCT of strings that are compared without case is not supported');
  if (more !== undefined || (key !== undefined && !isSame(key.value, own)))
    return fail('DISTINCT is supported only with the value itself as the order');
  if (key === undefined && context.shared.traits.distinctKeepsOrder)
    return sql`arrayDistinct(${apply('groupArray', [own.sql], DISTINCT)})`;
  const by = key ?? { value: own, isDescending: false, isNullFirst: context.shared.traits.nulls === 'low' };
  if (!own.type.isNullable && own.type.kind !== 'float')
    return sql`${by.isDescending ? 'arrayReverseSort' : 'arraySort'}(${apply('groupUniqArray', [own.sql], DISTINCT)})`;
  const values = apply('groupUniqArray', [sql`tuple(${own.sql})`], DISTINCT);
  return sql`arrayMap(t -> t.1, ${sorted(values, [by], application)})`;
}

function isSame(key: Value, own: Value): boolean {
  return String(key.sql) === String(own.sql) || String(text(key)) === String(own.sql);
}

function ordered({ application, apply }: Aggregation, own: Value, keys: readonly Key[]): Sql {
  const columns = [...keys.map((key) => key.value.sql), own.sql];
  const rows = apply('groupArray', [sql`tuple(${joinSql(columns)})`], NONE);
  return sql`arrayMap(t -> t.${String(columns.length)}, ${sorted(rows, keys, application)})`;
}

/** Tuples that begin with the keys, sorted by them. */
function sorted(rows: Sql, keys: readonly Key[], application: Application): Sql {
  const areDescending = keys.every(({ isDescending }) => isDescending);
  const terms = keys.map((key, index) => termsOf(key, index, application));
  if (areDescending) return sql`arrayReverseSort(t -> ${tupleOf(terms.flat())}, ${rows})`;
  const negated = keys.map((key, index) => (key.isDescending ? negatedTerms(key, index) : terms[index]));
  if (negated.every((each) => each !== undefined))
    return sql`arraySort(t -> ${tupleOf(negated.flat())}, ${rows})`;
  // One key after the other, the last one first: equal rows stay in the order of the keys that follow.
  return keys.reduceRight<Sql>(
    (before, { isDescending }, index) =>
      sql`arrayMap(a -> array${isDescending ? 'Reverse' : ''}Sort((t, i) -> ${tupleOf([...(terms[index] ?? []), isDescending ? '-toInt64(i)' : 'i'])}, a, arrayEnumerate(a)), [${before}])[1]`,
    rows,
  );
}

const tupleOf = (terms: readonly Sql[]): Sql =>
  terms.length === 1 ? (terms[0] ?? '') : sql`(${joinSql(terms)})`;

/** What a key is sorted by; ClickHouse sorts NULL and NaN last. */
function termsOf(
  { value: own, isDescending, isNullFirst }: Key,
  index: number,
  { context }: Application,
): readonly Sql[] {
  const place = `t.${index + 1}`;
  const isNullLeast = isNullFirst !== isDescending;
  const terms: Sql[] = [];
  if (own.type.isNullable) terms.push(isNullLeast ? `${place} IS NOT NULL` : `${place} IS NULL`);
  if (own.type.kind === 'float')
    terms.push(context.shared.traits.nanIsFirst ? `${place} = ${place}` : `${place} != ${place}`);
  if (own.original !== undefined) terms.push(`accurateCastOrNull(${place}, 'Float64')`);
  return [...terms, place];
}

/** A descending key of an ascending sort; undefined if its values have no negative. */
function negatedTerms(key: Key, index: number): readonly Sql[] | undefined {
  const place = `t.${index + 1}`;
  const { value: own } = key;
  const negative = isNumber(own)
    ? `-${place}`
    : isTime(own)
      ? own.type.kind === 'date'
        ? `-toInt64(toDate32(${place}))`
        : `-toUnixTimestamp64Micro(toDateTime64(${place}, 6))`
      : undefined;
  if (negative === undefined || own.type.kind === 'float') return undefined;
  const isNull = own.type.isNullable ? [key.isNullFirst ? `${place} IS NOT NULL` : `${place} IS NULL`] : [];
  return [...isNull, negative];
}

/** string_agg, group_concat and listagg. */
export const joined: AggregateRule = (aggregation) => {
  const { application, isPartial, apply } = aggregation;
  const { call, traits } = application;
  const count = traits.concatenatesArguments ? call.args.length : 1;
  const parts = Array.from({ length: count }, (_, index) => plainArgument(application, index));
  const strings = parts.map((each) => {
    if (each.type.kind === 'unknown') return sql`toString(${each.sql})`;
    const isOwn = each.type.kind === 'bool' || (traits.printsReals && each.type.kind !== 'text');
    return text(isOwn ? application.context.asText(each, application.at) : each);
  });
  const nullable = parts.some(({ type }) => type.isNullable);
  const [first = "''", ...others] = strings;
  const own = value('text', others.length === 0 ? first : sql`concat(${joinSql(strings)})`, nullable);
  const separator = separatorOf(application);
  const isNull = (nullable || isPartial || call.limit === '0') && !traits.collectsNothing;
  const array = present(collected(aggregation, own), nullable);
  const plain = sql`arrayStringConcat(${limited(array, call.limit)}, ${separator})`;
  const isLost = traits.losesEmpty && call.over !== undefined && parts.some(isText);
  const joint = isLost ? joinedOver(plain, array, application) : plain;
  if (!isNull) return value('text', joint, isLost);
  if (call.limit === '0') return value('text', 'CAST(NULL AS Nullable(String))');
  return value('text', sql`if(${apply('count', [own.sql], DISTINCT)} = 0, NULL, ${joint})`);
};

const isText = ({ type, literal }: Value): boolean => type.kind === 'text' && (literal ?? '') === '';

/** Joined strings over a window, where an empty result is NULL, and a frame that begins with an empty string may lose it. */
function joinedOver(joint: Sql, array: Sql, { call, context }: Application): Sql {
  if (call.over === undefined || !isSliding(call.over, context)) return sql`nullIf(${joint}, '')`;
  return sql`substring(${joint}, ${onlyIf('1', sql`NOT startsWith(${array}, [''])`)})`;
}

const present = (array: Sql, nullable: boolean): Sql =>
  nullable ? sql`arrayMap(x -> assumeNotNull(x), arrayFilter(x -> x IS NOT NULL, ${array}))` : array;

const limited = (array: Sql, limit: string | undefined): Sql =>
  limit === undefined ? array : sql`arraySlice(${array}, 1, ${limit})`;

function separatorOf(application: Application): string {
  const { call, traits, context, source, fail } = application;
  const written = traits.concatenatesArguments
    ? call.separator
    : call.args[1] === undefined
      ? undefined
      : source(1);
  if (written === undefined) return `'${traits.separator}'`;
  if (written.kind !== 'string') return fail('A separator is supported only if it is a literal');
  return String(context.write(written, context).sql);
}

/** array_agg: NULL over no rows. */
export const list: AggregateRule = (aggregation) => {
  const { application, isPartial } = aggregation;
  const { call, traits } = application;
  const own = plainElement(application.arg(0));
  const keepsNull = call.nulls !== 'IGNORE' && !traits.collectsNothing;
  const array = collected(aggregation, own);
  const kept = keepsNull ? array : present(array, own.type.isNullable);
  const isNullIfEmpty = (isPartial || call.limit === '0') && !traits.collectsNothing;
  const type: Type = { kind: 'array', isNullable: false, element: own.type, isNullIfEmpty };
  return { sql: limited(kept, call.limit), type };
};

/** Elements are shown as they are in ClickHouse: conditions as Boolean values. */
function plainElement(own: Value): Value {
  if (own.type.kind === 'dynamic') return value('text', text(own));
  const { type } = own;
  return type.kind === 'bool' ? value('bool', sql`toBool(${own.sql})`, type.isNullable) : own;
}

/** array_concat_agg: the elements of all arrays. */
export const concatenated: AggregateRule = (aggregation) => {
  const { application } = aggregation;
  const { call, context } = application;
  const own = context.elements(application.arg(0));
  const arrays = limited(collected(aggregation, own), call.limit);
  return { sql: sql`arrayFlatten(${arrays})`, type: { ...own.type, isNullIfEmpty: true } };
};

/** The name of a call that is one element of `approx_quantiles(x, n)`, as its third argument counts from 0: no query can write it. */
export const QUANTILE_ELEMENT = 'approx_quantiles[]';

function fractionOf({ fail, call }: Application, { fraction }: ReturnType<typeof rankedBy>): number {
  if (call.nulls === 'RESPECT') return fail('RESPECT NULLS is not supported here');
  return fraction?.kind === 'number'
    ? Number(fraction.text)
    : fail('The fraction is supported only if it is a number');
}

/** The value at a fraction, interpolated. */
export function continuous({ application, apply }: Aggregation): Value {
  const ranked = rankedBy(application);
  const fraction = fractionOf(application, ranked);
  const level = ranked.isDescending ? Number((1 - fraction).toPrecision(12)) : fraction;
  const parameters = `(${level})`;
  return value('float', apply('quantileExactInclusive', [toFloat(ranked.own)], { parameters }));
}

export function median({ application, apply }: Aggregation): Value {
  const own = toFloat(withoutNan(application.arg(0), application.context));
  return value('float', apply('quantileExactInclusive', [own], { parameters: '(0.5)' }));
}

/** The first value whose rank is at least the fraction. */
export function discrete({ application, apply }: Aggregation): Value {
  const ranked = rankedBy(application);
  const level = fractionOf(application, ranked);
  const values = apply('groupArray', [ranked.own.sql], NONE);
  return atLevel(values, ranked, level);
}

function atLevel(
  values: Sql,
  { own, isDescending }: Pick<ReturnType<typeof rankedBy>, 'own' | 'isDescending'>,
  level: number,
): Value {
  const place = sql`greatest(1, toUInt64(ceil(${String(level)} * length(${values}))))`;
  return {
    sql: sql`arrayElementOrNull(${isDescending ? 'arrayReverseSort' : 'arraySort'}(${values}), ${place})`,
    type: { ...own.type, isNullable: true },
  };
}

export function approximateQuantile(aggregation: Aggregation): Value {
  noteEstimate(aggregation.application, 'value');
  return discrete(aggregation);
}

const MAX_PARTS = 10_000;
const MAX_LISTED = 100;

function partsOf({ source, fail, call }: Application): number {
  if (call.nulls === 'RESPECT') return fail('RESPECT NULLS is not supported here');
  const written = source(1);
  const parts = written.kind === 'number' ? Number(written.text) : Number.NaN;
  if (Number.isInteger(parts) && parts >= 1 && parts <= MAX_PARTS) return parts;
  return fail(`approx_quantiles requires a number of quantiles from 1 to ${MAX_PARTS}`);
}

/** `APPROX_QUANTILES(x, n)[OFFSET(k)]`: an actual element, the first one whose rank reaches k/n. */
export function quantileElement({ application, apply }: Aggregation): Value {
  const parts = partsOf(application);
  const index = application.source(2);
  const offset = index.kind === 'number' ? Number(index.text) : 0;
  if (offset > parts || offset < 0) return application.fail(`There are ${parts + 1} quantiles`);
  const own = quantified(application);
  noteEstimate(application, 'value');
  const level = offset / parts;
  if (!isRanked(own)) {
    const values = apply('groupArray', [own.sql], NONE);
    return atLevel(values, { own, isDescending: false }, level);
  }
  return {
    sql: apply('quantileExactWeighted', [own.sql, '1'], { parameters: `(${level})` }),
    type: { ...own.type, isNullable: true },
  };
}

/** Returns whether ClickHouse has quantiles of the values. */
const isRanked = (own: Value): boolean =>
  isNumber(own) || ['date', 'datetime', 'timestamp', 'unknown'].includes(own.type.kind);

const quantified = (application: Application): Value => {
  const own = withoutNan(application.arg(0), application.context);
  return isOpen(own) ? value('float', float(own)) : own;
};

/** All quantiles as an array; NULL over no values. */
export function quantiles({ application, apply }: Aggregation): Value {
  const parts = partsOf(application);
  if (parts > MAX_LISTED)
    return application.fail(
      `More than ${MAX_LISTED} quantiles cannot be returned as an array`,
      'Select one of them with [OFFSET(k)].',
    );
  const own = quantified(application);
  noteEstimate(application, 'values');
  const levels = Array.from({ length: parts + 1 }, (_, index) => String(index / parts));
  const type: Type = { ...arrayOfType({ ...own.type, isNullable: true }), isNullIfEmpty: true };
  if (!isRanked(own)) {
    const values = apply('groupArray', [own.sql], NONE);
    const places = levels.map((level) => atLevel(values, { own, isDescending: false }, Number(level)).sql);
    return { sql: sql`if(empty(${values}), [], [${joinSql(places)}])`, type };
  }
  const written = apply('quantilesExactWeighted', [own.sql, '1'], {
    parameters: `(${levels.join(', ')})`,
    ...NONE,
  });
  const isNone = sql`${apply('count', [own.sql], NONE)} = 0`;
  return { sql: sql`if(${isNone}, [], ${written})`, type };
}
