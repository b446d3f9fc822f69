// The values of a loop's variables as SQL: `item.get('key', 'x')`, `value.split('.')[1]`, `operator == 'equals'`.
import {
  calledName,
  constantOf,
  readExpression,
  type TemplateExpression,
} from '../../placeholders/expression.ts';
import { literalOf } from '../../placeholders/source-lexer.ts';

/** The variables of loops and of `{% set %}` inside of them. */
export interface LoopScope {
  /** The parameter of the lambda, by the variable: it is a text, or a JSON value. */
  readonly elements: ReadonlyMap<string, LoopElement>;
  readonly set: ReadonlyMap<string, TemplateExpression>;
}

export interface LoopElement {
  readonly name: string;
  readonly isJson: boolean;
}

const text = (value: string): string => literalOf(value, 'clickhouse');

/** Returns whether a value depends on a variable of the loop. */
export function usesVariables(expression: TemplateExpression, scope: LoopScope): boolean {
  const all = (list: readonly TemplateExpression[]): boolean =>
    list.some((each) => usesVariables(each, scope));
  switch (expression.kind) {
    case 'name':
      return scope.elements.has(expression.name) || scope.set.has(expression.name);
    case 'literal':
    case 'dict':
      return false;
    case 'list':
      return all(expression.items);
    case 'element':
      return all([expression.of, ...(expression.at === undefined ? [] : [expression.at])]);
    case 'attribute':
    case 'test':
    case 'not':
      return usesVariables(expression.of, scope);
    case 'call':
    case 'filter':
      return all([
        expression.of,
        ...expression.args,
        ...(expression.kind === 'call' ? expression.named.values() : []),
      ]);
    case 'binary':
      return all([expression.left, expression.right]);
  }
}

/** The member of a JSON value that `item.get('key', default)` and `item['key']` read. */
interface Member {
  readonly json: string;
  readonly key: string;
  readonly fallback: TemplateExpression | undefined;
}

function memberOf(expression: TemplateExpression, scope: LoopScope): Member | undefined {
  if (expression.kind === 'element') return memberAt(expression.of, expression.at, scope);
  if (expression.kind !== 'call' || expression.of.kind !== 'attribute' || expression.of.name !== 'get')
    return undefined;
  const [key, fallback] = expression.args;
  const found = memberAt(expression.of.of, key, scope);
  return found && { ...found, fallback };
}

function memberAt(
  of: TemplateExpression,
  at: TemplateExpression | undefined,
  scope: LoopScope,
): Member | undefined {
  const element = of.kind === 'name' ? scope.elements.get(of.name) : undefined;
  const key = constantOf(at);
  if (element?.isJson !== true || typeof key !== 'string') return undefined;
  return { json: element.name, key: text(key), fallback: undefined };
}

function isVariable(expression: TemplateExpression, scope: LoopScope): TemplateExpression | undefined {
  return expression.kind === 'name' ? scope.set.get(expression.name) : undefined;
}

/** Methods of texts without arguments. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['lower', 'lowerUTF8'],
  ['upper', 'upperUTF8'],
  ['strip', 'trimBoth'],
]);

/** The value as a text of SQL; undefined if it is none. */
function textOf(expression: TemplateExpression, scope: LoopScope): string | undefined {
  const set = isVariable(expression, scope);
  if (set !== undefined) return textOf(set, scope);
  if (expression.kind === 'literal')
    return typeof expression.value === 'string' ? text(expression.value) : undefined;
  if (expression.kind === 'name') {
    const element = scope.elements.get(expression.name);
    return element?.isJson === true ? `JSONExtractString(${element.name})` : element?.name;
  }
  const member = memberOf(expression, scope);
  if (member !== undefined) return memberText(member, scope);
  if (expression.kind === 'element') return pieceOf(expression.of, expression.at, scope);
  if (expression.kind !== 'call') return undefined;
  if (calledName(expression) === 'String') return expression.args[0] && textOf(expression.args[0], scope);
  const { of, args } = expression;
  const method = of.kind === 'attribute' && args.length === 0 ? METHODS.get(of.name) : undefined;
  const inner = of.kind === 'attribute' ? textOf(of.of, scope) : undefined;
  return method === undefined || inner === undefined ? undefined : `${method}(${inner})`;
}

function memberText({ json, key, fallback }: Member, scope: LoopScope): string | undefined {
  const written = `JSONExtractString(${json}, ${key})`;
  const isNumber = fallback?.kind === 'literal' && typeof fallback.value === 'number';
  const otherwise =
    fallback === undefined ? text('') : isNumber ? text(String(fallback.value)) : textOf(fallback, scope);
  if (otherwise === undefined || otherwise === text('')) return otherwise && written;
  return `if(JSONHas(${json}, ${key}), ${written}, ${otherwise})`;
}

/** `x.split('.')[1]`. */
function pieceOf(
  of: TemplateExpression,
  at: TemplateExpression | undefined,
  scope: LoopScope,
): string | undefined {
  const [pieces, index] = [splitOf(of, scope), constantOf(at)];
  if (pieces === undefined || typeof index !== 'number') return undefined;
  return `${pieces}[${index < 0 ? index : index + 1}]`;
}

function splitOf(expression: TemplateExpression, scope: LoopScope): string | undefined {
  if (expression.kind !== 'call' || expression.of.kind !== 'attribute' || expression.of.name !== 'split')
    return undefined;
  const [separator, more] = expression.args;
  const inner = textOf(expression.of.of, scope);
  const by = constantOf(separator);
  return inner === undefined || typeof by !== 'string' || by === '' || more !== undefined
    ? undefined
    : `splitByString(${text(by)}, ${inner})`;
}

/** The value as an array of texts; undefined if it is none. */
export function listOf(expression: TemplateExpression, scope: LoopScope): string | undefined {
  const set = isVariable(expression, scope);
  if (set !== undefined) return listOf(set, scope);
  const member = memberOf(expression, scope);
  if (member === undefined) return splitOf(expression, scope);
  const isList = member.fallback === undefined || member.fallback.kind === 'list';
  if (!isList || (member.fallback?.kind === 'list' && member.fallback.items.length > 0)) return undefined;
  return `JSONExtract(${member.json}, ${member.key}, 'Array(String)')`;
}

const NUMBERS = /^(U?Int(8|16|32|64|128|256)|Float(32|64))$/;
const TIMES = /^(Date|Date32|DateTime)$/;

/** Returns the SQL of what `{{ expression }}` writes: a text, or a value of the type that it is declared with. */
export function outputOf(expression: TemplateExpression, scope: LoopScope): string | undefined {
  const name = calledName(expression) ?? '';
  if (!NUMBERS.test(name) && !TIMES.test(name)) return textOf(expression, scope);
  const [of] = expression.kind === 'call' ? expression.args : [];
  const inner = of && textOf(of, scope);
  return inner === undefined ? undefined : `to${name}(${inner})`;
}

/** The elements that `{{ Array(values, 'Int32') }}` writes. */
export function elementsIn(expression: TemplateExpression, scope: LoopScope): string | undefined {
  if (calledName(expression) !== 'Array' || expression.kind !== 'call') return undefined;
  const [of, type] = expression.args;
  const list = of && listOf(of, scope);
  const name = type === undefined ? 'String' : constantOf(type);
  if (list === undefined || typeof name !== 'string') return undefined;
  if (name === 'String') return list;
  return NUMBERS.test(name) ? `arrayMap(each -> to${name}(each), ${list})` : undefined;
}

/** A condition as SQL; undefined if it is none over the variables of the loop. */
function conditionOf(expression: TemplateExpression, scope: LoopScope): string | undefined {
  switch (expression.kind) {
    case 'not': {
      const of = conditionOf(expression.of, scope);
      return of && `NOT ${of}`;
    }
    case 'binary':
      return combined(expression, scope);
    case 'call':
      return begins(expression, scope) ?? truthOf(expression, scope);
    case 'name':
    case 'element':
      return truthOf(expression, scope);
    case 'literal':
    case 'list':
    case 'dict':
    case 'attribute':
    case 'filter':
    case 'test':
      return undefined;
  }
}

function truthOf(expression: TemplateExpression, scope: LoopScope): string | undefined {
  const set = isVariable(expression, scope);
  const member = memberOf(set ?? expression, scope);
  if (member?.fallback?.kind === 'list') {
    const list = listOf(expression, scope);
    return list && `notEmpty(${list})`;
  }
  const written = textOf(expression, scope);
  return written && `${written} != ''`;
}

type TemplateCall = Extract<TemplateExpression, { kind: 'call' }>;

/** `x.startswith('a')`. */
function begins({ of, args }: TemplateCall, scope: LoopScope): string | undefined {
  if (of.kind !== 'attribute' || !/^(starts|ends)with$/.test(of.name)) return undefined;
  const [part] = args;
  const [inner, written] = [textOf(of.of, scope), part && textOf(part, scope)];
  if (inner === undefined || written === undefined) return undefined;
  return `${of.name === 'startswith' ? 'startsWith' : 'endsWith'}(${inner}, ${written})`;
}

function combined(
  { operator, left, right }: Extract<TemplateExpression, { kind: 'binary' }>,
  scope: LoopScope,
): string | undefined {
  if (operator === 'and' || operator === 'or') {
    const [first, second] = [conditionOf(left, scope), conditionOf(right, scope)];
    return first && second && `(${first} ${operator.toUpperCase()} ${second})`;
  }
  const first = textOf(left, scope);
  if (operator === 'in' && right.kind === 'list' && first !== undefined) {
    const items = right.items.map((item) => textOf(item, scope));
    return items.every((item) => item !== undefined) && items.length > 0
      ? `${first} IN (${items.join(', ')})`
      : undefined;
  }
  const second = textOf(right, scope);
  if (first === undefined || second === undefined) return undefined;
  return operator === '==' || operator === '!='
    ? `${first} ${operator === '==' ? '=' : '!='} ${second}`
    : undefined;
}

/** A condition that is written in a tag. */
export function writtenCondition(written: string, scope: LoopScope): string | undefined {
  const expression = readExpression(written);
  if (expression === undefined) return undefined;
  return usesVariables(expression, scope) ? conditionOf(expression, scope) : `{{ ${written.trim()} }}`;
}
