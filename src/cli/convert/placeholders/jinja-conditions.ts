// Conditions of Jinja and Tornado: `x is not none`, `defined(x) and x == 'a'`, `x not in ['a', 'b']`.
import type { TemplateExpression } from './expression.ts';
import type { Condition, Item, Value } from './nodes.ts';
import type { RegionKind } from './source-lexer.ts';

/** A tool says here what the names and functions of its templates mean. */
export interface JinjaTool {
  /** What `{{ expression }}` is; undefined if the tool does not know it. */
  readonly output: (expression: TemplateExpression, inside: RegionKind) => Item | undefined;
  /** The parameter that an expression in a condition asks for. */
  readonly value: (expression: TemplateExpression) => Value | undefined;
  /** Conditions of the tool's own, such as `is_incremental()`. */
  readonly condition?: (expression: TemplateExpression) => Condition | undefined;
}

/** The condition; undefined if it is computed by more than comparisons of values with literals. */
export function toCondition(expression: TemplateExpression, tool: JinjaTool): Condition | undefined {
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
    case 'list':
    case 'dict':
    case 'element': {
      const value = tool.value(expression);
      return value && { kind: 'truthy', value: withType(value) };
    }
  }
}

/** With the type of its default. */
function withType(value: Value): Value {
  if (value.type !== undefined || value.isList === true) return value;
  if (typeof value.default === 'boolean') return { ...value, type: 'Bool' };
  return typeof value.default === 'number' ? { ...value, type: 'Float64' } : value;
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
  if (isPresence === undefined) return undefined;
  if (of.kind === 'literal') {
    const isNone = of.value === null;
    const holds = name === 'none' ? isNone : isPresence;
    return { kind: 'constant', value: holds !== isNot };
  }
  const value = tool.value(of);
  if (value === undefined) return undefined;
  const given: Condition = { kind: 'given', value };
  return isPresence === isNot ? { kind: 'not', of: given } : given;
}

const OPERATORS = { '==': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' } as const;
const MIRRORED = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

/** A list without a value: `[]` and `['']`. */
function isEmptyList(expression: TemplateExpression): boolean {
  if (expression.kind !== 'list') return false;
  const [first, second] = expression.items;
  return second === undefined && (first === undefined || (first.kind === 'literal' && first.value === ''));
}

function compared({ operator, left, right }: Binary, tool: JinjaTool): Condition | undefined {
  if (isEmptyList(right) && (operator === '==' || operator === '!=')) {
    const value = tool.value(left);
    const given: Condition | undefined = value && { kind: 'given', value: { ...value, isList: true } };
    return given && operator === '==' ? { kind: 'not', of: given } : given;
  }
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
  if (left.kind === 'literal' && right.kind === 'literal') return constant(left.value, sign, right.value);
  const [first, second] = [tool.value(left), tool.value(right)];
  if (first !== undefined && second !== undefined)
    return { kind: 'compare', operator: sign, value: first, right: second };
  if (right.kind === 'literal') return comparison(tool.value(left), sign, right.value);
  return left.kind === 'literal' ? comparison(tool.value(right), MIRRORED[sign], left.value) : undefined;
}

type Literal = Extract<TemplateExpression, { kind: 'literal' }>['value'];

/** Of two literals, which the template has after its variables and loops are written out. */
function constant(
  left: Literal,
  sign: (typeof OPERATORS)[keyof typeof OPERATORS],
  right: Literal,
): Condition | undefined {
  const value = holds(left, sign, right);
  return value === undefined ? undefined : { kind: 'constant', value };
}

function holds(
  left: Literal,
  sign: (typeof OPERATORS)[keyof typeof OPERATORS],
  right: Literal,
): boolean | undefined {
  if (sign === '=') return left === right;
  if (sign === '<>') return left !== right;
  if (typeof left !== 'number' || typeof right !== 'number') return undefined;
  if (sign === '<') return left < right;
  if (sign === '<=') return left <= right;
  return sign === '>' ? left > right : left >= right;
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
