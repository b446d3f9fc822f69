// Tinybird's templates: {{String(name, 'default', description='…')}}, {% if defined(name) %} … {% end %}.
// Source: https://www.tinybird.co/docs/cli/advanced-templates and /docs/cli/template-functions
import { CHOICES } from '../../placeholders/closed-choice.ts';
import { calledName, constantOf, type TemplateExpression } from '../../placeholders/expression.ts';
import { jinjaSyntax } from '../../placeholders/jinja.ts';
import { asTextIn } from '../../placeholders/jinja-values.ts';
import type { Condition, Item, Part, Syntax, Value } from '../../placeholders/nodes.ts';
import { fitting } from '../../placeholders/parameters.ts';
import type { TemplateReading } from '../../placeholders/template-reader.ts';
import type { Mark } from '../../placeholders/source-lexer.ts';
import type { Declaration } from '../../placeholders/template.ts';
import { columnsAround } from './data-source.ts';
import { loopReason } from './loops.ts';

type Call = Extract<TemplateExpression, { kind: 'call' }>;

const TYPE =
  /^(String|Boolean|U?Int(8|16|32|64|128|256)|Float(32|64)|Decimal(32|64|128|256)?|Date|Date32|DateTime|DateTime64|UUID|Symbol|JSON|Array)$/;
const TYPES: ReadonlyMap<string, string> = new Map([
  ['Boolean', 'Bool'],
  ['DateTime64', 'DateTime64(3)'],
  ['Decimal', 'Float64'],
  ['Decimal32', 'Decimal32(4)'],
  ['Decimal64', 'Decimal64(8)'],
  ['Decimal128', 'Decimal128(12)'],
  ['Decimal256', 'Decimal256(12)'],
  ['JSON', 'String'],
]);
const NAMES: ReadonlySet<string> = new Set(['column', 'columns', 'symbol', 'table', 'Symbol']);
/** Functions that set how the query is run, and produce no SQL. */
const SETTINGS: ReadonlySet<string> = new Set(['max_threads', 'backend_hint', 'cache_ttl', 'activate']);

export function tinybirdSyntax(text: string, { declarations }: TemplateReading): Syntax {
  const typed = typedNames(text);
  const value = (expression: TemplateExpression): Value | undefined => {
    if (expression.kind === 'call') return declared(expression);
    if (expression.kind !== 'name') return undefined;
    return typed.get(expression.name) ?? { name: expression.name };
  };
  const syntax = jinjaSyntax(text, {
    output: (expression) => output(expression, typed, declarations),
    value,
    condition: (expression) => isGiven(expression, value) ?? comparedTimes(expression, value),
  });
  const first = /^\s*%/.exec(text)?.[0]; // marks a template
  return {
    markEnd: (source, at, inside) =>
      at === 0 && first !== undefined ? first.length : syntax.markEnd(source, at, inside),
    interpret: (mark, inside) => {
      if (mark.start === 0 && first !== undefined) return { kind: 'dropped' };
      const item = withReason(
        withColumns(syntax.interpret(mark, inside), () => columnsAround(text, mark.start, declarations)),
        () => loopReason(text, mark.start),
      );
      return withPattern(asTextIn(text, mark, item), () => isNamedPattern(text, mark));
    },
  };
}

/** A loop that is no condition says why. */
function withReason(item: Item, reasonOf: () => string | undefined): Item {
  const reason = item.kind === 'loop' ? reasonOf() : undefined;
  return item.kind !== 'loop' || reason === undefined
    ? item
    : { ...item, message: `${item.message}. ${reason}` };
}

function withColumns(item: Item, columns: () => readonly string[] | undefined): Item {
  if (item.kind !== 'name' || item.value.enum !== undefined) return item;
  const known = columns();
  return known === undefined ? item : { ...item, known };
}

function withPattern(item: Item, isPattern: () => boolean): Item {
  return item.kind === 'value' && item.value.hasLiteralPercent === true && isPattern()
    ? { kind: 'value', value: { ...item.value, hasLiteralPercent: 'named' } }
    : item;
}

type ValueOf = (expression: TemplateExpression) => Value | undefined;

/** `defined(x)`: whether it is sent, whatever its default. */
function isGiven(expression: TemplateExpression, value: ValueOf): Condition | undefined {
  if (expression.kind !== 'call' || calledName(expression) !== 'defined') return undefined;
  const [asked] = expression.args;
  // A variable that the template sets has a value.
  if (asked?.kind === 'literal' || asked?.kind === 'filter') return { kind: 'constant', value: true };
  const found = asked && value(asked);
  if (found === undefined) return undefined;
  const { default: _, ...sent } = found;
  return { kind: 'given', value: sent };
}

/** Of the functions that compare two times, the seconds of a unit. */
const DIFFERENCES: ReadonlyMap<string, number> = new Map([
  ['date_diff_in_seconds', 1],
  ['date_diff_in_minutes', 60],
  ['date_diff_in_hours', 3600],
  ['date_diff_in_days', 86_400],
  ['day_diff', 86_400],
]);
/** Each is one of three operators and its negation, so that conditions that exclude each other are recognized. */
const COMPARISONS: ReadonlyMap<string, readonly [operator: string, isNot: boolean]> = new Map([
  ['==', ['=', false]],
  ['!=', ['=', true]],
  ['>', ['>', false]],
  ['<=', ['>', true]],
  ['>=', ['>=', false]],
  ['<', ['>=', true]],
]);

function secondsOf(value: Value): readonly Part[] {
  return [
    'toUnixTimestamp(parseDateTimeBestEffort(toString(',
    { kind: 'value', value, isAsked: true },
    ')))',
  ];
}

/** `date_diff_in_hours(a, b) < 24`: whole units between the two, in either order. */
function comparedTimes(expression: TemplateExpression, value: ValueOf): Condition | undefined {
  if (expression.kind !== 'binary' || expression.left.kind !== 'call' || expression.right.kind !== 'literal')
    return undefined;
  const { left, right } = expression;
  const seconds = DIFFERENCES.get(calledName(left) ?? '');
  const [operator, isNot] = COMPARISONS.get(expression.operator) ?? [];
  const [from, to] = left.args.map(value);
  if (seconds === undefined || operator === undefined || typeof right.value !== 'number') return undefined;
  if (from === undefined || to === undefined || left.args.length > 2 || left.named.has('none_if_error'))
    return undefined;
  const parts = [
    'intDiv(abs(',
    ...secondsOf(from),
    ' - ',
    ...secondsOf(to),
    `), ${seconds}) ${operator} ${right.value}`,
  ];
  const computed: Condition = { kind: 'computed', parts, values: [from, to] };
  if (isNot !== true) return computed;
  const given = [from, to].map((each): Condition => ({ kind: 'given', value: each }));
  return { kind: 'all', of: [...given, { kind: 'not', of: computed }] };
}

function output(
  expression: TemplateExpression,
  typed: ReadonlyMap<string, Value>,
  declarations: readonly Declaration[],
): Item | undefined {
  const name = calledName(expression);
  if (expression.kind === 'name') {
    const text = declarations.find((each) => each.name === expression.name)?.text;
    if (text !== undefined) return { kind: 'inserted', text };
    return escapedItem(typed.get(expression.name) ?? { name: expression.name });
  }
  const constant = constantOf(expression);
  if (typeof constant === 'string' || typeof constant === 'number')
    return { kind: 'sql', parts: [{ kind: 'literal', value: constant }] };
  if (expression.kind !== 'call' || name === undefined) return undefined;
  if (NAMES.has(name)) return namedItem(name, expression);
  if (SETTINGS.has(name)) return { kind: 'dropped' };
  if (name === 'error' || name === 'custom_error') return { kind: 'reject', name };
  if (name === 'split_to_array') return splitItem(expression);
  if (name === 'sql_unescape') return unescapedItem(expression);
  const value = declared(expression);
  return value && escapedItem(value);
}

/** `%` of a text is written as `\\%`, which ClickHouse keeps: LIKE looks for the character. */
function escapedItem(value: Value): Item {
  const isText = value.type === undefined || value.type === 'String';
  return { kind: 'value', value: isText ? { ...value, hasLiteralPercent: true } : value };
}

/** Returns whether the expression around a placeholder has a name that is a pattern of LIKE: `{{ q }} AS pattern … LIKE pattern`. */
function isNamedPattern(text: string, { start, end }: Mark): boolean {
  let depth = callsAround(text.slice(Math.max(0, start - MAX_AROUND), start));
  for (const { 0: token, groups = {} } of text.slice(end, end + MAX_AROUND).matchAll(AROUND)) {
    const { alias, word } = groups;
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (depth > 0) continue;
    else if (token === ',' || word !== undefined) return false;
    else if (alias === undefined) continue;
    else return new RegExp(String.raw`\bI?LIKE\s+(?:\w+\((?:'[^']*'|[\s,])*)?${alias}\b`, 'i').test(text);
  }
  return false;
}

/** The calls that are open at the end of a text, up to a bracket that begins none. */
function callsAround(before: string): number {
  let [open, closed] = [0, 0];
  for (let at = before.length - 1; at >= 0; at--) {
    if (before[at] === ')') closed++;
    else if (before[at] === '(' && closed > 0) closed--;
    else if (before[at] === '(' && !/\w$/.test(before.slice(0, at))) break;
    else if (before[at] === '(') open++;
  }
  return open;
}

const MAX_AROUND = 1000;
const AROUND = /[(),]|'(?:[^'\\]|\\.)*'|\bAS\s+(?<alias>[A-Za-z_]\w*)\b|\b(?<word>[A-Za-z_]\w*)\b(?!\s*\()/gi;

/** `sql_unescape(String(x), '%')`: the text as it is sent. */
function unescapedItem({ args, named }: Call): Item | undefined {
  const [of, what] = [args[0], constantOf(named.get('what') ?? args[1])];
  const value = of?.kind === 'call' ? declared(of) : of?.kind === 'name' ? { name: of.name } : undefined;
  return what === '%' && value !== undefined
    ? { kind: 'value', value: { type: 'String', ...value } }
    : undefined;
}

/** `column(x, 'default')`: the name that a value is, or the one that is written. */
function namedItem(name: string, { args, named }: Call): Item {
  const [of, fallback] = [args[0], constantOf(named.get('default') ?? args[1])];
  if (of?.kind === 'literal' && typeof of.value === 'string')
    return { kind: 'inserted', text: /^[A-Za-z_]\w*$/.test(of.value) ? of.value : `\`${of.value}\`` };
  const inner = of?.kind === 'call' ? declared(of) : of?.kind === 'name' ? { name: of.name } : undefined;
  if (inner === undefined || (fallback !== undefined && typeof fallback !== 'string'))
    return {
      kind: 'lost',
      message: `${name}(…) makes names from a value: parameters are values`,
      hint: CHOICES,
    };
  const choices = constantOf(named.get('enum'));
  const value: Value = {
    ...inner,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(typeof choices === 'object' ? { enum: choices } : {}),
    ...described(named),
  };
  return { kind: 'name', value, what: `${name}(…)`, ...(name === 'columns' ? { isList: true } : {}) };
}

function described(named: Call['named']): Pick<Value, 'description'> {
  const description = constantOf(named.get('description'));
  return typeof description === 'string' ? { description } : {};
}

/** Callers send lists with commas: text with another separator is split by the query. */
function splitItem(call: Call): Item {
  const { isList: _, ...text } = splitValue(call);
  const separator = call.named.get('separator') ?? call.args[2];
  const written = separator === undefined ? ',' : constantOf(separator);
  if (written === ',') return { kind: 'value', value: { ...text, isList: true } };
  if (typeof written !== 'string' || written === '')
    return { kind: 'lost', message: 'split_to_array(…) with a separator that is no text is not supported' };
  const separated: Part = { kind: 'literal', value: written };
  const parts: readonly Part[] = [
    'arrayMap(part -> trimBoth(part), splitByString(',
    separated,
    ', ',
    { kind: 'value', value: text },
    '))',
  ];
  return { kind: 'sql', parts };
}

function splitValue({ args, named }: Call): Value {
  const [of, fallback] = args;
  const inner = of?.kind === 'call' ? declared(of) : undefined;
  const name = inner?.name ?? (of?.kind === 'name' ? of.name : 'values');
  const value = constantOf(named.get('default') ?? fallback) ?? inner?.default;
  return { ...inner, name, type: 'String', isList: true, ...(value === undefined ? {} : { default: value }) };
}

/** `Type(name, default, description='…', required=True, enum=[…], example='…')`. */
function declared(call: Call): Value | undefined {
  const type = calledName(call);
  const [first, ...rest] = call.args;
  if (type === undefined || !TYPE.test(type) || first === undefined) return undefined;
  const [name, set] = nameOf(first);
  if (name === undefined) return undefined;
  const isList = type === 'Array';
  const written = isList ? constantOf(rest[0]) : undefined;
  // A list can have its default in place of the type of its elements.
  const element =
    typeof written === 'string' && (TYPE.test(written) || /^\w+\(.*\)$/s.test(written)) ? written : undefined;
  const positional = isList && (element !== undefined || rest[1] !== undefined) ? rest[1] : rest[0];
  const fallback = set ?? constantOf(call.named.get('default') ?? positional);
  const choices = constantOf(call.named.get('enum'));
  const example = constantOf(call.named.get('example'));
  const base = isList ? (element ?? 'String') : type;
  const own = TYPES.get(base) ?? base;
  const value = fitting(fallback, isList ? `Array(${own})` : own) ?? fallback;
  return {
    name,
    type: own,
    ...(isList ? { isList } : {}),
    ...(value === undefined || (value === '' && base !== 'String') ? {} : { default: value }),
    ...(typeof choices === 'object' ? { enum: choices } : {}),
    ...described(call.named),
    ...(example === undefined ? {} : { example }),
    ...(constantOf(call.named.get('required')) === true ? { required: true } : {}),
  };
}

/** The name of a parameter, and the value that the template sets for calls without it. */
function nameOf(
  expression: TemplateExpression,
): readonly [name: string | undefined, fallback: ReturnType<typeof constantOf>] {
  if (expression.kind === 'name') return [expression.name, undefined];
  if (expression.kind !== 'filter' || expression.name !== 'default') return [undefined, undefined];
  return [nameOf(expression.of)[0], constantOf(expression.args[0])];
}

/** Names that are typed somewhere in the text, for places that use the bare name. */
function typedNames(text: string): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>();
  for (const [, type = '', name = ''] of text.matchAll(/\b([A-Z][A-Za-z0-9]*)\(\s*(\w+)\s*[,)]/g)) {
    if (!TYPE.test(type) || found.has(name)) continue;
    found.set(name, { name, ...(type === 'Array' ? { isList: true } : { type: TYPES.get(type) ?? type }) });
  }
  return found;
}
