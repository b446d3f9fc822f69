// The macros of Altinity's ClickHouse data source for Grafana: $table, $timeFilter, $timeSeries.
// Source: https://altinity.github.io/clickhouse-grafana/
import type { Item, Part } from '../../placeholders/nodes.ts';
import type { Declaration } from '../../placeholders/template.ts';
import { timeValue, type MacroArgument } from './macros.ts';

interface AltinityMacro {
  readonly name: string;
  readonly byName: ReadonlyMap<string, Declaration>;
  readonly args?: readonly MacroArgument[];
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

/** Undefined without the plugin's own variable `dateTimeCol` or `table`, and for other names. */
export function altinityMacro({ name, byName, args = [] }: AltinityMacro): Item | undefined {
  if (!byName.has('table')) return undefined;
  const column = byName.get('dateTimeCol')?.text;
  switch (name) {
    case 'timeFilter':
    case 'timeFilterMs':
      return column === undefined
        ? missing()
        : { kind: 'sql', parts: ['(', column, ' >= ', FROM, ' AND ', column, ' <= ', TO, ')'] };
    case 'timeSeries':
    case 'timeSeriesMs':
      return column === undefined
        ? missing()
        : { kind: 'sql', parts: [`toStartOfInterval(${column}, toIntervalSecond(`, SECONDS, '))'] };
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
      return /^(columns|rate|rateColumns|perSecond|perSecondColumns|delta|increase|conditionalTest|rateColumnsAggregated)$/.test(
        name,
      )
        ? {
            kind: 'lost',
            message: `The function $${name} is not supported`,
            hint: 'Copy the generated SQL of the panel',
          }
        : undefined;
  }
}

function missing(): Item {
  return { kind: 'lost', message: 'The panel names no time column' };
}
