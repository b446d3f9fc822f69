// The macros of Altinity's data source that write a whole query: $columns(key, value) FROM t, $rate(count() AS c) FROM t.
// Source: https://altinity.github.io/clickhouse-grafana/
import type { Declaration } from '../../placeholders/template.ts';
import { composed, type Unrolled } from '../../placeholders/unroll.ts';
import { argumentsOf, closing, type Argument } from './macros.ts';
import { depthOf, withoutTexts } from './statement-macros.ts';
import { DATE_TIME_TYPE } from './altinity.ts';

const MACRO =
  /\$(?:(?<columns>columns)|(?<change>rate|perSecond|delta|increase)(?<of>ColumnsAggregated|Columns)?)\s*(?=\()/;

/** The declaration that marks panels whose first difference is the value itself. */
export const WINDOW_MACROS = 'useWindowFuncForMacros';

/** Texts are written; arguments and ranges are copied from the query. */
type StatementPart = string | Pick<Argument, 'start' | 'end'>;

interface Statement {
  readonly change: Change;
  readonly args: readonly NamedArgument[];
  /** FROM with the condition of the panel's time range. */
  readonly from: readonly StatementPart[];
  readonly having: StatementPart;
  readonly difference: (name: string) => string;
}

interface NamedArgument {
  readonly expression: Argument;
  /** The whole argument. */
  readonly written: Pick<Argument, 'start' | 'end'>;
  readonly alias: string | undefined;
  /** The name of its column: the alias, with or without AS, or a name; undefined for other expressions. */
  readonly name: string | undefined;
}

type Change = 'columns' | 'rate' | 'perSecond' | 'delta' | 'increase';

/** The query that the macro produces; undefined without one, and for forms that the plugin rejects. */
export function expandAltinity(text: string, declarations: readonly Declaration[]): Unrolled | undefined {
  if (!declarations.some(({ name }) => name === DATE_TIME_TYPE)) return undefined;
  const code = withoutTexts(text);
  const macro = MACRO.exec(code);
  if (macro === null || depthOf(code.slice(0, macro.index)) !== 0) return undefined;
  const open = macro.index + macro[0].length;
  const end = closing(text, open);
  const found = end === undefined ? undefined : fromOf(code, end);
  if (end === undefined || found === undefined) return undefined;
  const isWindow = declarations.some(({ name, text: value }) => name === WINDOW_MACROS && value === 'true');
  const { args, having } = withoutHaving(argumentsOf(text, { start: open, end }), code);
  const { columns, change = columns, of = '' } = macro.groups ?? {};
  const statement: Statement = {
    change: change as Change, // one of the names in the pattern
    args: args.map((each) => namedArgument(each)),
    from: found.from,
    having,
    difference: (name) => `(${name} - lagInFrame(${name}, 1, ${isWindow ? 0 : name}) OVER w)`,
  };
  const parts = found.isGrouped
    ? columns === undefined
      ? undefined
      : ofColumns(statement, true)
    : WRITERS[`${columns ?? 'change'}${of}`]?.(statement);
  if (parts === undefined) return undefined;
  const pieces = parts.map((part) =>
    typeof part === 'string'
      ? { text: part, at: macro.index, isCopied: false }
      : { text: text.slice(part.start, part.end), at: part.start, isCopied: true },
  );
  return composed([
    { text: text.slice(0, macro.index), at: 0, isCopied: true },
    ...pieces,
    { text: '', at: found.end, isCopied: false },
  ]);
}

const WRITERS: Readonly<Record<string, (statement: Statement) => readonly StatementPart[] | undefined>> = {
  columns: (statement) => ofColumns(statement),
  change: ofValues,
  changeColumns: (statement) =>
    statement.change === 'rate' ? rateColumns(statement) : changeColumns(statement),
  changeColumnsAggregated: aggregated,
};

/** As the plugin does, the first WHERE gets the condition, wherever it is. */
function fromOf(
  code: string,
  start: number,
):
  | { readonly from: readonly StatementPart[]; readonly isGrouped: boolean; readonly end: number }
  | undefined {
  const end = code.trimEnd().replace(/;$/, '').trimEnd().length;
  const tail = code.slice(start, end);
  if (!/^\s*from\b/i.test(tail)) return undefined;
  const clause = /\b(group\s+by|order\s+by|having|limit|settings|union)\b/gi;
  const clauses = [...tail.matchAll(clause)].filter(({ index }) => depthOf(tail.slice(0, index)) === 0);
  const isGrouped = /^group/i.test(clauses[0]?.[0] ?? '');
  if (clauses.length > 0 && !isGrouped) return undefined;
  const where = /\bwhere\b/i.exec(tail);
  const until = start + (clauses[0]?.index ?? tail.length);
  const after = start + (where?.index ?? 0) + 'where'.length;
  const from =
    where === null || after > until
      ? [{ start, end: until }, ' WHERE $timeFilter ', { start: until, end }]
      : [{ start, end: after }, ' $timeFilter AND', { start: after, end }];
  return { from: [' ', ...from], isGrouped, end };
}

/** HAVING is part of the last argument. */
function withoutHaving(
  args: readonly Argument[],
  code: string,
): { readonly args: readonly Argument[]; readonly having: StatementPart } {
  const last = args.at(-1);
  const at = last === undefined ? undefined : /\s+having\b/i.exec(code.slice(last.start, last.end))?.index;
  if (last === undefined || at === undefined) return { args, having: '' };
  const kept = { start: last.start, end: last.start + at, text: last.text.slice(0, at) };
  return { args: [...args.slice(0, -1), kept], having: { start: kept.end, end: last.end } };
}

const ALIAS = /(?<=[\w)\]'"`])\s+(as\s+)?("[^"]+"|`[^`]+`|(?!(?:end|null)$)[a-z_]\w*)$/i;

function namedArgument({ start, end, text }: Argument): NamedArgument {
  const [, as, alias] = ALIAS.exec(text) ?? [];
  const length =
    alias === undefined ? text.length : text.slice(0, -alias.length - (as?.length ?? 0)).trimEnd().length;
  return {
    expression: { start, end: start + length, text: text.slice(0, length) },
    written: { start, end },
    alias,
    name: alias ?? (/^("[^"]+"|`[^`]+`|[A-Za-z_][\w.]*)$/.test(text) ? text : undefined),
  };
}

function ofColumns(
  { args: [key, value, ...rest], from, having }: Statement,
  isGrouped = false,
): readonly StatementPart[] | undefined {
  if (key?.name === undefined || value?.name === undefined || rest.length > 0) return undefined;
  const group = [`\nGROUP BY t, ${key.name}`, having, `\nORDER BY t, ${key.name}`];
  return [
    `SELECT t, groupArray((${key.name}, ${value.name})) AS groupArr\nFROM (\nSELECT $timeSeries AS t, `,
    key.written,
    ', ',
    value.written,
    ...from,
    ...(isGrouped ? [] : group),
    '\n)\nGROUP BY t\nORDER BY t',
  ];
}

function rateColumns(statement: Statement): readonly StatementPart[] | undefined {
  const columns = ofColumns(statement);
  if (columns === undefined) return undefined;
  return [
    'SELECT t, arrayMap(a -> (a.1, a.2 / seconds), groupArr) AS groupArr\nFROM (\n',
    `SELECT t, groupArr, ${statement.difference('t')} / 1000 AS seconds\nFROM (\n`,
    ...columns,
    '\n)\nWINDOW w AS (ORDER BY t)\n)\nORDER BY t',
  ];
}

const SUFFIX = {
  columns: '',
  rate: 'Rate',
  perSecond: 'PerSecond',
  delta: 'Delta',
  increase: 'Increase',
} as const;

/** Returns what the query selects for a value; `isOther`: the row before is of another series. */
function changeOf({ change, difference }: Statement, value: string, isOther?: string): string {
  const own = difference(value);
  const or = isOther === undefined ? '' : ` OR ${isOther}`;
  switch (change) {
    case 'columns':
      return value;
    case 'rate':
      return `${value} / (${difference('t')} / 1000)`;
    case 'perSecond':
      return `if(${own} < 0${or}, nan, ${own} / (${difference('t')} / 1000))`;
    case 'delta':
      return isOther === undefined ? own : `if(${isOther}, 0, ${own})`;
    case 'increase':
      return `if(${own} < 0${or}, 0, ${own})`;
  }
}

/** $rate of aggregates with names; the others of the greatest value of each interval. */
function ofValues(statement: Statement): readonly StatementPart[] | undefined {
  const { change, args, from, having } = statement;
  const isRate = change === 'rate';
  if (args.length === 0 || args.some(({ alias }) => (alias === undefined) === isRate)) return undefined;
  const names = args.map(({ alias = '' }, index) => (isRate ? alias : `max_${index}`));
  const changes = names.map((name) => {
    const suffix = `${isRate ? '' : '_'}${SUFFIX[change]}`;
    return `${changeOf(statement, name)} AS ${name}${suffix}`;
  });
  const values = args.flatMap(({ written }, index): readonly StatementPart[] =>
    isRate ? [', ', written] : [', max(', written, `) AS max_${index}`],
  );
  return [
    `SELECT t, ${changes.join(', ')}\nFROM (\nSELECT $timeSeries AS t`,
    ...values,
    ...from,
    '\nGROUP BY t',
    having,
    '\n)\nWINDOW w AS (ORDER BY t)\nORDER BY t',
  ];
}

/** The change of the greatest value of each interval and series. */
function changeColumns(statement: Statement): readonly StatementPart[] | undefined {
  const { change, args, from, having } = statement;
  const [key, value, ...rest] = args;
  if (key === undefined || value === undefined || value.alias !== undefined || rest.length > 0)
    return undefined;
  const label = key.alias ?? `${change}Columns`;
  const name = `max_0_${SUFFIX[change]}`;
  const isOther = `lagInFrame(${label}, 1, ${label}) OVER w != ${label}`;
  return [
    `SELECT t, groupArray((${label}, ${name})) AS groupArr\nFROM (\n`,
    `SELECT t, ${label}, ${changeOf(statement, 'max_0', isOther)} AS ${name}\nFROM (\nSELECT $timeSeries AS t, `,
    key.expression,
    ` AS ${label}, max(`,
    value.written,
    ') AS max_0',
    ...from,
    `\nGROUP BY t, ${label}`,
    having,
    `\n)\nWINDOW w AS (ORDER BY ${label}, t)\nORDER BY ${label}, t\n)\nGROUP BY t\nORDER BY t`,
  ];
}

/** `(key, series, aggregate, value, aggregate, value, …)`: changes of each series, aggregated by key. */
function aggregated(statement: Statement): readonly StatementPart[] | undefined {
  const { change, from, having } = statement;
  const [key, series, ...pairs] = statement.args;
  if (key?.name === undefined || series?.name === undefined || pairs.length === 0 || pairs.length % 2 !== 0)
    return undefined;
  const [group, label] = [key.name, series.name];
  const values = pairs.flatMap((value, index) => {
    const aggregate = pairs[index - 1]?.expression.text ?? '';
    return index % 2 === 1 ? [{ ...value, aggregate }] : [];
  });
  if (values.some(({ name, aggregate }) => name === undefined || !/^\w+$/.test(aggregate))) return undefined;
  const isOther = `lagInFrame(${label}, 1, ${label}) OVER w != ${label}`;
  const suffix = SUFFIX[change];
  const order = change === 'rate' ? `t, ${group}, ${label}` : `${group}, ${label}, t`;
  const outer = values.map(
    ({ name = '', aggregate }) => `${aggregate}(${name}${suffix}) AS ${name}${suffix}Agg`,
  );
  const inner = values.map(({ name = '' }) => {
    const own = `if(${statement.difference(name)} < 0 OR ${isOther}, nan, ${statement.difference(name)} / 1)`;
    const written = change === 'increase' ? own : changeOf(statement, name, isOther);
    return `${written} AS ${name}${suffix}`;
  });
  return [
    `SELECT t, ${group}, ${outer.join(', ')}\nFROM (\n`,
    `SELECT t, ${group}, ${label}, ${inner.join(', ')}\nFROM (\nSELECT $timeSeries AS t, `,
    key.written,
    ', ',
    series.written,
    ...values.flatMap(({ expression, name = '' }): readonly StatementPart[] =>
      /^max\(/i.test(expression.text)
        ? [', ', expression, ` AS ${name}`]
        : [', max(', expression, `) AS ${name}`],
    ),
    ...from,
    `\nGROUP BY t, ${group}, ${label}`,
    having,
    `\n)\nWINDOW w AS (ORDER BY ${order})\n)\nGROUP BY t, ${group}\nORDER BY ${group}, t`,
  ];
}
