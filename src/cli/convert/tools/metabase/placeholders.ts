// Metabase's variables, field filters and optional parts: {{x}}, [[AND a = {{x}}]], {{snippet: name}}, {{#123}}.
// Source: https://www.metabase.com/docs/latest/questions/native-editor/sql-parameters
import { valueOf, type Item, type Part, type Syntax, type Value } from '../../placeholders/nodes.ts';
import type { TemplateReading } from '../../placeholders/template-reader.ts';
import type { Declaration, TemplateDialect } from '../../placeholders/template.ts';

const MAX_MARK = 400;

export function metabaseSyntax(text: string, { dialect, declarations }: TemplateReading): Syntax {
  const byName = new Map(declarations.map((each) => [each.name, each]));
  return {
    markEnd: (source, at, inside) => {
      if (inside === 'comment') return undefined;
      if (source.startsWith('{{', at)) {
        const close = source.slice(at, at + MAX_MARK).indexOf('}}');
        return close < 0 ? undefined : at + close + 2;
      }
      if (inside !== 'code') return undefined;
      return source.startsWith('[[', at) || source.startsWith(']]', at) ? at + 2 : undefined;
    },
    interpret: ({ start, end }) => {
      const mark = text.slice(start, end);
      if (mark === '[[') return { kind: 'open_optional' };
      if (mark === ']]') return { kind: 'close' };
      return tag(mark.slice(2, -2).trim(), byName, dialect);
    },
  };
}

function tag(name: string, byName: ReadonlyMap<string, Declaration>, dialect: TemplateDialect): Item {
  const declaration = byName.get(name) ?? byName.get(name.replace(/^(#\d+).*/s, '$1'));
  if (declaration?.reason !== undefined) return { kind: 'lost', message: declaration.reason };
  if (declaration?.text !== undefined) return { kind: 'inserted', text: declaration.text };
  if (name.startsWith('#'))
    return {
      kind: 'lost',
      message: `The question ${name} is not in the export`,
      hint: 'Export it too, or write its query',
    };
  if (/^snippet\s*:/.test(name))
    return {
      kind: 'lost',
      message: `The ${name} is not in the export`,
      hint: 'Export it too, or write its text',
    };
  if (declaration === undefined && /[()'"|]/.test(name))
    return { kind: 'lost', message: `{{${name}}} is not supported`, hint: 'Write what it produces' };
  const value = valueOf(declaration ?? { name });
  const filter = declaration?.filter;
  if (filter === undefined) return { kind: 'value', value };
  if (filter.column === undefined)
    return {
      kind: 'lost',
      message: `The export does not name the column of the field filter {{${name}}}`,
      hint: 'Write the condition',
    };
  return fieldFilter({ column: quotedPath(filter.column.slice(-2), dialect), kind: filter.kind, value });
}

function quotedPath(path: readonly string[], dialect: TemplateDialect): string {
  const quote = ['mysql', 'mariadb', 'bigquery', 'clickhouse'].includes(dialect) ? '`' : '"';
  return path
    .map((name) =>
      /^[a-z_][a-z0-9_]*$/.test(name) ? name : `${quote}${name.replaceAll(quote, quote + quote)}${quote}`,
    )
    .join('.');
}

interface FieldFilter {
  readonly column: string;
  /** Metabase's widget-type. */
  readonly kind: string;
  readonly value: Value;
}

/** A condition that holds if the parameter is absent. */
function fieldFilter({ column, kind, value }: FieldFilter): Item {
  if (kind === 'temporal-unit') return truncated(column, value);
  const [family = '', operator = ''] = kind.split('/');
  const { default: fallback, ...rest } = value;
  if (kind === 'date/single') return single({ ...value, type: 'Date' }, column);
  if (family === 'date') return dateRange(column, rest, fallback);
  const type = family === 'number' ? 'Float64' : family === 'boolean' ? 'Bool' : 'String';
  const typed: Value = { ...value, type };
  const comparison = operator === '>=' || operator === '<=' ? operator : undefined;
  if (operator === 'between')
    return bounds({ column, from: sub(rest, 'from', type), to: sub(rest, 'to', type) });
  if (comparison !== undefined) return filtered(typed, (use) => [column, ` ${comparison} `, use]);
  const text = TEXT[operator];
  if (text !== undefined) return filtered(typed, (use) => text(column, use));
  const isNot = operator === '!=';
  return filtered({ ...typed, isList: true }, (use) => [column, isNot ? ' NOT IN (' : ' IN (', use, ')']);
}

const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

/** The column by day, month or another unit. */
function truncated(column: string, value: Value): Item {
  const fallback = UNITS.find((unit) => unit === value.default) ?? 'month';
  const unit: Value = { ...value, type: 'String', enum: UNITS, default: fallback, required: false };
  return {
    kind: 'sql',
    parts: [{ kind: 'function', name: 'dateTrunc' }, '(', { kind: 'value', value: unit }, ', ', column, ')'],
  };
}

type VariableUse = Extract<Part, { kind: 'value' }>;

type WriteText = (column: string, use: VariableUse) => readonly Part[];

/** The position of the text in the column, compared with 0. */
const searching =
  (comparison: string): WriteText =>
  (column, use) => [
    { kind: 'function', name: 'positionCaseInsensitive' },
    '(',
    column,
    ', ',
    use,
    `) ${comparison} 0`,
  ];

/** `name(lower(column), lower(use))`. */
const inLowerCase =
  (name: string): WriteText =>
  (column, use) => [{ kind: 'function', name }, '(', ...LOWER, column, '), ', ...LOWER, use, '))'];

const LOWER: readonly Part[] = [{ kind: 'function', name: 'lower' }, '('];

/** Not case-sensitive, as in Metabase. */
const TEXT: Readonly<Record<string, WriteText>> = {
  contains: searching('>'),
  'does-not-contain': searching('='),
  'starts-with': inLowerCase('startsWith'),
  'ends-with': inLowerCase('endsWith'),
};

function filtered(value: Value, condition: (use: VariableUse) => readonly Part[]): Item {
  const optional: Value =
    value.required === true || value.default !== undefined ? value : { ...value, required: false };
  const use: VariableUse = { kind: 'value', value: optional };
  if (optional.required === true || optional.default !== undefined)
    return { kind: 'sql', parts: ['(', ...condition(use), ')'] };
  const absent: readonly Part[] =
    value.isList === true ? [{ kind: 'function', name: 'empty' }, '(', use, ')'] : [use, ' IS NULL'];
  return { kind: 'sql', isOptional: true, parts: ['(', ...absent, ' OR ', ...condition(use), ')'] };
}

/** A day, of dates and of times. */
function single(value: Value, column: string): Item {
  return filtered(value, (use) => [
    column,
    ' >= ',
    use,
    ' AND ',
    column,
    ' < ',
    { kind: 'function', name: 'addDays' },
    '(',
    use,
    ', 1)',
  ]);
}

function sub(value: Value, end: 'from' | 'to', type: string): Value {
  const { example: _, enum: __, ...rest } = value;
  const description = `${value.description ?? value.name}: ${end}`;
  return { ...rest, name: `${value.name}_${end}`, type, description, required: value.required === true };
}

/** The first and the last day of a default: two days, one, a month, or a quarter such as `Q1-2024`. */
function daysOf(fallback: string): readonly [from?: string | undefined, to?: string | undefined] {
  const range = /^(\d{4}-\d\d-\d\d)?~(\d{4}-\d\d-\d\d)?$/.exec(fallback);
  if (range !== null) return [range[1], range[2]];
  if (/^\d{4}-\d\d-\d\d$/.test(fallback)) return [fallback, fallback];
  const [, quarter, ofQuarter] = /^Q([1-4])-(\d{4})$/.exec(fallback) ?? [];
  const [, ofMonth, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(fallback) ?? [];
  const year = Number(ofQuarter ?? ofMonth);
  if (Number.isNaN(year)) return [];
  const first = quarter === undefined ? Number(month) : Number(quarter) * 3 - 2;
  const day = (monthAfter: number, ofIt: number): string =>
    new Date(Date.UTC(year, first - 1 + monthAfter, ofIt)).toISOString().slice(0, 10);
  return [day(0, 1), day(quarter === undefined ? 1 : 3, 0)];
}

function dateRange(column: string, value: Value, fallback: Value['default']): Item {
  const [from, to] = daysOf(String(fallback ?? ''));
  const ends = {
    from: { ...sub(value, 'from', 'Date'), ...(from === undefined ? {} : { default: from }) },
    to: { ...sub(value, 'to', 'Date'), ...(to === undefined ? {} : { default: to }) },
  };
  const item = bounds({ column, ...ends, isDate: true });
  if (fallback === undefined || from !== undefined || to !== undefined || item.kind !== 'sql') return item;
  const message = `The default ${JSON.stringify(fallback)} is relative to the current day, and is left out`;
  return {
    ...item,
    note: { severity: 'differs', message, hint: 'Write the range in the query, or send it in each call' },
  };
}

function bounds({
  column,
  from,
  to,
  isDate = false,
}: {
  readonly column: string;
  readonly from: Value;
  readonly to: Value;
  readonly isDate?: boolean;
}): Item {
  const low: VariableUse = { kind: 'value', value: from };
  const high: VariableUse = { kind: 'value', value: to };
  const last: readonly Part[] = isDate
    ? [' < ', { kind: 'function', name: 'addDays' }, '(', high, ', 1)']
    : [' <= ', high];
  const side = (use: VariableUse, condition: readonly Part[]): readonly Part[] =>
    use.value.required === true || use.value.default !== undefined
      ? condition
      : ['(', use, ' IS NULL OR ', ...condition, ')'];
  const parts = ['(', ...side(low, [column, ' >= ', low]), ' AND ', ...side(high, [column, ...last]), ')'];
  return { kind: 'sql', isOptional: true, parts };
}
