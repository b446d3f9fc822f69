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
 * coarser one around it is not, or in none. All rows of the second kind are read from the source and grouped by their time, or by the
 * finest bucket if only the coverage divides it. So each row is read once, whatever the bounds of the query are.
 */
export function writeRelation(needs: RelationNeeds): string {
  const { tables, source, hasTime, conditions } = needs;
  const read = columnsOf(needs);
  const columns =
    read.length > 0 || hasTime ? read : [{ name: NOTHING, ofRollup: '1', ofRows: '1', isKey: false }];
  const name = quoteIdentifier(needs.compiled.rollup.time);
  const keys = columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  const rowNames = createShared();
  const [finest] = tables;
  const key = hasTime ? [`${keyOf(needs, rowNames)} AS ${ROW_TIME}`] : [];
  const isRow = [
    ...conditions.map((term) => `(${term.source})`),
    `(${finest === undefined ? 'true' : apartFrom(needs, finest.every, rowNames)})`,
  ];
  const rowKeys = hasTime ? [...keys, ROW_TIME] : keys;
  const rows = [
    `SELECT ${[...columns.map(({ name }) => name), ...(hasTime ? [`${ROW_TIME} AS ${name}`] : [])].join(', ')}`,
    ` FROM (${rowNames.clause()}SELECT ${[...columns.map(({ name, ofRows }) => namedAs(ofRows, name)), ...key].join(', ')}`,
    ` FROM ${source} WHERE ${isRow.join(' AND ')}`,
    // Without keys there is one group, also of no rows.
    `${rowKeys.length === 0 ? ' HAVING count() > 0' : ` GROUP BY ${rowKeys.join(', ')}`})`,
  ].join('');
  const buckets = tables.map(({ database, table, every }, index) => {
    const names = createShared();
    const coarser = tables[index + 1];
    const isRead = [
      ...wholeIn(needs, every, names),
      ...(coarser === undefined ? [] : [`(${apartFrom(needs, coarser.every, names)})`]),
      ...conditions.map((term) => `(${term.rollup})`),
    ];
    const read = [...columns.map(({ name, ofRollup }) => namedAs(ofRollup, name)), ...(hasTime ? [name] : [])]; // prettier-ignore
    return `${names.clause()}SELECT ${read.join(', ')} FROM ${quoteIdentifier(database)}.${quoteIdentifier(table)} WHERE ${isRead.join(' AND ')}`;
  });
  // The types of the first are those of the whole, and states of the rollup may have types of their own.
  return `(${[rows, ...buckets].join(' UNION ALL ')})`;
}

function namedAs(sql: string, name: string): string {
  return sql === name ? name : `${sql} AS ${name}`;
}

/** Expressions that a SELECT has several times, each by a name: the engine then reads it once, which is much of the time of a statement. */
interface Shared {
  /** It returns the name of an expression. */
  readonly named: (sql: string) => string;
  /** The WITH clause; it is empty if nothing is named. */
  readonly clause: () => string;
}

function createShared(): Shared {
  const names = new Map<string, string>();
  return {
    named: (sql) => {
      const name = names.get(sql) ?? quoteIdentifier(`##${names.size}`);
      names.set(sql, name);
      return name;
    },
    clause: () =>
      names.size === 0 ? '' : `WITH ${[...names].map(([sql, name]) => `${sql} AS ${name}`).join(', ')} `,
  };
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

/** Returns the condition that a time, or the bucket of a finer grain that begins then, is in no whole bucket of a grain. */
function apartFrom(
  { compiled: { rollup }, coverage, comparisons }: RelationNeeds,
  every: number,
  shared: Shared,
): string {
  const { timeType: type } = rollup;
  const name = quoteIdentifier(rollup.time);
  const { from, until } = alignedTo(coverage, every);
  const apart = comparisons.map((each) => {
    const start = shared.named(bucketSql(rollup, name, every));
    const isDivided = shared.named(compareEnds(each, '!=', { start, every, type }, shared));
    return `${nearTo(each, { start: name, every, type }, shared)} AND ${isDivided}`;
  });
  return [`${name} < ${instant(from, type)}`, `${name} >= ${instant(until, type)}`, ...apart].join(' OR ');
}

/** Returns the conditions that the bucket that begins then is whole. */
function wholeIn(
  { compiled: { rollup }, coverage, comparisons }: RelationNeeds,
  every: number,
  shared: Shared,
): readonly string[] {
  const { timeType: type } = rollup;
  const name = quoteIdentifier(rollup.time);
  const { from, until } = alignedTo(coverage, every);
  return [
    `${name} >= ${instant(from, type)} AND ${name} < ${instant(until, type)}`,
    ...comparisons.map((each) => compareEnds(each, '=', { start: name, every, type }, shared)),
  ];
}

/** Rows are grouped by this: by the finest bucket, or by their time if a comparison divides it. */
function keyOf({ compiled: { rollup }, tables, comparisons }: RelationNeeds, shared: Shared): string {
  const name = quoteIdentifier(rollup.time);
  const { timeType: type } = rollup;
  // Buckets of times beyond those that all types hold wrap around.
  const isBeyond = `${name} < ${instant(EARLIEST, type)} OR ${name} >= ${instant(LATEST, type)}`;
  const every = tables[0]?.every ?? 0;
  const start = shared.named(bucketSql(rollup, name, every));
  const divided = comparisons.map((each) =>
    shared.named(compareEnds(each, '!=', { start, every, type }, shared)),
  );
  return `if(${[isBeyond, ...divided].join(' OR ')}, ${name}, ${start})`;
}

interface Bucket {
  /** SQL of its first instant. */
  readonly start: string;
  readonly every: number;
  readonly type: string;
}

/** Compares the values of a comparison at the two ends of a bucket: if they are the same, it has that value in all of it. */
function compareEnds(
  { operator, bound, isNullable }: TimeComparison,
  as: '=' | '!=',
  { start, every, type }: Bucket,
  shared: Shared,
): string {
  const by = shared.named(bound);
  const [first, last] = [start, lastOf(start, every, type)].map((end) =>
    isNullable ? `ifNull(${end} ${operator} ${by}, 2)` : `(${end} ${operator} ${by})`,
  );
  return `(${first} ${as} ${last})`;
}

const UNITS = [
  ['Second', 1n],
  ['Millisecond', 1000n],
  ['Microsecond', 1_000_000n],
  ['Nanosecond', 1_000_000_000n],
] as const;

/** The last instant of a bucket, to the precision of the type. */
function lastOf(start: string, every: number, type: string): string {
  const scale = Number(/^DateTime64\((\d)/.exec(type)?.[1] ?? 0);
  const [unit, ofSecond] = UNITS[Math.ceil(scale / 3)] ?? UNITS[0];
  const last = `${start} + toInterval${unit}(${BigInt(every) * ofSecond - 1n})`;
  return scale % 3 === 0 ? last : `CAST(${last}, ${quoteString(type)})`;
}

/**
 * A comparison divides only the bucket of its bound: by this the engine finds its granules. The column stands alone, since the
 * engine takes arithmetic on it for monotonic, also where a time of another row is beyond its range.
 */
function nearTo(
  { bound, isDay }: TimeComparison,
  { start: name, every, type }: Bucket,
  shared: Shared,
): string {
  const time = `CAST(${shared.named(bound)}, ${quoteString(`Nullable(${type})`)})`;
  const width = `toIntervalSecond(${every})`;
  if (!isDay) {
    const start = shared.named(`toStartOfInterval(${time}, ${width}, 'UTC')`);
    return `${name} >= ${start} AND ${name} < ${start} + ${width}`;
  }
  const day = shared.named(time);
  const margin = `toIntervalSecond(${every + SECONDS_OF_ZONES})`;
  return `${name} >= ${day} - ${margin} AND ${name} <= ${day} + ${margin}`;
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
