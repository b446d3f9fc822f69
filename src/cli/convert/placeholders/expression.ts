// The expressions inside `{{ … }}` and `{% … %}`: the common part of Jinja's and of Tornado's Python.

export type TemplateExpression =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly TemplateExpression[] }
  /** `{'a': 1}`. */
  | { readonly kind: 'dict' }
  /** `x[0]`, also slices, which have no `at`. */
  | {
      readonly kind: 'element';
      readonly of: TemplateExpression;
      readonly at?: TemplateExpression;
    }
  | { readonly kind: 'attribute'; readonly of: TemplateExpression; readonly name: string }
  | {
      readonly kind: 'call';
      readonly of: TemplateExpression;
      readonly args: readonly TemplateExpression[];
      readonly named: ReadonlyMap<string, TemplateExpression>;
    }
  /** `x | name(args)`. */
  | {
      readonly kind: 'filter';
      readonly of: TemplateExpression;
      readonly name: string;
      readonly args: readonly TemplateExpression[];
    }
  /** `x is [not] name`. */
  | { readonly kind: 'test'; readonly of: TemplateExpression; readonly name: string; readonly isNot: boolean }
  | { readonly kind: 'not'; readonly of: TemplateExpression }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: TemplateExpression;
      readonly right: TemplateExpression;
    };

const TOKEN =
  /\s*(?:([A-Za-z_]\w*)|(\d+(?:\.\d+)?)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(==|!=|<=|>=|\/\/|\*\*|[()[\]{},.:|=<>+\-*/%~]))/sy;
const MAX_DEPTH = 40;
const MAX_LENGTH = 10_000;

interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'symbol' | 'end';
  readonly text: string;
}

interface ExpressionReader {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
}

/** The expression; undefined for anything beyond the common part. */
export function readExpression(text: string): TemplateExpression | undefined {
  const tokens = text.length > MAX_LENGTH ? undefined : tokensOf(text);
  if (tokens === undefined) return undefined;
  const reader: ExpressionReader = { tokens, at: 0, depth: 0 };
  const found = disjunction(reader);
  return peek(reader).kind === 'end' ? found : undefined;
}

function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  for (let at = 0; at < end;) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (match === null) return undefined;
    const [, name, number, single, double, symbol] = match;
    const string = single ?? double;
    if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (string !== undefined) tokens.push({ kind: 'string', text: unescape(string) });
    else tokens.push({ kind: 'symbol', text: symbol ?? '' });
    at = TOKEN.lastIndex;
  }
  return tokens;
}

function unescape(text: string): string {
  return text.replace(/\\(.)/gs, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : char));
}

const END: Token = { kind: 'end', text: '' };

function peek({ tokens, at }: ExpressionReader, ahead = 0): Token {
  return tokens[at + ahead] ?? END;
}

function take(reader: ExpressionReader, text: string): boolean {
  const token = peek(reader);
  if (token.text !== text || (token.kind !== 'symbol' && token.kind !== 'name')) return false;
  reader.at++;
  return true;
}

type Parse = (reader: ExpressionReader) => TemplateExpression | undefined;

function chain(operand: Parse, operators: readonly string[]): Parse {
  return (reader) => {
    let left = operand(reader);
    while (left !== undefined) {
      const operator = operators.find((each) => take(reader, each));
      if (operator === undefined) return left;
      const right = operand(reader);
      left = right && folded({ kind: 'binary', operator, left, right });
    }
    return undefined;
  };
}

/** Arithmetic of integers. */
function folded(expression: Extract<TemplateExpression, { kind: 'binary' }>): TemplateExpression {
  const { operator, left, right } = expression;
  if (left.kind !== 'literal' || right.kind !== 'literal') return expression;
  const [a, b] = [left.value, right.value];
  if (typeof a !== 'number' || typeof b !== 'number') return expression;
  const value = operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : undefined;
  return value === undefined || !Number.isSafeInteger(value) ? expression : { kind: 'literal', value };
}

const arithmetic: Parse = chain(postfix, ['+', '-', '*', '//', '/', '%', '~']);
const conjunction: Parse = chain(negation, ['and']);
const disjunctions: Parse = chain((reader) => conjunction(reader), ['or']);

function disjunction(reader: ExpressionReader): TemplateExpression | undefined {
  if (reader.depth >= MAX_DEPTH) return undefined;
  reader.depth++;
  const found = disjunctions(reader);
  reader.depth--;
  return found;
}

function negation(reader: ExpressionReader): TemplateExpression | undefined {
  let isNot = false;
  while (take(reader, 'not')) isNot = !isNot;
  const of = comparison(reader);
  return of !== undefined && isNot ? { kind: 'not', of } : of;
}

function comparison(reader: ExpressionReader): TemplateExpression | undefined {
  const left = arithmetic(reader);
  if (left === undefined) return undefined;
  if (take(reader, 'is')) {
    const isNot = take(reader, 'not');
    const name = peek(reader);
    reader.at++;
    return name.kind === 'name'
      ? { kind: 'test', of: left, name: name.text.toLowerCase(), isNot }
      : undefined;
  }
  const isNot = peek(reader).text === 'not' && peek(reader, 1).text === 'in' && take(reader, 'not');
  const operator = ['==', '!=', '<=', '>=', '<', '>', 'in'].find((each) => take(reader, each));
  if (operator === undefined) return left;
  const right = arithmetic(reader);
  const binary = right && ({ kind: 'binary', operator, left, right } as const);
  return binary !== undefined && isNot ? { kind: 'not', of: binary } : binary;
}

function postfix(reader: ExpressionReader): TemplateExpression | undefined {
  let of = primary(reader);
  while (of !== undefined) {
    if (take(reader, '.')) {
      const name = peek(reader);
      reader.at++;
      of = name.kind === 'name' ? { kind: 'attribute', of, name: name.text } : undefined;
    } else if (take(reader, '(')) of = callOf(reader, of);
    else if (take(reader, '[')) of = elementOf(reader, of);
    else if (take(reader, '|')) {
      const name = peek(reader);
      reader.at++;
      const args = take(reader, '(') ? argumentsOf(reader, ')') : { args: [] };
      const isFilter = name.kind === 'name' && args !== undefined;
      of = isFilter ? filtered({ kind: 'filter', of, name: name.text, args: args.args }) : undefined;
    } else return of;
  }
  return undefined;
}

const TEXT_FILTERS: ReadonlyMap<string, (text: string) => string> = new Map([
  ['trim', (text) => text.trim()],
  ['lower', (text) => text.toLowerCase()],
  ['upper', (text) => text.toUpperCase()],
  ['string', (text) => text],
]);

/** Carries out the filter of a known text. */
export function filtered(expression: Extract<TemplateExpression, { kind: 'filter' }>): TemplateExpression {
  const { of, name, args } = expression;
  const filter = of.kind === 'literal' && args.length === 0 ? TEXT_FILTERS.get(name) : undefined;
  if (filter === undefined || of.kind !== 'literal' || typeof of.value !== 'string') return expression;
  return { kind: 'literal', value: filter(of.value) };
}

function callOf(reader: ExpressionReader, of: TemplateExpression): TemplateExpression | undefined {
  const found = argumentsOf(reader, ')');
  return found && { kind: 'call', of, ...found };
}

/** Up to and including `]`. */
function elementOf(reader: ExpressionReader, of: TemplateExpression): TemplateExpression | undefined {
  let at: TemplateExpression | undefined;
  let isSlice = false;
  while (!take(reader, ']')) {
    isSlice = take(reader, ':') || isSlice;
    if (isSlice && peek(reader).text === ']') continue;
    at = disjunction(reader);
    if (at === undefined) return undefined;
  }
  return at === undefined || isSlice ? { kind: 'element', of } : { kind: 'element', of, at };
}

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

function primary(reader: ExpressionReader): TemplateExpression | undefined {
  const isNegative = take(reader, '-');
  const token = peek(reader);
  reader.at++;
  if (token.kind === 'number')
    return { kind: 'literal', value: numberOf(isNegative ? `-${token.text}` : token.text) };
  if (isNegative) return undefined;
  if (token.kind === 'string') return { kind: 'literal', value: token.text };
  if (token.kind === 'name') {
    const value = CONSTANTS.get(token.text);
    return value === undefined ? { kind: 'name', name: token.text } : { kind: 'literal', value };
  }
  if (token.text === '(') {
    const items = argumentsOf(reader, ')')?.args;
    return items?.length === 1 ? items[0] : items && { kind: 'list', items };
  }
  if (token.text === '{') return dictOf(reader);
  const items = token.text === '[' ? argumentsOf(reader, ']') : undefined;
  return items && { kind: 'list', items: items.args };
}

/** An integer that would lose digits stays a text. */
function numberOf(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) || text.includes('.') ? value : text;
}

/** Up to and including `}`. */
function dictOf(reader: ExpressionReader): TemplateExpression | undefined {
  while (!take(reader, '}')) {
    const isEntry =
      disjunction(reader) !== undefined && take(reader, ':') && disjunction(reader) !== undefined;
    if (!isEntry || (!take(reader, ',') && peek(reader).text !== '}')) return undefined;
  }
  return { kind: 'dict' };
}

/** Up to and including `close`. */
function argumentsOf(
  reader: ExpressionReader,
  close: string,
):
  | { readonly args: readonly TemplateExpression[]; readonly named: ReadonlyMap<string, TemplateExpression> }
  | undefined {
  const args: TemplateExpression[] = [];
  const named = new Map<string, TemplateExpression>();
  while (!take(reader, close)) {
    const [name, equals] = [peek(reader), peek(reader, 1)];
    const isNamed = name.kind === 'name' && equals.kind === 'symbol' && equals.text === '=';
    if (isNamed) reader.at += 2;
    const value = disjunction(reader);
    if (value === undefined) return undefined;
    if (isNamed) named.set(name.text, value);
    else args.push(value);
    if (!take(reader, ',') && peek(reader).text !== close) return undefined;
  }
  return { args, named };
}

/** The plain value of literals and of lists of them; undefined for anything else. */
export function constantOf(
  expression: TemplateExpression | undefined,
): string | number | boolean | readonly (string | number)[] | undefined {
  if (expression?.kind === 'literal') return expression.value ?? undefined;
  if (expression?.kind !== 'list') return undefined;
  const items = expression.items.map((item) => (item.kind === 'literal' ? item.value : undefined));
  return items.every(isPlain) ? items : undefined;
}

function isPlain(item: unknown): item is string | number {
  return typeof item === 'string' || typeof item === 'number';
}

/** The name of a called function, such as `String` or `env.get`; undefined for any other expression. */
export function calledName(expression: TemplateExpression): string | undefined {
  return expression.kind === 'call' ? pathOf(expression.of) : undefined;
}

/** `a` or `a.b`. */
export function pathOf(expression: TemplateExpression): string | undefined {
  if (expression.kind === 'name') return expression.name;
  if (expression.kind !== 'attribute') return undefined;
  const of = pathOf(expression.of);
  return of === undefined ? undefined : `${of}.${expression.name}`;
}
