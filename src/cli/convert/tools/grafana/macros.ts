// The macros of Grafana's SQL data sources: PostgreSQL, MySQL, ClickHouse, and those with the common macros of their SDK.
import { valueOf, type Condition, type Item, type Part, type Value } from '../../placeholders/nodes.ts';
import type { Declaration, TemplateDialect } from '../../placeholders/template.ts';

/** `$__name(args)`; `name` has no `$`. */
export interface MacroCall {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly dialect: TemplateDialect;
  /** After SETTINGS. */
  readonly isSetting?: boolean;
}

export function timeValue(isFrom: boolean): Value {
  return {
    name: isFrom ? 'time_from' : 'time_to',
    type: 'DateTime64(3)',
    required: true,
    description: `${isFrom ? 'Start' : 'End'} of the time range.`,
  };
}

const FROM: Part = { kind: 'value', value: timeValue(true) };
const TO: Part = { kind: 'value', value: timeValue(false) };
const SECONDS: Value = {
  name: 'interval_seconds',
  type: 'UInt32',
  default: 60,
  description: 'Length of an interval, in seconds.',
};

const MILLISECONDS: Part = {
  kind: 'value',
  value: {
    ...SECONDS,
    name: 'interval_ms',
    default: 60_000,
    description: 'Length of an interval, in milliseconds.',
  },
};

function call(name: string, ...args: readonly (Part | readonly Part[])[]): readonly Part[] {
  const parts = args.flatMap((arg, index) => [
    ...(index === 0 ? [] : [', ']),
    ...(Array.isArray(arg) ? arg : [arg]),
  ]);
  return [{ kind: 'function', name }, '(', ...parts, ')'];
}

interface Arguments {
  /** The source text of an argument. */
  readonly source: (index: number) => Part;
  readonly macro: MacroCall;
  readonly variables: ReadonlyMap<string, Declaration>;
}

type Macro = (given: Arguments) => readonly Part[] | undefined;

const between: Macro = ({ source }) => [source(0), ' BETWEEN ', FROM, ' AND ', TO];
const range = (from: readonly Part[], to: readonly Part[]): Macro => {
  return ({ source }) => ['(', source(0), ' >= ', ...from, ' AND ', source(0), ' <= ', ...to, ')'];
};
const timeOr =
  (sign: string, time: Part): Macro =>
  ({ source, macro }) =>
    macro.args.length === 0 ? [time] : [source(0), ` ${sign} `, time];
const group: Macro = ({ source, macro, variables }) => {
  const interval = intervalOf(macro.args[1], variables);
  return interval === undefined ? undefined : call('toStartOfInterval', asTime(source(0), macro), interval);
};
/** ClickHouse's data source converts columns of any type. */
const asTime = (column: Part, { dialect }: MacroCall): readonly Part[] =>
  dialect === 'clickhouse' ? call('toDateTime', column) : [column];
const ofInterval: Macro = ({ source, macro }) =>
  call(
    'toStartOfInterval',
    asTime(source(0), macro),
    call('toIntervalSecond', { kind: 'value', value: SECONDS }),
  );
const ofMilliseconds: Macro = ({ source }) =>
  call(
    'toStartOfInterval',
    call('toDateTime64', source(0), '3'),
    call('toIntervalMillisecond', MILLISECONDS),
  );
const epochGroup: Macro = ({ source, macro, variables }) => {
  const seconds = secondsOf(macro.args[1], variables);
  return seconds === undefined ? undefined : [...call('intDiv', source(0), seconds), ' * ', seconds];
};
const withAlias =
  (macro: Macro): Macro =>
  (given) => {
    const parts = macro(given);
    const quote = ['mysql', 'mariadb', 'bigquery', 'clickhouse'].includes(given.macro.dialect) ? '`' : '"';
    return parts && [...parts, ` AS ${quote}time${quote}`];
  };
const dates = range(call('toDate', FROM), call('toDate', TO));

const MACROS: Readonly<Record<string, Macro>> = {
  time: withAlias(({ source }) => [source(0)]),
  timeEpoch: withAlias(({ source }) => call('toUnixTimestamp', source(0))),
  timeFilter: between,
  timeFilter_ms: between,
  timeFrom: timeOr('>=', FROM),
  timeTo: timeOr('<=', TO),
  rawTimeFrom: () => [FROM],
  rawTimeTo: () => [TO],
  fromTime: () => [FROM],
  toTime: () => [TO],
  fromTime_ms: () => [FROM],
  toTime_ms: () => [TO],
  timeGroup: group,
  timeGroupAlias: withAlias(group),
  timeInterval: ofInterval,
  timeInterval_ms: ofMilliseconds,
  dateFilter: dates,
  dateTimeFilter: dateAndTime,
  dt: dateAndTime,
  unixEpochFilter: range(call('toUnixTimestamp', FROM), call('toUnixTimestamp', TO)),
  unixEpochNanoFilter: range(
    call('toUnixTimestamp64Nano', call('toDateTime64', FROM, '9')),
    call('toUnixTimestamp64Nano', call('toDateTime64', TO, '9')),
  ),
  unixEpochFrom: () => call('toUnixTimestamp', FROM),
  unixEpochTo: () => call('toUnixTimestamp', TO),
  unixEpochGroup: epochGroup,
  unixEpochGroupAlias: withAlias(epochGroup),
  interval_s: () => [{ kind: 'value', value: SECONDS }],
  interval_ms: () => [MILLISECONDS],
  conditionalAll: conditionalAll,
};

function dateAndTime({ source }: Arguments): readonly Part[] {
  return [
    '(',
    source(0),
    ' >= ',
    ...call('toDate', FROM),
    ' AND ',
    source(0),
    ' <= ',
    ...call('toDate', TO),
    ' AND ',
    source(1),
    ' >= ',
    FROM,
    ' AND ',
    source(1),
    ' <= ',
    TO,
    ')',
  ];
}

/** `$__conditionalAll(condition, $variable)`: no condition if the variable is All. */
function conditionalAll({ source, macro, variables }: Arguments): readonly Part[] | undefined {
  const name = /\w+/.exec(macro.args[1]?.text ?? '')?.[0];
  if (name === undefined) return undefined;
  const declared = variables.get(name) ?? { name, isList: true };
  if (declared.text !== undefined || declared.reason !== undefined) return undefined;
  const value = valueOf(declared);
  const optional: Value = { ...value, required: false };
  const use: Part = { kind: 'value', value: optional };
  const absent = value.isList === true ? call('empty', use) : [use, ' IS NULL'];
  return ['(', ...absent, ' OR ', source(0), ')'];
}

const NEEDS_ARGUMENT =
  /^(time|timeEpoch|timeFilter|timeFilter_ms|timeGroup|timeGroupAlias|timeInterval|timeInterval_ms|dateFilter|dateTimeFilter|dt|unixEpoch(Nano)?Filter|unixEpochGroup(Alias)?)$/;

/** What a macro means; undefined if it is none of the table. */
export function grafanaMacro(
  macro: MacroCall,
  variables: ReadonlyMap<string, Declaration>,
): Item | undefined {
  const name = macro.name.replace(/^__/, '');
  if (name === macro.name) return undefined;
  if (name === 'adHocFilters')
    return {
      kind: 'sql',
      parts: [macro.isSetting === true ? 'additional_table_filters = {}' : '1 = 1'],
      note: {
        severity: 'differs',
        message: 'Ad hoc filters are left out',
        hint: 'Declare a parameter for each filter',
      },
    };
  if (!Object.hasOwn(MACROS, name) || (NEEDS_ARGUMENT.test(name) && macro.args.length === 0))
    return undefined;
  const source = (index: number): Part => {
    const arg = macro.args[index] ?? macro.args[0];
    return arg === undefined ? 'NULL' : { kind: 'source', start: arg.start, end: arg.end };
  };
  const parts = MACROS[name]?.({ source, macro, variables });
  if (parts === undefined) return undefined;
  const fill = /Group/.test(name) ? macro.args[2]?.text : undefined;
  if (fill === undefined) return { kind: 'sql', parts };
  const note = {
    severity: 'differs',
    message: `The rows that ${fill} fills in are missing: Grafana adds them to the result`,
    hint: 'Write ORDER BY … WITH FILL',
  } as const;
  return { kind: 'sql', parts, note };
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** An interval as a call that makes one. */
function intervalOf(
  arg: Argument | undefined,
  variables: ReadonlyMap<string, Declaration>,
): readonly Part[] | undefined {
  const [, count, unit = ''] = /^'?(\d+)\s*(M|y)'?$/.exec(arg?.text ?? '') ?? [];
  if (count !== undefined) return call(unit === 'M' ? 'toIntervalMonth' : 'toIntervalYear', count);
  const seconds = secondsOf(arg, variables);
  return seconds === undefined ? undefined : call('toIntervalSecond', seconds);
}

function secondsOf(arg: Argument | undefined, variables: ReadonlyMap<string, Declaration>): Part | undefined {
  if (arg === undefined) return undefined;
  const text = arg.text.replace(/^'(.*)'$/s, '$1').trim();
  const known = durationOf(text);
  if (known !== undefined) return String(known);
  if (text === '$__interval' || text === '${__interval}') return { kind: 'value', value: SECONDS };
  const name = /^(?:\$\{?|\[\[)(\w+)/.exec(text)?.[1];
  const declared = name === undefined ? undefined : variables.get(name);
  if (name === undefined || name.startsWith('__')) return undefined;
  const current = durationOf(String(declared?.default ?? ''));
  const value: Value = {
    ...SECONDS,
    name: `${name}_seconds`,
    ...(current === undefined ? {} : { default: current }),
  };
  return { kind: 'value', value };
}

/** Seconds; undefined for months, years and anything else. */
function durationOf(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})\s*([smhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (UNITS[unit] ?? 1);
}

export interface Argument {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const MAX_ARGUMENTS = 4_000;

/** The index after the parenthesis that closes the one at `open`. */
export function closing(text: string, open: number): number | undefined {
  let depth = 0;
  let quote: string | undefined;
  for (let at = open; at < Math.min(text.length, open + MAX_ARGUMENTS); at++) {
    const char = text[at];
    if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === "'" || char === '"' || char === '`') quote = char;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return at + 1;
  }
  return undefined;
}

/** The arguments between the parentheses of a call. */
export function argumentsOf(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): readonly Argument[] {
  const args: { start: number; end: number; text: string }[] = [];
  let depth = 0;
  let quote: string | undefined;
  let from = start + 1;
  const add = (to: number): void => {
    const source = text.slice(from, to);
    const trimmed = source.trim();
    const at = from + source.indexOf(trimmed);
    if (trimmed !== '') args.push({ start: at, end: at + trimmed.length, text: trimmed });
    from = to + 1;
  };
  for (let at = start; at < end; at++) {
    const char = text[at];
    if (quote !== undefined) quote = char === quote ? undefined : quote;
    else if (char === "'" || char === '"' || char === '`') quote = char;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) add(at);
    else if (char === ',' && depth === 1) add(at);
  }
  return args;
}

/** A tag in place of a part of the call. */
interface ConditionalMark {
  readonly end: number;
  readonly item: Item;
}

const CALL = /\$conditionalTest\s*(?=\()/g;

/** The tags of all calls in a text, by the offset at which they begin. */
export function conditionalMarks(
  text: string,
  byName: ReadonlyMap<string, Declaration>,
): ReadonlyMap<number, ConditionalMark> {
  const marks = new Map<number, ConditionalMark>();
  for (const { 0: call, index } of text.matchAll(CALL)) {
    const end = closing(text, index + call.length);
    if (end === undefined) continue;
    const args = argumentsOf(text, { start: index + call.length, end });
    const [first, variable] = [args[0], args.at(-1)];
    const when = variable && conditionOf(variable, byName);
    if (first === undefined || variable === undefined || args.length < 2 || when === undefined) continue;
    const other = args.length === 3 ? args[1] : undefined;
    const last = other ?? args.at(-2) ?? first;
    marks.set(index, { end: first.start, item: { kind: 'open', when } });
    if (other !== undefined) marks.set(first.end, { end: other.start, item: { kind: 'else' } });
    marks.set(last.end, { end, item: { kind: 'close' } });
  }
  return marks;
}

/** Returns whether the variable has a value; undefined if it is none that calls can send. */
function conditionOf({ text }: Argument, byName: ReadonlyMap<string, Declaration>): Condition | undefined {
  const name = /^\$(?:\{(\w+)(?::\w+)?\}|(\w+))$/.exec(text);
  const declaration = byName.get(name?.[1] ?? name?.[2] ?? '');
  if (declaration === undefined || declaration.reason !== undefined || declaration.text !== undefined)
    return undefined;
  const canBeAbsent = declaration.isAllAllowed === true || declaration.required === false;
  return canBeAbsent ? { kind: 'given', value: valueOf(declaration) } : { kind: 'constant', value: true };
}
