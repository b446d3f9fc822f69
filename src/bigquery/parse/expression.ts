// Parses expressions, from operators by precedence down to operands.
import { isQueryAhead, withoutEmptyDefault } from './clauses.ts';
import { parseOperand } from './operand.ts';
import type { Reader } from './reader.ts';
import { tooLarge, untranslated } from '../translation-error.ts';
import type { Among, ChainOperator, Expression, Test } from '../../sql/syntax-tree.ts';

/** Maximum run of operators that nest in the tree; AND, OR and || are flat. */
const MAX_CHAIN = 100;

/**
 * Parses one expression.
 * @throws UnconvertedError at the first token that cannot continue it
 */
export function parseExpression(reader: Reader): Expression {
  return reader.nest(() => parseChain(reader, 'OR', () => parseChain(reader, 'AND', () => parseNot(reader))));
}

function parseChain(reader: Reader, operator: ChainOperator, read: () => Expression): Expression {
  const at = reader.at();
  const values = [read()];
  while (operator === '||' ? reader.takeSymbol(operator) : reader.take(operator)) values.push(read());
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : { kind: 'chain', at, operator, values };
}

function parseNot(reader: Reader): Expression {
  const at = reader.at();
  if (!reader.take('NOT')) return parseComparison(reader);
  return reader.nest(() => ({ kind: 'unary', at, operator: 'NOT', value: parseNot(reader) }));
}

const TESTS: ReadonlySet<string> = new Set(['IN', 'BETWEEN', 'LIKE', 'ILIKE']);
const COMPARISONS = ['=', '!=', '<>', '<=', '>=', '<', '>'] as const;

function parseComparison(reader: Reader): Expression {
  let left = parseBits(reader);
  for (let count = 0; ; count++) {
    if (count > MAX_CHAIN) tooLarge(reader.at(), `At most ${MAX_CHAIN} comparisons may be chained`);
    const sign = COMPARISONS.find((each) => reader.takeSymbol(each));
    if (sign !== undefined) {
      left = { kind: 'binary', at: left.at, operator: sign, left, right: parseBits(reader) };
      continue;
    }
    const tested = parseTest(reader, left);
    if (tested === undefined) return left;
    left = tested;
  }
}

/** `IS …`, `[NOT] IN …`, `[NOT] BETWEEN …`, `[NOT] LIKE …`, and PostgreSQL's `[NOT] ILIKE …`. */
function parseTest(reader: Reader, value: Expression): Expression | undefined {
  const { at } = value;
  if (reader.take('IS')) return parseIs(reader, value);
  const ahead = reader.word() === 'NOT' ? 1 : 0;
  if (!TESTS.has(reader.word(ahead) ?? '')) return rejectPattern(reader);
  const isNot = reader.take('NOT');
  if (reader.take('IN')) return { kind: 'in', at, value, among: parseAmong(reader), isNot };
  if (reader.take('BETWEEN')) {
    const low = parseBits(reader);
    reader.expect('AND');
    return { kind: 'between', at, value, low, high: parseBits(reader), isNot };
  }
  const like = reader.take('ILIKE') ? 'ILIKE' : 'LIKE';
  if (like === 'LIKE') reader.expect('LIKE');
  const operator = isNot ? `NOT ${like}` : like;
  return { kind: 'binary', at, operator, left: value, right: parseBits(reader) };
}

/** PostgreSQL's other operators for patterns: nothing else can have these tokens here. */
function rejectPattern(reader: Reader): undefined {
  const isMatch = reader.isSymbol('~');
  if (!isMatch && !(reader.word() === 'SIMILAR' && reader.word(1) === 'TO')) return undefined;
  return untranslated(
    reader.at(),
    `The operator ${isMatch ? '~' : 'SIMILAR TO'} is not supported`,
    "Write REGEXP_CONTAINS(x, r'pattern'), with (?i) at its start to ignore case.",
  );
}

function parseIs(reader: Reader, value: Expression): Expression {
  const { at } = value;
  const isNot = reader.take('NOT');
  if (reader.take('DISTINCT', 'FROM')) {
    const operator = isNot ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM';
    return { kind: 'binary', at, operator, left: value, right: parseBits(reader) };
  }
  const what = (['NULL', 'TRUE', 'FALSE'] satisfies Test[]).find((each) => reader.take(each));
  return { kind: 'is', at, value, what: what ?? reader.reject('NULL, TRUE or FALSE'), isNot };
}

function parseAmong(reader: Reader): Among {
  if (reader.take('UNNEST')) {
    reader.expectSymbol('(');
    const array = withoutEmptyDefault(parseExpression(reader));
    reader.expectSymbol(')');
    return { kind: 'unnest', array };
  }
  reader.expectSymbol('(');
  if (isQueryAhead(reader)) {
    const query = reader.grammar.query(reader);
    reader.expectSymbol(')');
    return { kind: 'query', query };
  }
  const values = [parseExpression(reader)];
  while (reader.takeSymbol(',') && !reader.isSymbol(')')) values.push(parseExpression(reader));
  reader.expectSymbol(')');
  return { kind: 'list', values };
}

/** Lowest precedence first; each level parses its operands at the next. */
const LEVELS: readonly (readonly string[])[] = [['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/']];

function parseBits(reader: Reader, level = 0): Expression {
  const signs = LEVELS[level];
  if (signs === undefined) return parseChain(reader, '||', () => parseUnary(reader));
  let left = parseBits(reader, level + 1);
  for (let count = 0; ; count++) {
    const operator = signs.find((sign) => reader.takeSymbol(sign));
    if (operator === undefined) return left;
    if (count > MAX_CHAIN) tooLarge(reader.at(), `At most ${MAX_CHAIN} operators may be chained`);
    left = { kind: 'binary', at: left.at, operator, left, right: parseBits(reader, level + 1) };
  }
}

function parseUnary(reader: Reader): Expression {
  const at = reader.at();
  const operator = (['-', '+', '~'] as const).find((sign) => reader.takeSymbol(sign));
  if (operator === undefined) return parseOperand(reader);
  return reader.nest(() => ({ kind: 'unary', at, operator, value: parseUnary(reader) }));
}
