// The rows that a query reads in place of those of its source: groups of the rollup where it may read whole buckets, of the coarsest
// grain that has them, and groups made of rows elsewhere.
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { plainTypeOf } from '../../sql/types/traits.ts';
import { stateSql } from './aggregates.ts';
import { bucketSql } from './bucket.ts';
import type { CompiledRollup } from './compile.ts';
import { columnOf, type CompiledMeasure } from './measures.ts';
import type { RollupCoverage, RollupTable } from './model.ts';
import type { TimeComparison, Term } from './term.ts';

export interface RelationNeeds {
  readonly compiled: CompiledRollup;
  /** The tables whose grains divide all roundings of the query, the finest first; each covers some time. */
  readonly tables: readonly RollupTable[];
  readonly coverage: RollupCoverage;
  /** The source, as the query names it. */
  readonly source: string;
  readonly hasTime: boolean;
  /** Dimensions that it reads under their own names. */
  readonly named: ReadonlySet<string>;
  /** Dimensions that it reads as `#name`. */
  readonly added: ReadonlySet<string>;
  readonly measures: ReadonlySet<CompiledMeasure>;
  /** Each has one value in a bucket that is read from the rollup. */
  readonly comparisons: readonly TimeComparison[];
  /** Conditions on all rows that the query reads. */
  readonly conditions: readonly Term[];
}

interface RelationColumn {
  readonly name: string;
  readonly ofRollup: string;
  readonly ofRows: string;
  /** It is true if rows are grouped by it. */
  readonly isKey: boolean;
}

/**
 * A bucket is whole if it is covered and no comparison of the query divides it: each has the same value at its first and at its last
 * instant, and so at all of them. The parts of a whole bucket are whole, so that each row is in one bucket that is whole while the
 * coarser one around it is not, or in none. All rows of the second kind are read from the source and grouped by their time, or by their
 * bucket if only the coverage divides them. So each row is read once, whatever the bounds of the query are.
 */
export function writeRelation(needs: RelationNeeds): string {
  const { tables, source, hasTime, conditions } = needs;
  const read = columnsOf(needs);
  const columns =
    read.length > 0 || hasTime ? read : [{ name: NOTHING, ofRollup: '1', ofRows: '1', isKey: false }];
  const [name, key] = [quoteIdentifier(needs.compiled.rollup.time), keyOf(needs)];
  const grains = tables.map(({ every }) => grainOf(needs, every));
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const inner = columns.map(({ name, ofRows }) => (ofRows === name ? name : `${ofRows} AS ${name}`));
  const outer = columns.map(({ name }) => name);
  const rowKeys = hasTime ? [...keys, ROW_TIME] : keys;
  const ofRows = [...inner, ...(hasTime ? [`${key} AS ${ROW_TIME}`] : [])].join(', ');
  const rows = [
    `SELECT ${[...outer, ...(hasTime ? [`${ROW_TIME} AS ${name}`] : [])].join(', ')} FROM (SELECT ${ofRows} FROM ${source}`,
    ` WHERE ${[...conditions.map((term) => `(${term.source})`), `(${grains[0]?.isApart ?? 'true'})`].join(' AND ')}`,
    // Without keys there is one group, also of no rows.
    `${rowKeys.length === 0 ? ' HAVING count() > 0' : ` GROUP BY ${rowKeys.join(', ')}`})`,
  ].join('');
  const ofRollup = columns.map((each) =>
    each.ofRollup === each.name ? each.name : `${each.ofRollup} AS ${each.name}`,
  );
  const buckets = tables.map(({ database, table }, index) => {
    const coarser = grains[index + 1];
    const isRead = [
      ...(grains[index]?.isWhole ?? []),
      ...(coarser === undefined ? [] : [`(${coarser.isApart})`]),
      ...conditions.map((term) => `(${term.rollup})`),
    ];
    const read = [...ofRollup, ...(hasTime ? [name] : [])].join(', ');
    return `SELECT ${read} FROM ${quoteIdentifier(database)}.${quoteIdentifier(table)} WHERE ${isRead.join(' AND ')}`;
  });
  // The types of the first are those of the whole, and states of the rollup may have types of their own.
  return `(${[rows, ...buckets].join(' UNION ALL ')})`;
}

/** No other column has these names: those of dimensions and measures begin with one `#`. */
const ROW_TIME = quoteIdentifier('##time');
const NOTHING = quoteIdentifier('##nothing');

function columnsOf({ compiled, named, added, measures }: RelationNeeds): readonly RelationColumn[] {
  const dimension = (name: string, as: string): RelationColumn => ({
    name: quoteIdentifier(as),
    ofRollup: quoteIdentifier(name),
    ofRows: compiled.expressions.get(name) ?? quoteIdentifier(name),
    isKey: true,
  });
  return [
    ...[...named].map((name) => dimension(name, name)),
    ...[...added].map((name) => dimension(name, `#${name}`)),
    ...[...measures].map((measure) => ({
      name: columnOf(measure),
      ofRollup: quoteIdentifier(measure.measure.name),
      ofRows: stateSql(measure.measure, measure.arguments),
      isKey: false,
    })),
  ];
}

/** Conditions on a time, or on the bucket of a finer grain that it is in. */
interface GrainConditions {
  /** It is in no whole bucket of the grain. */
  readonly isApart: string;
  /** The bucket that begins then is whole, if all of these are true. */
  readonly isWhole: readonly string[];
}

function grainOf(
  { compiled: { rollup }, coverage, comparisons }: RelationNeeds,
  every: number,
): GrainConditions {
  const name = quoteIdentifier(rollup.time);
  const { timeType: type } = rollup;
  const { from, until } = alignedTo(coverage, every);
  const [first, last] = [instant(from, type), instant(until, type)];
  const apart = comparisons.map(
    (each) =>
      `${nearTo(each, name, every, type)} AND ${divides(each, { start: bucketSql(rollup, name, every), every, type })}`,
  );
  return {
    isApart: [`${name} < ${first}`, `${name} >= ${last}`, ...apart].join(' OR '),
    isWhole: [
      `${name} >= ${first} AND ${name} < ${last}`,
      ...comparisons.map((each) => `NOT ${divides(each, { start: name, every, type })}`),
    ],
  };
}

/** Rows are grouped by this: by the coarsest bucket that no comparison divides. */
function keyOf({ compiled: { rollup }, tables, comparisons }: RelationNeeds): string {
  const name = quoteIdentifier(rollup.time);
  const { timeType: type } = rollup;
  // Buckets of times beyond those that all types hold wrap around.
  const isBeyond = `${name} < ${instant(EARLIEST, type)} OR ${name} >= ${instant(LATEST, type)}`;
  const choices = tables.toReversed().flatMap(({ every }) => {
    const start = bucketSql(rollup, name, every);
    const undivided = comparisons.map((each) => `NOT ${divides(each, { start, every, type })}`);
    return [undivided.length === 0 ? 'true' : undivided.join(' AND '), start];
  });
  return `multiIf(${[isBeyond, name, ...choices, name].join(', ')})`;
}

interface Bucket {
  /** SQL of its first instant. */
  readonly start: string;
  readonly every: number;
  readonly type: string;
}

/** Returns whether a comparison has other values at the two ends of a bucket. */
function divides({ operator, bound }: TimeComparison, { start, every, type }: Bucket): string {
  return `(ifNull(${start} ${operator} ${bound}, 2) != ifNull(${lastOf(start, every, type)} ${operator} ${bound}, 2))`;
}

/** The last instant of a bucket, to the precision of the type. */
function lastOf(start: string, every: number, type: string): string {
  const scale = Number(/^DateTime64\((\d)/.exec(type)?.[1] ?? 0);
  const unit = ['Second', 'Millisecond', 'Microsecond', 'Nanosecond'][Math.ceil(scale / 3)];
  return `CAST(${start} + toIntervalSecond(${every}) - toInterval${unit}(1), ${quoteString(type)})`;
}

/**
 * A comparison divides only the bucket of its bound: by this the engine finds its granules. The column stands alone, since the
 * engine takes arithmetic on it for monotonic, also where a time of another row is beyond its range.
 */
function nearTo({ bound, isDay }: TimeComparison, name: string, every: number, type: string): string {
  const time = `CAST(${bound}, ${quoteString(`Nullable(${type})`)})`;
  const margin = `toIntervalSecond(${every + (isDay ? SECONDS_OF_ZONES : 0)})`;
  return `${name} >= ${time} - ${margin} AND ${name} <= ${time} + ${margin}`;
}

/** A day begins at most so far from its beginning in UTC. */
const SECONDS_OF_ZONES = 86_400;

const MICROSECONDS = 1_000_000n;
const DAY = 86_400n * MICROSECONDS;

/** Times that all types can hold, and whose time zones are known (2038). */
const EARLIEST = 2n * DAY;
const LATEST = 24_837n * DAY;

/** The coverage in whole buckets; it may be empty. */
export function alignedTo({ from, until }: RollupCoverage, every: number): RollupCoverage {
  const grain = BigInt(every) * MICROSECONDS;
  const [start, end] = [from < EARLIEST ? EARLIEST : from, until > LATEST ? LATEST : until];
  return { from: ((start + grain - 1n) / grain) * grain, until: (end / grain) * grain };
}

/** A time in whole seconds. */
function instant(time: bigint, type: string): string {
  const text = quoteString(new Date(Number(time / 1000n)).toISOString().slice(0, 19).replace('T', ' '));
  return plainTypeOf(type).name === 'DateTime'
    ? `toDateTime(${text}, 'UTC')`
    : `toDateTime64(${text}, 0, 'UTC')`;
}
