// Percentiles and quantiles.
import type { Application } from '../context.ts';
import { joinSql, sql, type Sql, isOpen, float, arrayOfType, isNumber, value, type Type, type Value } from '../value.ts'; // prettier-ignore
import { withoutNan } from '../nan.ts';
import { noteEstimate, rankedBy, toFloat } from './aggregate.ts';
import type { Aggregation } from './aggregation.ts';

/** The name of a call that is one element of `approx_quantiles(x, n)`, as its third argument counts from 0: no query can write it. */
export const QUANTILE_ELEMENT = 'approx_quantiles[]';

const NONE = { isNullOfNone: false };

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
