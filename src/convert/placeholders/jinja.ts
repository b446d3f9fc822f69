// Jinja and the templates that look like it: `{{ … }}`, `{% … %}` and `{# … #}`.
import { conditionParts } from './conditions.ts';
import { readExpression, type TemplateExpression } from './expression.ts';
import { ALWAYS, type Condition, type Item, type Part, type Syntax, type Value } from './nodes.ts';
import type { MarkEnd, RegionKind } from './source-lexer.ts';

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}'],
]);
const MAX_MARK = 10_000;

/** Most characters that are searched for the ends of all tags of a text: each search can be in vain. */
const MAX_SEARCHED = 5_000_000;

/** The end of a tag that begins at `at`; strings inside may contain its closing delimiter. */
function createMarkEnd(): MarkEnd {
  let left = MAX_SEARCHED;
  return (text, at) => {
    const close = text[at] === '{' ? CLOSERS.get(text.slice(at, at + 2)) : undefined;
    if (close === undefined || left < 0) return undefined;
    const inner = text.slice(at + 2, at + MAX_MARK);
    const found = close === '#}' ? endOf(inner.indexOf(close), at) : tagEnd(inner, close, at);
    left -= found === undefined ? inner.length : found - at;
    return found;
  };
}

function tagEnd(inner: string, close: string, at: number): number | undefined {
  let quote: string | undefined;
  for (let index = 0; index < inner.length; index++) {
    const char = inner[index];
    if (quote === undefined && inner.startsWith(close, index)) return endOf(index, at);
    if (quote !== undefined && char === '\\') index++;
    else if (char === quote) quote = undefined;
    else if (quote === undefined && (char === "'" || char === '"')) quote = char;
  }
  return endOf(inner.indexOf(close), at); // an apostrophe, not a string
}

function endOf(index: number, at: number): number | undefined {
  return index < 0 ? undefined : at + 2 + index + 2;
}

/** What a tool gives to the names and functions of its templates. */
export interface JinjaTool {
  /** What `{{ expression }}` is; undefined if the tool does not know it. */
  readonly output: (expression: TemplateExpression, inside: RegionKind) => Item | undefined;
  /** The parameter that an expression in a condition asks for. */
  readonly value: (expression: TemplateExpression) => Value | undefined;
  /** Conditions of the tool's own, such as `is_incremental()`. */
  readonly condition?: (expression: TemplateExpression) => Condition | undefined;
}

export function jinjaSyntax(text: string, tool: JinjaTool): Syntax {
  const variables = new Map<string, TemplateExpression>();
  const resolved = (expression: TemplateExpression): TemplateExpression =>
    (expression.kind === 'name' ? variables.get(expression.name) : undefined) ?? expression;
  const reader: TagReader = {
    tool: {
      output: (expression, inside) => tool.output(resolved(expression), inside),
      value: (expression) => tool.value(resolved(expression)),
      condition: (expression) => tool.condition?.(resolved(expression)),
    },
    variables,
  };
  return {
    markEnd: createMarkEnd(),
    interpret: (mark, inside) => interpret(text.slice(mark.start, mark.end), reader, inside),
  };
}

interface TagReader {
  readonly tool: JinjaTool;
  readonly variables: Map<string, TemplateExpression>;
}

function interpret(source: string, reader: TagReader, inside: RegionKind): Item {
  if (source.startsWith('{#')) return { kind: 'dropped' };
  const content = source
    .slice(2, -2)
    .replace(/^[-+~]|[-+~]$/g, '')
    .trim();
  if (source.startsWith('{%')) return readTag(content, reader);
  const expression = readExpression(content);
  const item = expression && (reader.tool.output(expression, inside) ?? computed(expression, reader, inside));
  return item ?? { kind: 'lost', message: `{{ ${shortened(content)} }} is not supported`, hint: COMPUTED };
}

/** Arithmetic with values, and conditions: `{{ Int32(page) * 20 }}`, `{{ defined(x) }}`. */
function computed(expression: TemplateExpression, { tool }: TagReader, inside: RegionKind): Item | undefined {
  if (inside !== 'code') return undefined;
  const parts = arithmetic(expression, tool);
  if (parts !== undefined) return { kind: 'sql', parts };
  const isCondition = expression.kind === 'call' || expression.kind === 'binary' || expression.kind === 'not';
  const condition = isCondition ? toCondition(expression, tool) : undefined;
  return condition && { kind: 'sql', parts: ['(', ...conditionParts(condition), ')'] };
}

function arithmetic(expression: TemplateExpression, tool: JinjaTool): readonly Part[] | undefined {
  if (expression.kind === 'literal')
    return typeof expression.value === 'number' ? [String(expression.value)] : undefined;
  if (expression.kind !== 'binary') {
    const value = tool.value(expression);
    return value && [{ kind: 'value', value }];
  }
  if (!/^[+*-]$/.test(expression.operator)) return undefined;
  const [left, right] = [arithmetic(expression.left, tool), arithmetic(expression.right, tool)];
  return left && right && ['(', ...left, ` ${expression.operator} `, ...right, ')'];
}

const COMPUTED = 'Write what it produces, or pass it as a parameter';

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function readTag(content: string, reader: TagReader): Item {
  const [, word = '', rest = ''] = /^(\w+)\s*(.*)$/s.exec(content) ?? [];
  switch (word.toLowerCase()) {
    case 'if':
      return opening('open', rest, reader);
    case 'elif':
    case 'elseif':
    case 'elsif':
      return opening('elif', rest, reader);
    case 'else':
      return { kind: 'else' };
    case 'end':
    case 'endif':
    case 'endfor':
    case 'endset':
    case 'endmacro':
    case 'endcall':
    case 'endfilter':
    case 'endraw':
    case 'endwith':
    case 'endwhile':
    case 'endsnapshot':
      return { kind: 'close' };
    case 'set':
      return setting(rest, reader);
    case 'comment':
    case 'import':
    case 'from':
    case 'do':
      return { kind: 'dropped', note: { severity: 'note', message: `{% ${word} %} is left out` } };
    default:
      return block(word);
  }
}

const BLOCKS: ReadonlySet<string> = new Set([
  'for',
  'macro',
  'call',
  'filter',
  'raw',
  'with',
  'while',
  'snapshot',
]);

function block(word: string): Item {
  const message =
    word === 'for' || word === 'while' ? 'A loop is not supported' : `{% ${word} %} is not supported`;
  const hint = 'Write what it produces';
  return BLOCKS.has(word) ? { kind: 'loop', message, hint } : { kind: 'lost', message, hint };
}

function setting(rest: string, { variables }: TagReader): Item {
  const [, name = '', source] = /^(\w+)\s*=\s*(.*)$/s.exec(rest) ?? [];
  if (source === undefined)
    return { kind: 'loop', message: '{% set %} of a block is not supported', hint: COMPUTED };
  const value = readExpression(source);
  if (value !== undefined && variables.size < 100) variables.set(name, value);
  return { kind: 'dropped' };
}

function opening(kind: 'open' | 'elif', text: string, { tool }: TagReader): Item {
  const expression = readExpression(text);
  const when = expression && toCondition(expression, tool);
  if (when !== undefined) return { kind, when };
  const message = `The condition ${shortened(text)} is not supported`;
  // The alternatives after it are part of what is not converted.
  return kind === 'open' ? { kind: 'loop', message } : { kind: 'elif', when: ALWAYS, lost: { message } };
}

/** The condition; undefined if it is computed by more than comparisons of values with literals. */
function toCondition(expression: TemplateExpression, tool: JinjaTool): Condition | undefined {
  const own = tool.condition?.(expression);
  if (own !== undefined) return own;
  switch (expression.kind) {
    case 'literal':
      return { kind: 'constant', value: Boolean(expression.value) };
    case 'not': {
      const of = toCondition(expression.of, tool);
      return of && { kind: 'not', of };
    }
    case 'test':
      return tested(expression, tool);
    case 'binary':
      return combined(expression, tool) ?? compared(expression, tool);
    case 'name':
    case 'call':
    case 'attribute':
    case 'filter':
    case 'list': {
      const value = tool.value(expression);
      return value && { kind: 'truthy', value };
    }
  }
}

type Binary = Extract<TemplateExpression, { kind: 'binary' }>;

function combined({ operator, left, right }: Binary, tool: JinjaTool): Condition | undefined {
  if (operator !== 'and' && operator !== 'or') return undefined;
  const [first, second] = [toCondition(left, tool), toCondition(right, tool)];
  if (first === undefined || second === undefined) return undefined;
  return { kind: operator === 'and' ? 'all' : 'any', of: [first, second] };
}

const PRESENCE: ReadonlyMap<string, boolean> = new Map([
  ['defined', true],
  ['undefined', false],
  ['none', false],
]);

function tested(
  { of, name, isNot }: Extract<TemplateExpression, { kind: 'test' }>,
  tool: JinjaTool,
): Condition | undefined {
  const isPresence = PRESENCE.get(name);
  const value = tool.value(of);
  if (isPresence === undefined || value === undefined) return undefined;
  const given: Condition = { kind: 'given', value };
  return isPresence === isNot ? { kind: 'not', of: given } : given;
}

const OPERATORS = { '==': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;
const MIRRORED = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function compared({ operator, left, right }: Binary, tool: JinjaTool): Condition | undefined {
  const length = lengthOf(left);
  if (
    length !== undefined &&
    right.kind === 'literal' &&
    right.value === 0 &&
    (operator === '>' || operator === '!=')
  ) {
    const value = tool.value(length);
    return value && { kind: 'given', value };
  }
  if (operator === 'in' && right.kind === 'list') {
    const of = right.items.map((item) =>
      compared({ kind: 'binary', operator: '==', left, right: item }, tool),
    );
    const all = of.flatMap((each) => (each === undefined ? [] : [each]));
    return all.length === of.length ? { kind: 'any', of: all } : undefined;
  }
  if (!isOperator(operator)) return undefined;
  const sign = OPERATORS[operator];
  const [first, second] = [tool.value(left), tool.value(right)];
  if (first !== undefined && second !== undefined)
    return { kind: 'compare', operator: sign, value: first, right: second };
  if (right.kind === 'literal') return comparison(tool.value(left), sign, right.value);
  return left.kind === 'literal' ? comparison(tool.value(right), MIRRORED[sign], left.value) : undefined;
}

function isOperator(text: string): text is keyof typeof OPERATORS {
  return Object.hasOwn(OPERATORS, text);
}

function lengthOf(expression: TemplateExpression): TemplateExpression | undefined {
  if (expression.kind === 'filter' && (expression.name === 'length' || expression.name === 'count'))
    return expression.of;
  const isLength =
    expression.kind === 'call' && expression.of.kind === 'name' && expression.of.name === 'len';
  return isLength ? expression.args[0] : undefined;
}

function comparison(
  value: Value | undefined,
  operator: '=' | '<>' | '<' | '<=' | '>' | '>=',
  literal: string | number | boolean | null,
): Condition | undefined {
  if (value === undefined) return undefined;
  const given: Condition = { kind: 'given', value };
  const isEmpty = literal === null || literal === '';
  if (isEmpty && operator === '=') return { kind: 'not', of: given };
  if (isEmpty) return operator === '<>' ? given : undefined;
  const type =
    value.type ??
    (typeof literal === 'number' ? 'Float64' : typeof literal === 'boolean' ? 'Bool' : undefined);
  const typed = type === undefined ? value : { ...value, type };
  const condition: Condition = { kind: 'compare', operator, value: typed, right: literal };
  // An absent value differs from every literal.
  return operator === '<>' && value.default === undefined
    ? { kind: 'not', of: { ...condition, operator: '=' } }
    : condition;
}

/** Whether an output in this region is inserted as SQL. */
export function isRawIn(inside: RegionKind): { readonly isRaw?: true } {
  return inside === 'code' ? { isRaw: true } : {};
}
