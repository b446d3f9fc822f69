// Expressions: values and operators, with the precedence of the engine (src/Parsers/ExpressionListParsers.cpp of ClickHouse). Operators
// wait on a stack until one comes that binds less; a chain of AND, OR or || is one node.
import type { NodeKind } from './nodes.ts';
import { parseLambda } from './parse-call.ts';
import { parseSet } from './parse-groups.ts';
import {
  fail,
  isBareAlias,
  kind,
  newName,
  skip,
  take,
  wrap,
  word,
  type AliasForm,
  type Reader,
} from './reader.ts';

const MAX_PREFIXES = 32;

/** Maximum length of a chain of operators that nest in the engine's tree; AND, OR and || are flat there. */
const MAX_CHAIN = 128;

/** Operators that wait for their right side at the same time, in nested expressions together. */
const MAX_WAITING = 512;

/** An operator whose right side is being read. */
interface Waiting {
  readonly kind: NodeKind | 'between-start' | 'conditional-start';
  /** Those of a higher one bind more. */
  readonly priority: number;
  /** Its first token. */
  readonly at: number;
  readonly operands: number;
}

/** An expression while it is read. */
interface OpenExpression {
  readonly reader: Reader;
  readonly waiting: Waiting[];
  chain: number;
}

const OR = 3;
const AND = 4;
const NOT = 5;
const TEST = 6;
const BETWEEN = 7;
const BETWEEN_AND = 8;
const COMPARISON = 9;
const CONCAT = 10;
const SUM = 11;
const PRODUCT = 12;
const SIGN = 13;
const CONDITIONAL = 2;
const BRANCHES = 3;

interface OperatorForm {
  readonly kind: NodeKind | 'between-start';
  readonly priority: number;
  readonly tokens: number;
}

const BY_WORD: ReadonlyMap<string, OperatorForm> = new Map(
  (
    [
      ['OR', 'or', OR],
      ['AND', 'and', AND],
      ['BETWEEN', 'between-start', BETWEEN],
      ['LIKE', 'binary', COMPARISON],
      ['ILIKE', 'binary', COMPARISON],
      ['REGEXP', 'binary', COMPARISON],
      ['DIV', 'binary', PRODUCT],
      ['MOD', 'binary', PRODUCT],
    ] as const
  ).map(([text, nodeKind, priority]) => [text, { kind: nodeKind, priority, tokens: 1 }]),
);

const BY_SYMBOL: ReadonlyMap<string, OperatorForm> = new Map(
  (
    [
      ['||', 'concat', CONCAT],
      ['+ -', 'binary', SUM],
      ['* / %', 'binary', PRODUCT],
      ['= != < > <= >= <=>', 'binary', COMPARISON],
    ] as const
  ).flatMap(([symbols, nodeKind, priority]) =>
    symbols.split(' ').map((symbol) => [symbol, { kind: nodeKind, priority, tokens: 1 }] as const),
  ),
);

/** An expression and its optional alias. */
export function parseExpression(reader: Reader, alias: AliasForm): void {
  if (reader.isSaved && parseLambda(reader, 'none')) {
    parseAlias(reader, alias);
    return;
  }
  const expression: OpenExpression = { reader, waiting: [], chain: 0 };
  parsePrefixes(expression);
  reader.grammar.operand(reader, true);
  while (parseTest(expression) || parseIn(expression) || parseOperator(expression));
  for (const { kind: waiting } of expression.waiting) {
    if (waiting === 'conditional-start') fail(reader, 'Expected : and the second branch of ?');
    if (waiting === 'between-start') fail(reader, 'Expected AND and the upper bound of BETWEEN');
  }
  reduce(expression, 0);
  reader.operators -= expression.waiting.length;
  parseAlias(reader, alias);
}

function parsePrefixes(expression: OpenExpression): void {
  const { reader } = expression;
  for (let count = 1; ; count++) {
    const sign = kind(reader);
    const isNot = word(reader) === 'NOT';
    if (!isNot && sign !== '-' && sign !== '+') return;
    if (count >= MAX_PREFIXES) {
      skip(reader);
      fail(reader, `At most ${MAX_PREFIXES} unary operators may precede a value`, { kind: 'size' });
      return;
    }
    if (sign === '-' && kind(reader, 1) === 'number') return; // the sign is a part of the number
    if (isNot) push(expression, { kind: 'not', priority: NOT, at: reader.at, operands: 1 });
    else push(expression, { kind: 'sign', priority: SIGN, at: reader.at, operands: 1 });
    skip(reader);
  }
}

/** `IS [NOT] NULL` and similar tests, which are complete; `IS DISTINCT FROM` still needs its right side. */
function parseTest(expression: OpenExpression): boolean {
  const { reader } = expression;
  if (word(reader) !== 'IS') return false;
  const ahead = word(reader, 1) === 'NOT' ? 2 : 1;
  if (!TESTED.has(word(reader, ahead))) return false;
  const { at } = reader;
  reduce(expression, TEST);
  skip(reader, ahead + 1);
  wrap(reader, 'test', 1, at);
  return true;
}

const TESTED: ReadonlySet<string | undefined> = new Set(['NULL', 'TRUE', 'FALSE', 'UNKNOWN']);

/** `[GLOBAL] [NOT] IN …`; false if there is none. */
function parseIn(expression: OpenExpression): boolean {
  const { reader } = expression;
  let ahead = word(reader) === 'GLOBAL' ? 1 : 0;
  if (word(reader, ahead) === 'NOT') ahead++;
  if (word(reader, ahead) !== 'IN') return false;
  reduce(expression, COMPARISON);
  push(expression, { kind: 'in', priority: COMPARISON, at: reader.at, operands: 2 });
  skip(reader, ahead + 1);
  parseSet(reader);
  return true;
}

/** Reads an operator and the value after it; false if there is none. */
function parseOperator(expression: OpenExpression): boolean {
  const { reader } = expression;
  const symbol = kind(reader);
  const isConditional =
    symbol === '?' ||
    (symbol === ':' && expression.waiting.some((each) => each.kind === 'conditional-start'));
  const form = isConditional ? undefined : operatorAt(reader);
  if (form === undefined && !isConditional && word(reader) !== 'ESCAPE') return false;
  const isFlat = form !== undefined && (form.kind === 'and' || form.kind === 'or' || form.kind === 'concat');
  expression.chain = isFlat ? 0 : expression.chain + 1;
  if (expression.chain > MAX_CHAIN) {
    const message = `At most ${MAX_CHAIN} operators may be chained without AND, OR or parentheses`;
    fail(reader, message, { kind: 'size' });
  }
  if (symbol === '?') pushCondition(expression);
  else if (symbol === ':') pushBranches(expression);
  else if (form === undefined) pushEscape(expression);
  else pushOperator(expression, form);
  skip(reader, form?.tokens ?? 1);
  parsePrefixes(expression);
  reader.grammar.operand(reader, true);
  return reader.fault === undefined;
}

function operatorAt(reader: Reader): OperatorForm | undefined {
  const first = word(reader);
  if (first === undefined) return BY_SYMBOL.get(kind(reader) ?? '');
  const known = BY_WORD.get(first);
  if (known !== undefined) return known;
  const next = word(reader, 1);
  if (first === 'NOT') {
    if (next === 'BETWEEN') return { kind: 'between-start', priority: BETWEEN, tokens: 2 };
    return next === 'LIKE' || next === 'ILIKE'
      ? { kind: 'binary', priority: COMPARISON, tokens: 2 }
      : undefined;
  }
  if (first === 'AT') {
    const isZone = next === 'TIME' && word(reader, 2) === 'ZONE';
    return isZone ? { kind: 'binary', priority: SIGN, tokens: 3 } : undefined;
  }
  if (first !== 'IS') return undefined;
  const ahead = next === 'NOT' ? 2 : 1;
  const isDistinct = word(reader, ahead) === 'DISTINCT' && word(reader, ahead + 1) === 'FROM';
  return isDistinct ? { kind: 'binary', priority: TEST, tokens: ahead + 2 } : undefined;
}

function push({ reader, waiting }: OpenExpression, operator: Waiting): void {
  waiting.push(operator);
  reader.operators++;
  if (reader.operators > MAX_WAITING)
    fail(reader, `At most ${MAX_WAITING} operators may be nested`, { kind: 'size' });
}

function pushOperator(expression: OpenExpression, form: OperatorForm): void {
  const { reader, waiting } = expression;
  const isBound = form.kind === 'and' && waiting.some((each) => each.kind === 'between-start');
  const priority = isBound ? BETWEEN_AND : form.priority;
  reduce(expression, isBound ? priority : priority + 1);
  const last = waiting.at(-1);
  if (isBound) {
    if (last?.kind !== 'between-start') fail(reader, 'Expected the upper bound of BETWEEN');
    pop(expression);
    push(expression, { kind: 'between', priority, at: last?.at ?? reader.at, operands: 3 });
    return;
  }
  const isChain = last?.kind === form.kind && form.kind !== 'binary' && form.kind !== 'between-start';
  if (isChain) {
    pop(expression);
    push(expression, { ...last, operands: last.operands + 1 });
    return;
  }
  reduce(expression, priority);
  push(expression, { kind: form.kind, priority, at: reader.at, operands: 2 });
}

function pushCondition(expression: OpenExpression): void {
  reduce(expression, CONDITIONAL);
  push(expression, {
    kind: 'conditional-start',
    priority: CONDITIONAL,
    at: expression.reader.at,
    operands: 2,
  });
}

function pushBranches(expression: OpenExpression): void {
  reduce(expression, BRANCHES);
  const start = pop(expression);
  const { reader } = expression;
  if (start?.kind !== 'conditional-start') fail(reader, 'Expected AND and the upper bound of BETWEEN');
  push(expression, { kind: 'conditional', priority: BRANCHES, at: start?.at ?? reader.at, operands: 3 });
}

/** `x LIKE 'a' ESCAPE 'b'`: LIKE gets a third operand. */
function pushEscape(expression: OpenExpression): void {
  const { reader, waiting } = expression;
  reduce(expression, COMPARISON + 1);
  const last = waiting.at(-1);
  const operator = reader.cursor.word(last?.at ?? -1) === 'NOT' ? (last?.at ?? 0) + 1 : (last?.at ?? -1);
  if (last?.operands !== 2 || !/^I?LIKE$/.test(reader.cursor.word(operator) ?? '')) {
    fail(reader, 'Expected LIKE and a pattern before ESCAPE');
    return;
  }
  pop(expression);
  push(expression, { ...last, operands: 3 });
}

function pop({ reader, waiting }: OpenExpression): Waiting | undefined {
  if (waiting.length > 0) reader.operators--;
  return waiting.pop();
}

/** Makes nodes of the operators that bind at least as much as the next one, up to one whose middle is being read. */
function reduce(expression: OpenExpression, priority: number): void {
  const { reader, waiting } = expression;
  for (let last = waiting.at(-1); last !== undefined && last.priority >= priority; last = waiting.at(-1)) {
    if (last.kind === 'between-start' || last.kind === 'conditional-start') return;
    pop(expression);
    wrap(reader, last.kind, last.operands, last.at);
  }
}

function parseAlias(reader: Reader, alias: AliasForm): void {
  if (alias === 'none') return;
  const hasAs = word(reader) === 'AS';
  if (!hasAs && (alias !== 'bare' || !isBareAlias(reader))) return;
  if (hasAs && reader.inLambda && !reader.isSaved) fail(reader, 'Aliases are not allowed inside a lambda');
  take(reader, 'AS');
  const at = newName(reader);
  wrap(reader, 'alias', 1, at);
}
