// The macros of Altinity's ClickHouse data source for Grafana: $table, $timeFilter, $timeSeries.
// Source: https://altinity.github.io/clickhouse-grafana/
import type { Item, Part } from '../../placeholders/nodes.ts';
import type { Declaration } from '../../placeholders/template.ts';
import { type Argument, timeValue } from './macros.ts';

interface AltinityMacro {
  readonly name: string;
  readonly byName: ReadonlyMap<string, Declaration>;
  readonly args?: readonly Argument[];
}

const FROM: Part = { kind: 'value', value: timeValue(true) };
const TO: Part = { kind: 'value', value: timeValue(false) };
const SECONDS: Part = {
  kind: 'value',
  value: {
    name: 'interval_seconds',
    type: 'UInt32',
    default: 60,
    description: 'Length of an interval, in seconds.',
  },
};

const MILLISECONDS_OF_INTERVAL: Part = {
  kind: 'value',
  value: {
    name: 'interval_ms',
    type: 'UInt32',
    default: 60_000,
    description: 'Length of an interval, in milliseconds.',
  },
};

/** The declaration that marks panels of this data source. */
export const DATE_TIME_TYPE = 'dateTimeType';

/** Functions that are called with arguments, `$columns(…)`; other variables never are. */
export const ALTINITY_CALLS =
  /^(columns|columnsMs|rate|rateColumns|rateColumnsAggregated|perSecond|perSecondColumns|perSecondColumnsAggregated|delta|deltaColumns|deltaColumnsAggregated|increase|increaseColumns|increaseColumnsAggregated|conditionalTest|unescape|timeFilterByColumn|timeFilter64ByColumn|timeFilterByColumn64|lttb|lttbMs|event|naturalTimeSeries)$/;

/** How the plugin writes a time for columns of a type; undefined for types that are not converted. */
const TIMES: ReadonlyMap<string, (time: Part) => readonly Part[]> = new Map([
  ['DATETIME', (time) => ['toDateTime(', time, ')']],
  ['DATETIME64', (time) => [time]],
  ['TIMESTAMP', (time) => ['toUnixTimestamp(', time, ')']],
  ['FLOAT', (time) => ['(toUnixTimestamp64Milli(', time, ') / 1000)']],
  ['TIMESTAMP64_3', (time) => ['toUnixTimestamp64Milli(', time, ')']],
  ['TIMESTAMP64_6', (time) => ['1000 * toUnixTimestamp64Milli(', time, ')']],
  ['TIMESTAMP64_9', (time) => ['1000000 * toUnixTimestamp64Milli(', time, ')']],
]);

/** A time as the milliseconds that the start of its interval is computed of. */
const MILLISECONDS: ReadonlyMap<string, (column: string) => string> = new Map([
  ['DATETIME', (column) => `toUInt32(${column}) * 1000`],
  ['DATETIME64', (column) => `toUnixTimestamp64Milli(${column})`],
  ['TIMESTAMP', (column) => `${column} * 1000`],
  ['FLOAT', (column) => `${column} * 1000`],
  ['TIMESTAMP64_3', (column) => column],
  ['TIMESTAMP64_6', (column) => `${column} / 1000`],
  ['TIMESTAMP64_9', (column) => `${column} / 1000000`],
]);

function series(column: string | undefined, type: string, interval: readonly Part[]): Item | undefined {
  const milliseconds = column === undefined ? undefined : MILLISECONDS.get(type)?.(column);
  if (milliseconds === undefined) return undefined;
  return { kind: 'sql', parts: ['(intDiv(', milliseconds, ', ', ...interval, ') * ', ...interval, ')'] };
}

/** The start of the interval of a time, in milliseconds, of times in whole seconds. */
const SERIES: ReadonlyMap<string, (column: string) => readonly Part[]> = new Map([
  ['DATETIME', (column) => ['(intDiv(toUInt32(', column, '), ', SECONDS, ') * ', SECONDS, ') * 1000']],
  ['TIMESTAMP', (column) => ['(intDiv(', column, ', ', SECONDS, ') * ', SECONDS, ') * 1000']],
]);

/** Undefined in panels of other data sources, and for names that are none of the plugin's. */
export function altinityMacro({ name, byName, args = [] }: AltinityMacro): Item | undefined {
  const type = byName.get(DATE_TIME_TYPE)?.text;
  if (type === undefined) return undefined;
  const columns = [byName.get('dateTimeCol')?.text, byName.get('dateCol')?.text] as const;
  switch (name) {
    case 'timeFilter':
      return filter(columns, type);
    case 'timeFilterMs':
      return filter(columns, type === 'DATETIME' ? 'DATETIME64' : type);
    case 'timeFilterByColumn':
      return filter([args[0]?.text], type === 'DATETIME64' ? type : 'DATETIME');
    case 'timeFilter64ByColumn':
    case 'timeFilterByColumn64':
      return filter([args[0]?.text], 'DATETIME64');
    case 'timeSeries': {
      const [column] = columns;
      const parts = column === undefined ? undefined : SERIES.get(type)?.(column);
      if (parts !== undefined) return { kind: 'sql', parts };
      return series(column, type, ['(', SECONDS, ' * 1000)']) ?? unknown(name, type);
    }
    case 'timeSeriesMs':
      return series(columns[0], type, [MILLISECONDS_OF_INTERVAL]) ?? unknown(name, type);
    case 'from':
      return { kind: 'sql', parts: ['toUnixTimestamp(', FROM, ')'] };
    case 'to':
      return { kind: 'sql', parts: ['toUnixTimestamp(', TO, ')'] };
    case 'interval':
      return { kind: 'sql', parts: [SECONDS] };
    case 'adhoc':
      return {
        kind: 'sql',
        parts: ['1'],
        note: { severity: 'differs', message: 'Ad hoc filters are left out' },
      };
    case 'unescape': {
      const [arg] = args;
      return arg === undefined
        ? undefined
        : { kind: 'sql', parts: [{ kind: 'source', start: arg.start, end: arg.end }] };
    }
    default:
      return ALTINITY_CALLS.test(name) || /^(naturalTimeSeries|dateTimeCol|dateCol|table)$/.test(name)
        ? unknown(name, type)
        : undefined;
  }
}

function filter(
  [time, date]: readonly [time: string | undefined, date?: string | undefined],
  type: string,
): Item {
  const write = TIMES.get(type);
  if (time === undefined || write === undefined) return unknown('timeFilter', type);
  const days: readonly Part[] =
    date === undefined ? [] : [date, ' >= toDate(', FROM, ') AND ', date, ' <= toDate(', TO, ') AND '];
  return {
    kind: 'sql',
    parts: ['(', ...days, time, ' >= ', ...write(FROM), ' AND ', time, ' <= ', ...write(TO), ')'],
  };
}

function unknown(name: string, type: string): Item {
  return {
    kind: 'lost',
    message: `$${name} is not supported for the columns of this panel (${type})`,
    hint: 'Copy the generated SQL of the panel',
  };
}
