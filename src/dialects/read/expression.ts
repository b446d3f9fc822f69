// Reads expressions by the precedence of their operators.
import type { ChainOperator, Expression } from '../tree.ts';
import { SIGN_POWER, type Power } from './grammar.ts';
import { readPredicate } from './predicate.ts';
import {
  areWords,
  has,
  isSymbol,
  isWord,
  nested,
  peek,
  requireDepth,
  takeWords,
  unexpected,
  unread,
  type Source,
} from './source.ts';

/** Reads an expression of operators that bind tighter than a power. */
export function readAbove(source: Source, power: Power): Expression {
  let left = readPrefix(source);
  for (let count = 0; ;) {
    const wider = readInfix(source, left, power);
    if (wider === undefined) return left;
    // AND, OR and || are flat; other operators nest, however they are written.
    if (wider.kind !== 'chain') requireDepth(source, ++count);
    left = wider;
  }
}

function readPrefix(source: Source): Expression {
  const { start: at, kind, text } = peek(source);
  const { not, signs } = source.grammar.operators;
  if (takeWords(source, 'NOT')) {
    // NOT is not associative with operators that bind less tightly.
    const value = nested(source, () => readAbove(source, not - 1));
    return { kind: 'unary', at, operator: 'NOT', value };
  }
  if (kind !== 'symbol' || !signs.has(text)) return source.rules.primary(source);
  source.at++;
  const value = nested(source, () => readAbove(source, SIGN_POWER));
  if (text === '-' && value.kind === 'number' && !value.text.startsWith('-'))
    return { ...value, at, text: `-${value.text}` };
  const operator = text === '!' ? 'NOT' : text === '-' || text === '+' ? text : '~';
  return { kind: 'unary', at, operator, value };
}

function readInfix(source: Source, left: Expression, above: Power): Expression | undefined {
  const { infix, is, predicate, predicates } = source.grammar.operators;
  const token = peek(source);
  if (token.kind !== 'symbol' && token.kind !== 'word') return undefined;
  if (is > above && token.kind === 'word') {
    const tested = readTest(source, left);
    if (tested !== undefined) return tested;
  }
  if (predicate > above && predicates.has(token.upper)) {
    const matched = readPredicate(source, left, predicate);
    if (matched !== undefined) return matched;
  }
  const power = infix.get(token.upper) ?? 0;
  if (power <= above || (token.upper === 'AT' && !areWords(source, ['TIME', 'ZONE'], 1))) return undefined;
  source.at++;
  if (token.upper === 'AT') {
    source.at += 2;
    return { kind: 'at_zone', at: left.at, value: left, zone: readAbove(source, power) };
  }
  return readRight(source, left, { operator: token.upper, at: token.start, power });
}

interface Operator {
  readonly operator: string;
  readonly at: number;
  readonly power: Power;
}

const QUANTIFIERS: ReadonlySet<string> = new Set(['ANY', 'ALL', 'SOME']);
const SAME: Readonly<Record<string, string>> = { '==': '=', '!=': '<>' };

function readRight(source: Source, left: Expression, { operator, at, power }: Operator): Expression {
  const { chains, patterns } = source.grammar.operators;
  const { kind, upper } = peek(source);
  if (
    kind === 'word' &&
    QUANTIFIERS.has(upper) &&
    isSymbol(source, '(', 1) &&
    has(source, 'standard calls')
  ) {
    source.at++;
    const among = source.rules.primary(source);
    return {
      kind: 'quantified',
      at,
      operator,
      quantifier: upper === 'ALL' ? 'ALL' : 'ANY',
      value: left,
      among,
    };
  }
  const chained = chains[operator];
  if (chained !== undefined) return readChain(source, left, { operator: chained, power });
  const right = readAbove(source, power);
  const like = patterns[operator];
  if (like !== undefined)
    return { kind: 'like', at: left.at, operator: like[0], value: left, pattern: right, isNot: like[1] };
  return { kind: 'binary', at: left.at, operator: SAME[operator] ?? operator, left, right };
}

/** The operands of AND, OR or ||, as one node; its operator has been read. */
function readChain(
  source: Source,
  left: Expression,
  { operator, power }: { readonly operator: ChainOperator; readonly power: Power },
): Expression {
  const { chains, infix } = source.grammar.operators;
  const values = left.kind === 'chain' && left.operator === operator ? [...left.values] : [left];
  for (;;) {
    values.push(readAbove(source, power));
    const { kind, upper } = peek(source);
    const isSame =
      (kind === 'word' || kind === 'symbol') && chains[upper] === operator && infix.get(upper) === power;
    if (!isSame) return { kind: 'chain', at: left.at, operator, values };
    source.at++;
  }
}

/** IS, ISNULL and NOTNULL. */
function readTest(source: Source, value: Expression): Expression | undefined {
  const { at } = value;
  const isNull = (isNot: boolean): Expression => ({ kind: 'is', at, value, what: 'NULL', isNot });
  if (has(source, 'isnull')) {
    if (takeWords(source, 'ISNULL')) return isNull(false);
    if (takeWords(source, 'NOTNULL') || takeWords(source, 'NOT', 'NULL')) return isNull(true);
  }
  if (!isWord(source, 'IS')) return undefined;
  source.at++;
  const isNot = takeWords(source, 'NOT');
  if (takeWords(source, 'NULL') || takeWords(source, 'UNKNOWN')) return isNull(isNot);
  if (takeWords(source, 'TRUE')) return { kind: 'is', at, value, what: 'TRUE', isNot };
  if (takeWords(source, 'FALSE')) return { kind: 'is', at, value, what: 'FALSE', isNot };
  const isDistinct = takeWords(source, 'DISTINCT', 'FROM');
  if (!isDistinct && !has(source, 'is any')) {
    if (!takeWords(source, 'JSON')) return unexpected(source, 'NULL, TRUE, FALSE or DISTINCT FROM');
    return unread(source, at, 'this test is not supported');
  }
  const right = readAbove(source, source.grammar.operators.is);
  const operator = isDistinct === isNot ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM';
  return { kind: 'binary', at, operator, left: value, right };
}
