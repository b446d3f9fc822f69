// Aggregate functions, and how they are applied to rows, windows and arrays.
import { quoteString } from '../../clickhouse/literal.ts';
import { type ArrayRows, type Application, differs, note } from '../context.ts';
import { joinSql, sql, type Sql, type Value, toCondition, NEVER_NULL, float, isKind, loose, operand, value, type Type, int } from '../value.ts'; // prettier-ignore
import { mayBeEmpty, overSql } from '../window.ts';
import type { Expression } from '../tree.ts';
import { checkedInteger } from '../arithmetic.ts';
import { castTo } from '../cast/cast.ts';
import { withoutNan } from '../equality.ts';
import { roundHalfAway } from '../exact.ts';

/** An aggregate call: its arguments, and how it is applied. */
export interface Aggregation {
  readonly application: Application;
  /** There may be no rows, or none that pass the filter. */
  readonly isPartial: boolean;
  /** Writes a ClickHouse aggregate function with the combinators that the call needs. */
  readonly apply: (name: string, args: readonly Sql[], options?: ApplyOptions) => Sql;
}

interface ApplyOptions {
  readonly parameters?: string;
  /** The function returns NULL over no rows in the source. */
  readonly isNullOfNone?: boolean;
  /** False if the rule has seen to DISTINCT itself. */
  readonly isDistinct?: boolean;
}

export type AggregateRule = (aggregation: Aggregation) => Value;

/** What a call says about the rows that it aggregates. */
interface Parts {
  readonly filter: Sql | undefined;
  /** HAVING MAX or MIN: only the rows with that value. */
  readonly extreme: { readonly combinator: string; readonly by: Sql } | undefined;
  readonly isPartial: boolean;
  readonly suffix: Sql;
}

export function aggregationOf(application: Application): Aggregation {
  const { call, context } = application;
  let known: Parts | undefined;
  // Read when a rule applies a function: what a rule does not apply is not read.
  const parts = (): Parts => (known ??= partsOf(application));
  return {
    application,
    get isPartial() {
      return parts().isPartial;
    },
    apply: (name, args, { parameters = '', isNullOfNone = true, isDistinct = call.isDistinct } = {}) => {
      const { filter, extreme, isPartial, suffix } = parts();
      // HAVING MAX looks at rows whose argument is NULL as well, which an argument that can be NULL would skip.
      const isIf = extreme !== undefined && args.length > 0;
      const combined = [
        name,
        isDistinct ? 'Distinct' : '',
        isPartial && isNullOfNone ? 'OrNull' : '',
        isIf ? 'If' : '',
        extreme?.combinator ?? '',
        filter === undefined ? '' : 'If',
      ].join('');
      const all = [
        ...(isIf ? presentOf(args) : args),
        ...(extreme === undefined ? [] : [extreme.by]),
        ...(filter === undefined ? [] : [filter]),
      ];
      if (context.rows !== undefined) return reduced(`${combined}${parameters}`, all, context.rows);
      return sql`${combined}${parameters}(${joinSql(all)})${suffix}`;
    },
  };
}

function partsOf(application: Application): Parts {
  const { call, context, fail } = application;
  const { filter, having, over } = call;
  if (over !== undefined && context.rows !== undefined) return fail('OVER is not supported over an array');
  return {
    filter: filter === undefined ? undefined : context.write(filter, context).sql,
    extreme:
      having === undefined
        ? undefined
        : {
            combinator: having.extreme === 'MAX' ? 'ArgMax' : 'ArgMin',
            by: context.key(context.write(having.by, context)).sql,
          },
    isPartial:
      filter !== undefined ||
      having !== undefined ||
      (over === undefined ? context.isUngrouped : mayBeEmpty(over, context)),
    suffix: over === undefined ? '' : sql` OVER ${overSql(over, context)}`,
  };
}

function presentOf(args: readonly Sql[]): readonly Sql[] {
  const present = args.map((each) => sql`isNotNull(${each})`);
  return [...args.map((each) => sql`assumeNotNull(${each})`), joinSql(present, ' AND ')];
}

function reduced(name: string, args: readonly Sql[], { array, variable }: ArrayRows): Sql {
  if (args.length === 0) return sql`length(${array})`;
  const arrays = args.map((each) =>
    each === variable ? array : sql`arrayMap(${variable} -> ${each}, ${array})`,
  );
  return sql`arrayReduce(${quoteString(name)}, ${joinSql(arrays)})`;
}

/** No table has 2^50 rows. */
const COUNT = { scale: 0, isUnsigned: true, bits: 50 };
const counted = (own: Sql): Value => value('int', own, false, COUNT);
const NONE = { isNullOfNone: false };

/** An argument as a string, if it is JSON. */
export function plainArgument({ arg, source, context, at }: Application, index: number): Value {
  const own = arg(index);
  if (own.type.kind !== 'json') return own;
  const type = { name: 'TEXT', at };
  return context.write({ kind: 'cast', value: source(index), type, isSafe: false, at }, context);
}

export function count({ application, apply }: Aggregation): Value {
  const { call, context } = application;
  if (call.isStar || call.args.length === 0) return counted(apply('count', [], NONE));
  const keys = call.args.map((_, index) => context.key(plainArgument(application, index)));
  const distinct = { ...NONE, isDistinct: false };
  if (call.isDistinct) {
    const own = keys.map((each) => each.sql);
    return counted(apply('uniqExact', own, distinct));
  }
  const [only, more] = keys;
  if (only === undefined || more !== undefined) return application.fail('count takes one argument');
  if (!only.type.isNullable) return counted(apply('count', [], NONE));
  // ClickHouse's own rewriting of count over a window fails for columns that can be NULL.
  if (call.over !== undefined) return counted(apply('countIf', [sql`${only.sql} IS NOT NULL`], NONE));
  return counted(apply('count', [only.sql], NONE));
}

/** Sums of small integers are integers, of large ones exact numbers, unless all are integers. */
function sumType({ type }: Value, { traits }: Application): Partial<Type> & Pick<Type, 'kind'> {
  if (type.kind !== 'int') return type;
  return type.bytes !== undefined || traits.sumsIntegers
    ? { kind: 'int', scale: 0 }
    : { kind: 'decimal', scale: 0 };
}

export function sum({ application, isPartial, apply }: Aggregation): Value {
  const own = application.arg(0);
  const { kind, scale } = sumType(own, application);
  const nullable = own.type.isNullable || isPartial;
  // At run time, a sum of more than 64 bits is an error, as that of two values is.
  const isChecked = application.context.isEvaluated === true && kind === 'int' && isLong(own);
  if (isChecked) return checkedInteger(apply('sum', [sql`toInt128(${own.sql})`]), nullable);
  return value(kind, apply('sum', [own.sql]), nullable, { scale });
}

/** Returns whether the sum of some billion such integers may have more than 64 bits. */
function isLong({ type: { kind, bits = 64, isUnsigned = false } }: Value): boolean {
  return kind === 'int' && bits > (isUnsigned ? COUNT.bits : 32);
}

/** SQLite's sum that is 0 over no rows. */
export function sumOrZero({ application, apply }: Aggregation): Value {
  return value('float', sql`ifNull(${apply('sum', [sql`toFloat64(${application.arg(0).sql})`])}, 0)`, false);
}

export function average({ application, isPartial, apply }: Aggregation): Value {
  const own = application.arg(0);
  const { quotientDigits, averageOfIntegers, plainDecimal } = application.traits;
  const { kind, scale } = own.type;
  const nullable = own.type.isNullable || isPartial;
  const isSummed = application.traits.hasFloatNumbers && isLong(own);
  const written = apply('avg', [isSummed ? sql`toFloat64(${own.sql})` : own.sql]);
  const isExact = kind === 'int' || kind === 'decimal' || kind === 'numeric';
  if (kind === 'seconds') return value('seconds', written, nullable);
  if (averageOfIntegers === 'int' && kind === 'int') return int(sql`toInt64(trunc(${written}))`, nullable);
  if (quotientDigits === 'most' && kind === 'decimal' && scale !== undefined)
    return roundHalfAway(value('numeric', written, nullable), scale);
  if (quotientDigits === 'four more' && (isExact || kind === 'unknown'))
    return value('numeric', written, nullable, {
      scale: scale === undefined ? undefined : scale + 4,
    });
  const isFloat = !isExact || (kind === 'int' ? averageOfIntegers : plainDecimal) === 'float';
  return value(isFloat ? (kind === 'unknown' ? 'unknown' : 'float') : 'numeric', written, nullable);
}

export function extreme(name: 'min' | 'max'): AggregateRule {
  return (aggregation) => {
    const { application, isPartial } = aggregation;
    const own = application.arg(0);
    const { context, at } = application;
    void application.call.isDistinct;
    if (own.type.kind === 'json') return application.fail(`${name} of JSON is not supported`);
    const type = { ...own.type, isNullable: own.type.isNullable || isPartial };
    if (own.type.kind === 'dynamic') return { sql: dynamicExtreme(name, own, aggregation), type };
    // The least and the greatest of distinct values are those of all.
    const apply: Aggregation['apply'] = (name_, args, options) =>
      aggregation.apply(name_, args, { ...options, isDistinct: false });
    const key = context.key(own);
    const isOpen = own.type.kind === 'unknown' && context.shared.traits.ignoresCase;
    if (isOpen) differs(context, at, 'type_unknown', `The source compares strings in ${name} without case`);
    if (key.sql !== own.sql)
      return { sql: apply(name === 'min' ? 'argMin' : 'argMax', [own.sql, key.sql]), type };
    const written = apply(name, [own.sql]);
    if (own.type.kind !== 'float' || !isNan(name, application)) return { sql: written, type };
    // Only NaN differs from itself, also among values whose type has none.
    return {
      sql: sql`if(${apply('max', [sql`${operand(own)} != ${operand(own)}`])} = 1, nan, ${written})`,
      type,
    };
  };
}

/** Returns whether NaN among the values is the result; ClickHouse skips it. */
function isNan(name: 'min' | 'max', { traits }: Application): boolean {
  return traits.extremeOfNanIsNan || (name === 'max' && traits.hasNan);
}

/** Numbers order numerically, strings lexically; the type is only known per row. */
function dynamicExtreme(name: 'min' | 'max', own: Value, { application, apply }: Aggregation): Sql {
  const text = application.context.key(own).sql;
  const order = sql`tuple(ifNull(${float(own)}, -inf), ${text})`;
  return apply(name === 'max' ? 'argMaxIf' : 'argMinIf', [own.sql, order, sql`isNotNull(${own.sql})`], NONE);
}

/** A function of Float64 that returns NaN where the source returns NULL: for fewer than two values. */
export function spread(name: 'stddevSamp' | 'varSamp' | 'stddevPop' | 'varPop'): AggregateRule {
  return ({ application, apply }) => {
    const argument = application.arg(0);
    const own = float(argument);
    const least = name.endsWith('Samp') ? 2 : 1;
    const { scale } = argument.type;
    const isRounded = application.traits.roundsDeviations && argument.type.kind !== 'float';
    // Other than the plain functions, the stable ones return NaN if there is NaN or infinity among several values.
    const stable = apply(`${name}Stable`, [own], NONE);
    const isOpen = least === 1 && argument.type.kind === 'float';
    const total = apply('sum', [own], NONE);
    const written = isOpen ? sql`if(${total} - ${total} = 0, ${stable}, nan)` : stable;
    return value(
      isRounded ? 'numeric' : 'float',
      sql`if(${apply('count', [own], NONE)} < ${String(least)}, NULL, ${written})`,
      true,
      isRounded ? { scale: scale === undefined ? undefined : scale + 4 } : {},
    );
  };
}

/** Correlation and covariance: NULL for fewer pairs than they need. */
export function pair(name: 'corr' | 'covarPop' | 'covarSamp'): AggregateRule {
  return ({ application, apply }) => {
    const [a, b] = [float(application.arg(0)), float(application.arg(1))];
    const least = name === 'covarPop' ? 1 : 2;
    const both = apply('count', [sql`${a} + ${b}`], { ...NONE, isDistinct: false });
    const written = apply(`${name}Stable`, [a, b], NONE);
    const isNull = name === 'corr' && !application.traits.correlationCanBeNan;
    const total = apply('sum', [sql`${a} + ${b}`], { ...NONE, isDistinct: false });
    const own = isNull ? sql`if(isNaN(${written}) AND isFinite(${total}), NULL, ${written})` : written;
    return value('float', sql`if(${both} < ${String(least)}, NULL, ${own})`);
  };
}

/** The smallest or largest of conditions. */
export function all(name: 'min' | 'max'): AggregateRule {
  return ({ application, isPartial, apply }) => {
    const own = application.arg(0);
    return value('bool', sql`toBool(${apply(name, [toCondition(own)])})`, own.type.isNullable || isPartial);
  };
}

/** COUNTIF; DISTINCT leaves at most one true. */
export function countIf({ application, apply }: Aggregation): Value {
  const own = toCondition(application.arg(0));
  const distinct = { ...NONE, isDistinct: false };
  if (!application.call.isDistinct) return int(apply('countIf', [own], NONE), false, { bits: COUNT.bits });
  return int(sql`toInt64(ifNull(${apply('max', [own], distinct)}, false))`, false);
}

/** Any value; with HAVING, one of the rows with the extreme. */
export function any({ application, isPartial, apply }: Aggregation): Value {
  const own = application.arg(0);
  const { call, context } = application;
  if (call.nulls === 'RESPECT') return application.fail('RESPECT NULLS is not supported here');
  if (call.having === undefined)
    return {
      sql: apply('any', [own.sql], { isNullOfNone: !NEVER_NULL.has(own.type.kind) }),
      type: { ...own.type, isNullable: own.type.isNullable || isPartial },
    };
  const { having: _, ...plain } = { ...call };
  const name = call.having.extreme === 'MAX' ? 'max_by' : 'min_by';
  return context.write({ ...plain, name, args: [...call.args, call.having.by] }, context);
}

/** The value where another one is least or greatest. */
export function argExtreme(name: 'argMin' | 'argMax'): AggregateRule {
  return ({ application, isPartial, apply }) => {
    const [own, by] = [application.arg(0), application.context.key(application.arg(1))];
    if (application.call.args.length > 2)
      return application.fail(`${application.call.name} with a count is not supported`);
    if (!own.type.isNullable || own.type.kind === 'dynamic')
      return {
        sql: apply(name, [own.sql, by.sql]),
        type: { ...own.type, isNullable: own.type.isNullable || isPartial },
      };
    // argMin and argMax skip rows whose value is NULL: those keep it inside a tuple.
    const written = apply(name, [sql`tuple(${own.sql})`, by.sql], NONE);
    return { sql: sql`tupleElement(${written}, 1)`, type: own.type };
  };
}

export function approximateCount({ application, apply }: Aggregation): Value {
  const own = application.context.key(application.arg(0)).sql;
  if (application.context.shared.isStrict) return int(apply('uniq', [own], NONE), false);
  noteEstimate(application, 'count');
  return int(apply('uniqExact', [own], NONE), false);
}

export function noteEstimate({ call, context, at }: Application, what: string): void {
  const message = `${call.name} is an estimate in the source; it is converted to the exact ${what}`;
  note(context, 'note', { at, code: 'function', message });
}

const wholeNumber = (own: Value, { at, context }: Application): Value =>
  isKind(own, 'int') ? own : castTo(own, { name: 'BIGINT', at }, { isSafe: false, at, context });

export function bits(name: string): AggregateRule {
  return ({ application, isPartial, apply }) => {
    const own = application.arg(0);
    if (application.traits.hasUnsignedBits) {
      const written = apply(name, [sql`toUInt64(${wholeNumber(own, application).sql})`], NONE);
      const ofNone = name === 'groupBitAnd' ? '18446744073709551615' : '0';
      return int(own.type.isNullable ? sql`ifNull(${written}, ${ofNone})` : written, false);
    }
    const integer = own.type.kind === 'float' ? sql`toInt64(${own.sql})` : own.sql;
    return int(apply(name, [integer]), own.type.isNullable || isPartial);
  };
}

/** x / sum(x) OVER (…). */
export function share({ application, apply }: Aggregation): Value {
  const own = application.arg(0);
  return loose('numeric', sql`${float(own)} / nullIf(toFloat64(${apply('sum', [own.sql])}), 0)`);
}

export function grouping({ application }: Aggregation): Value {
  const { isStrict } = application.context.shared;
  const keys = application.all().map((each) => (isStrict ? sql`toNullable(${each.sql})` : each.sql));
  return int(sql`grouping(${joinSql(keys)})`, false);
}

/** The one key of WITHIN GROUP, or of an argument. */
interface Ranked {
  readonly own: Value;
  readonly isDescending: boolean;
  readonly fraction: Expression | undefined;
}

export function rankedBy({ call, context, fail, arg, source }: Application): Ranked {
  const [order, more] = call.withinGroup ?? [];
  if (more !== undefined) return fail('Only one key is supported here');
  if (order === undefined)
    return { own: withoutNan(arg(0), context), isDescending: false, fraction: source(1) };
  const own = withoutNan(context.write(order.value, context), context);
  return { own, isDescending: order.isDescending, fraction: source(0) };
}

export const toFloat = (own: Value): Sql =>
  isKind(own, 'float', 'numeric', 'dynamic') ? float(own) : sql`toFloat64(${own.sql})`;
