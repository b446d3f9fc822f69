// Generated tables with rollups.
import { storedAggregate } from '../../../src/guard/rollups/aggregates.ts';
import type { Rollup, RollupInUse, RollupMeasure, SourceColumns } from '../../../src/guard/rollups/model.ts';
import { quoteIdentifier } from '../../../src/sql/clickhouse/literal.ts';
import type { Random } from '../sandbox/mutants.ts';

const TIME_TYPES = [
  'DateTime64(6)',
  "DateTime64(3, 'Asia/Kolkata')",
  "DateTime('Europe/Berlin')",
  'DateTime',
  "DateTime64(6, 'America/New_York')",
  "DateTime64(9, 'UTC')",
  "DateTime64(0, 'Australia/Lord_Howe')",
  'DateTime64(1)',
] as const;

/** Times around which rows are: borders of hours, days, months and years, and of summer time in Berlin, New York and on Lord Howe. */
export const MOMENTS = [
  '2026-03-15 12:34:00', '2025-10-26 01:00:00', '2026-03-29 01:00:00', '2026-03-08 07:00:00', '2026-04-04 15:00:00',
  '2026-03-01 00:00:00', '2026-02-28 18:30:00', '2025-12-31 23:59:00', '2026-03-15 13:00:00', '2026-03-16 00:00:00',
] as const; // prettier-ignore

/** Some types or buckets cannot hold these times. */
const FAR = [
  '1950-01-01 00:00:03',
  '1970-01-01 00:00:01',
  '2106-01-31 00:00:59',
  '2150-01-01 00:00:03',
] as const;

interface Measured {
  readonly measure: RollupMeasure;
  /** The type of the column, and the expression over the source that makes it. */
  readonly type: string;
  readonly make: string;
}

function measured(call: string, types: readonly string[], result: string): Measured {
  const [, aggregate = '', , parameter, list = ''] =
    /^(\w+)(\((.+?)\))?\((.*)\)$/.exec(call.replace(/\)\(/, ')\u0000(').replace('\u0000', '')) ?? [];
  const parameters = parameter === undefined ? [] : [parameter];
  const stored = storedAggregate(aggregate);
  const isValue = stored?.stored === 'value';
  const brackets = parameters.length === 0 ? '' : `(${parameters.join()})`;
  return {
    measure: {
      name: call,
      aggregate,
      parameters,
      arguments: list === '' ? [] : list.split(/, ?/),
      types,
      approximate: false,
    },
    type: isValue
      ? `SimpleAggregateFunction(${stored.merge}, ${result})`
      : `AggregateFunction(${[`${aggregate}${brackets}`, ...types].join(', ')})`,
    make: isValue ? call : `${aggregate}State${brackets}(${list})`,
  };
}

const measuresOf = (timeType: string): readonly Measured[] => [
  measured('sum(bytes)', ['UInt32'], 'UInt64'),
  measured('sum(delta)', ['Nullable(Int32)'], 'Nullable(Int64)'),
  measured('count(delta)', ['Nullable(Int32)'], 'UInt64'),
  measured('sum(price)', ['Decimal(9, 2)'], 'Decimal(38, 2)'),
  measured('sum(big)', ['UInt64'], 'UInt64'),
  measured('min(bytes)', ['UInt32'], 'UInt32'),
  measured('max(price)', ['Decimal(9, 2)'], 'Decimal(9, 2)'),
  measured('max(name)', ['Nullable(String)'], 'Nullable(String)'),
  measured('min(at)', [timeType], timeType),
  measured('uniq(user)', ['String'], ''),
  measured('uniqExact(user)', ['String'], ''),
  measured('uniq(user, status)', ['String', 'UInt16'], ''),
  measured('quantileBFloat16(0.95)(bytes)', ['UInt32'], ''),
  measured('groupBitOr(bytes)', ['UInt32'], 'UInt32'),
  measured('countIf(bytes > 100)', ['UInt8'], 'UInt64'),
  measured('uniqIf(user, bytes > 500)', ['String', 'UInt8'], ''),
  measured('max(ip)', ['IPv4'], 'IPv4'),
  measured('min(id)', ['UUID'], 'UUID'),
  measured('max(fixed)', ['FixedString(3)'], 'FixedString(3)'),
  measured('sum(flag)', ['Bool'], 'UInt64'),
  measured('min(flag)', ['Bool'], 'Bool'),
  measured('max(day)', ['Date32'], 'Date32'),
  measured('sum(wide)', ['Decimal(76, 5)'], 'Decimal(76, 5)'),
  measured('min(wide)', ['Decimal(76, 5)'], 'Decimal(76, 5)'),
  measured('max(pair)', ['Tuple(kind String, status UInt16)'], 'Tuple(kind String, status UInt16)'),
  measured('min(tags)', ['Array(Int8)'], 'Array(Int8)'),
  measured('uniqExact(ratio)', ['Float64'], ''),
  measured('uniq(pair)', ['Tuple(kind String, status UInt16)'], ''),
  measured('quantilesBFloat16(0.5)(ratio)', ['Float64'], ''),
  measured('minIf(bytes, status >= 500)', ['UInt32', 'UInt8'], ''),
  measured('sumIf(bytes, code > 0)', ['UInt32', 'Nullable(UInt8)'], 'UInt64'),
  measured('groupBitXor(bytes)', ['UInt32'], 'UInt32'),
  measured('groupBitAnd(bytes)', ['UInt32'], 'UInt32'),
];

const DIMENSIONS = [
  ['kind', 'kind', 'LowCardinality(Nullable(String))'],
  ['status', 'status', 'UInt16'],
  ['code', 'code', 'Nullable(Int32)'],
  ['level', 'level', "Enum8('low' = 1, 'high' = 2)"],
  ['doc.request.method', 'doc.request.method', 'String'],
  ['area', "multiIf(match(path, '/rest'), 'rest', startsWith(path, '/auth'), 'auth', 'other')", 'String'],
  ['place', "attributes['place']", 'String'],
  // They overlap with one another, with the time, and with arguments of measures.
  ['failed', 'status >= 500', 'UInt8'],
  ['upper', 'upper(kind)', 'LowCardinality(Nullable(String))'],
  ['hour', "toHour(at, 'UTC')", 'UInt8'],
  ['late', "at > toDateTime('2026-03-15 12:34:30', 'UTC')", 'UInt8'],
  ['large', 'bytes > 100', 'UInt8'],
  ['time', 'length(path)', 'UInt64'],
  ['has', "arrayExists(x -> x = kind, ['a', 'b'])", 'UInt8'],
  ['pair.kind', 'pair.kind', 'String'],
  ['events.kind', 'events.kind', 'String'],
  ['shown', 'shown', 'String'],
  ['made', 'made', 'UInt16'],
  ['count(bytes)', '`count(bytes)`', 'String'],
  ['#made', '`#made`', 'UInt16'],
  ['ip', 'ip', 'IPv4'],
  ['id', 'id', 'UUID'],
  ['fixed', 'fixed', 'FixedString(3)'],
  ['flag', 'flag', 'Bool'],
  ['day', 'day', 'Date32'],
  ['wide', 'wide', 'Decimal(76, 5)'],
  ['a`b\\', "concat(path, '`')", 'String'],
] as const;

const HIDDEN = ['shown', 'made', 'count(bytes)', '#made'] as const;
const COLUMNS: SourceColumns = {
  all: new Set([
    ...'project at kind status code path doc attributes bytes delta price big ratio name user level ip id fixed flag day wide pair tags events'.split(
      ' ',
    ),
    ...HIDDEN,
  ]),
  hidden: new Set(HIDDEN),
  id: '',
};

const GRAINS = [
  [60],
  [60, 3600],
  [300],
  [900, 86_400],
  [3600],
  [60, 900, 3600, 86_400],
  [86_400],
  [1800],
] as const;

export interface World {
  readonly inUse: RollupInUse;
  /** Statements that make the tables, in a database of their own. */
  readonly statements: readonly string[];
}

const ONE_SECOND = 1_000_000n;

/** A table of rows, and a rollup whose buckets are right where it is covered, and wrong elsewhere. */
export function generateWorld(random: Random, index: number, rows = 200): World {
  const database = `world${index}`;
  const timeType = TIME_TYPES[index % TIME_TYPES.length] ?? 'DateTime';
  // With such times the engine misreads its index for functions that wrap around, and the smallest time once it has compiled min.
  const hasFar = random(2) === 0;
  const grains = GRAINS[random(GRAINS.length)] ?? [60];
  const dimensions = DIMENSIONS.filter((_, each) => random(each < 7 ? 6 : 2) > 0);
  const measures = [
    measured('count()', [], 'UInt64'),
    ...measuresOf(timeType).filter(({ make }) => random(9) > 0 && !(hasFar && make === 'min(at)')),
  ];
  const grain = BigInt(grains[0]) * ONE_SECOND;
  const rounded = (text: string): bigint => ((BigInt(Date.parse(`${text}Z`)) * 1000n) / grain) * grain;
  const from = [0n, rounded('2025-12-31 23:59:00'), rounded('2026-03-01 00:00:00')][random(3)] ?? 0n;
  const until =
    [rounded('2027-01-01 00:00:00'), rounded('2026-03-15 12:34:00'), rounded('2026-03-29 01:30:00')][
      random(3)
    ] ?? 0n;
  const rollup: Rollup = {
    name: `rollup${index}`,
    version: '1',
    source: { database, table: 'events' },
    time: 'at',
    timeType,
    dimensions: [['project', 'project'], ...dimensions].map(([name = '', expression = '']) => ({
      name,
      expression,
    })),
    measures: measures.map(({ measure }) => measure),
    tables: grains.map((every) => ({ every, database, table: `groups_${every}` })),
  };
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const types = ['LowCardinality(String)', ...dimensions.map(([, , type]) => type)];
  return {
    inUse: { rollup, coverage: { from, until }, columns: COLUMNS },
    statements: [
      `CREATE DATABASE ${database}`,
      `CREATE TABLE ${database}.events (project LowCardinality(String), at ${timeType}, kind LowCardinality(Nullable(String)), status UInt16,
        code Nullable(Int32), path String, doc JSON(request.method String), attributes Map(String, String), bytes UInt32, delta Nullable(Int32),
        price Decimal(9, 2), big UInt64, ratio Float64, name Nullable(String), user String, level Enum8('low' = 1, 'high' = 2),
        ip IPv4 DEFAULT IPv4NumToString(bytes), id UUID DEFAULT toUUID(concat('00000000-0000-0000-0000-0000000000', leftPad(toString(status % 97), 2, '0'))),
        fixed FixedString(3) DEFAULT toFixedString(substring(path, 1, 2), 3), flag Bool DEFAULT status = 200, day Date32 DEFAULT toDate32('1910-01-01') + bytes % 7,
        wide Decimal(76, 5) DEFAULT toDecimal256(price, 5) * -1, pair Tuple(kind String, status UInt16) DEFAULT (path, status), tags Array(Int8) DEFAULT [status % 5, 3],
        events Tuple(kind String) DEFAULT tuple(path), shown String ALIAS lower(path), made UInt16 MATERIALIZED status % 7, \`count(bytes)\` String MATERIALIZED path,
        \`#made\` UInt16 MATERIALIZED status % 3)
        ENGINE = MergeTree ${one(['', 'PARTITION BY project', 'PARTITION BY cityHash64(user) % 3', "PARTITION BY toYYYYMM(at, 'Asia/Tokyo')"])} ORDER BY ${hasFar ? 'tuple()' : '(project, at)'} SETTINGS index_granularity = 16`,
      insertRows(random, { database, timeType, rows, hasFar }),
      ...rollup.tables.flatMap(({ every, table }) =>
        groups(rollup, { from, until }, { types, measures, every, table }),
      ),
    ],
  };
}

/** Rows at, before and after borders; some twice. */
function insertRows(
  random: Random,
  { database, timeType, rows, hasFar }: { database: string; timeType: string; rows: number; hasFar: boolean },
): string {
  const values = Array.from({ length: rows }, () => {
    const isFar = hasFar && random(20) === 0;
    const moment = (isFar ? FAR[random(FAR.length)] : MOMENTS[random(MOMENTS.length)]) ?? MOMENTS[0];
    const shift =
      [0, 0, 1, -1, 59, 60, -60, 3599, 3600, -3600, 1800, 86_399, 86_400, random(20_000)][random(14)] ?? 0;
    const time = new Date(Date.parse(`${moment}Z`) + shift * 1000)
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');
    const fraction = ['0', '0', '000001', '999999', '5'][random(5)] ?? '0';
    const isInRange = timeType.startsWith('DateTime64') || !/^(?:19[0-6]|2150)/.test(time);
    const at = `toDateTime64('${isInRange ? time : MOMENTS[0]}.${fraction}', 6, 'UTC')`;
    const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
    return `(${[
      one(["'p1'", "'p1'", "'p2'"]),
      at,
      one(['NULL', "'a'", "'b'", "''"]),
      one(['200', '404', '500']),
      one(['NULL', '0', '-5', '7']),
      one(["'/rest/x'", "'/auth/y'", "'/z'", "''"]),
      one([`'{"request":{"method":"GET"}}'`, `'{"request":{"method":"POST"}}'`, "'{}'"]),
      one(["map('place', 'fra')", "map('place', 'ams')", 'map()']),
      String(random(1000)),
      one(['NULL', String(random(100) - 50)]),
      String(random(10_000) / 100),
      one(['18446744073709551615', String(random(1_000_000)), '9007199254740993']),
      one(['nan', 'inf', '-0.0', '0.1', '1e300']),
      one(['NULL', "'x'", "'y'", "'é'"]),
      `'u${random(40)}'`,
      one(["'low'", "'high'"]),
    ].join(', ')})`;
  });
  const twice = values.filter(() => random(10) === 0);
  return `INSERT INTO ${database}.events (project, at, kind, status, code, path, doc, attributes, bytes, delta, price, big, ratio, name, user, level) VALUES ${[...values, ...twice].join(', ')}`;
}

interface Grouped {
  readonly types: readonly string[];
  readonly measures: readonly Measured[];
  readonly every: number;
  readonly table: string;
}

function groups(
  { source, dimensions, time, timeType }: Rollup,
  coverage: RollupInUse['coverage'],
  { types, measures, every, table }: Grouped,
): readonly string[] {
  const name = `${source.database}.${table}`;
  const bucket = `CAST(toStartOfInterval(${time}, toIntervalSecond(${every}), 'UTC'), '${timeType.replaceAll("'", "\\'")}')`;
  const columns = [
    ...dimensions.map((each, index) => `${quoteIdentifier(each.name)} ${types[index]}`),
    `${time} ${timeType}`,
    ...measures.map(({ measure, type }) => `${quoteIdentifier(measure.name)} ${type}`),
  ];
  const keys = [...dimensions.map(({ expression }) => expression), bucket];
  const select = `SELECT ${[...keys, ...measures.map(({ make }) => make)].join(', ')} FROM ${source.database}.${source.table}`;
  const [from, until] = [coverage.from, coverage.until].map(
    (each) => `fromUnixTimestamp64Micro(${each}, 'UTC')`,
  );
  const isBucket = `${time} >= toDateTime64('1970-01-01 00:00:00', 6, 'UTC') AND ${time} < toDateTime64('2106-01-01 00:00:00', 6, 'UTC')`;
  const insert = (condition: string): string =>
    `INSERT INTO ${name} ${select} WHERE ${isBucket} AND ${condition} GROUP BY ${keys.join(', ')}`;
  return [
    `CREATE TABLE ${name} (${columns.join(', ')}) ENGINE = AggregatingMergeTree
      ORDER BY (project, ${time}, ${dimensions
        .slice(1)
        .map((each) => quoteIdentifier(each.name))
        .join(', ')}) SETTINGS allow_nullable_key = 1, index_granularity = 16`.replace(', )', ')'),
    // Two parts with groups of the same buckets, and wrong ones where nothing is covered.
    insert(`${time} >= ${from} AND ${time} < ${until} AND bytes % 2 = 0`),
    insert(`${time} >= ${from} AND ${time} < ${until} AND bytes % 2 = 1`),
    insert(
      `bytes % 3 = 0 AND (toStartOfInterval(${time}, toIntervalSecond(${every}), 'UTC') + toIntervalSecond(${every}) <= ${from} OR toStartOfInterval(${time}, toIntervalSecond(${every}), 'UTC') >= ${until})`,
    ),
  ];
}
