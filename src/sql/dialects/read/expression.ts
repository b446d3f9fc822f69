// Reads expressions by the precedence of their operators, and what tests a value: [NOT] BETWEEN, IN, LIKE and similar.
import type { Among, ChainOperator, Expression, LikeOperator } from '../tree.ts';
import { type Power, SIGN_POWER } from './grammar.ts';
import { areWords, expectSymbol, expectWords, has, isQueryAhead, isQueryWithin, isSymbol, isWord, nested, peek, readExpression, readList, requireDepth, requires, type Source, takeWords, unexpected, unread } from './source.ts'; // prettier-ignore

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

/** Undefined if no predicate follows; `power` is that of its operands. */
function readPredicate(source: Source, value: Expression, power: Power): Expression | undefined {
  const { at } = value;
  const { infix, likes, unread: others } = source.grammar.operators;
  const isNot = isWord(source, 'NOT');
  const ahead = isNot ? 1 : 0;
  if (isWord(source, 'BETWEEN', ahead)) {
    source.at += ahead + 1;
    return readBetween(source, value, { isNot, power });
  }
  if (isWord(source, 'IN', ahead)) {
    source.at += ahead + 1;
    return { kind: 'in', at, value, among: readAmong(source), isNot };
  }
  const like = likes.find(([words]) => areWords(source, words, ahead));
  if (like !== undefined) {
    source.at += ahead + like[0].length;
    return readLike(source, value, { operator: like[1], isNot, power });
  }
  const other = others.find(({ tokens }) =>
    tokens.every((token, index) => peek(source, ahead + index).upper === token),
  );
  // Offline, an operator that only other dialects have is read as theirs.
  if (other === undefined || (!source.isStrict && infix.has(other.tokens[0] ?? ''))) return undefined;
  const { start } = peek(source, ahead);
  const reason = `the operator ${other.tokens.join(' ')} is not supported`;
  if (source.isStrict) return unread(source, start, reason, other.hint);
  source.at += ahead + other.tokens.length;
  source.rules.above(source, power);
  return unread(source, at, reason);
}

function readBetween(
  source: Source,
  value: Expression,
  { isNot, power }: { readonly isNot: boolean; readonly power: Power },
): Expression {
  const { at } = value;
  const isSymmetric = takeWords(source, 'SYMMETRIC');
  if (!isSymmetric) takeWords(source, 'ASYMMETRIC'); // the default
  const low = source.rules.above(source, power);
  expectWords(source, 'AND');
  const high = source.rules.above(source, power);
  if (isSymmetric) return unread(source, at, 'BETWEEN SYMMETRIC is not supported');
  return { kind: 'between', at, value, low, high, isNot };
}

interface Like {
  readonly operator: LikeOperator;
  readonly isNot: boolean;
  readonly power: Power;
}

function readLike(source: Source, value: Expression, { operator, isNot, power }: Like): Expression {
  const { at } = value;
  const quantifier = ['ANY', 'ALL', 'SOME'].find((word) => isWord(source, word) && isSymbol(source, '(', 1));
  if (quantifier !== undefined)
    return readLikeAny(source, value, { operator, isNot, isAll: quantifier === 'ALL' });
  const pattern = source.rules.above(source, power);
  if (!isWord(source, 'ESCAPE')) return { kind: 'like', at, operator, value, pattern, isNot };
  requires(source, 'standard calls', 'ESCAPE', 'A backslash escapes the character after it.');
  source.at++;
  return { kind: 'like', at, operator, value, pattern, escape: source.rules.above(source, power), isNot };
}

interface LikeAny {
  readonly operator: LikeOperator;
  readonly isNot: boolean;
  readonly isAll: boolean;
}

/** `LIKE ANY ('a%', 'b%')`, `LIKE ALL (ARRAY['a%'])`: NOT belongs to each comparison. */
function readLikeAny(source: Source, value: Expression, { operator, isNot, isAll }: LikeAny): Expression {
  const { at } = value;
  source.at++;
  if (isQueryAhead(source)) {
    source.rules.primary(source);
    return unread(source, at, 'a pattern from a query is not supported');
  }
  const listed = readList(source, () => readExpression(source));
  const [only, more] = listed;
  const isOnly = more === undefined;
  const patterns = isOnly && only?.kind === 'array' ? only.items : listed;
  const isUnknown = isOnly && only?.kind !== 'array' && only?.kind !== 'string' && !has(source, 'like lists');
  if (isUnknown || (isNot && !has(source, 'not like any')))
    return unread(source, at, 'these patterns are not supported');
  const values = patterns.map((pattern): Expression => ({
    kind: 'like',
    at,
    operator,
    value,
    pattern,
    isNot,
  }));
  const [first] = values;
  return first !== undefined && values.length === 1
    ? first
    : { kind: 'chain', at, operator: isAll ? 'AND' : 'OR', values };
}

function readAmong(source: Source): Among {
  if (isWord(source, 'UNNEST') && isSymbol(source, '(', 1)) {
    source.at += 2;
    const array = readExpression(source);
    expectSymbol(source, ')');
    return { kind: 'unnest', array };
  }
  // `x IN :list` and `x IN @list`.
  if (peek(source).kind === 'parameter') return { kind: 'list', values: [source.rules.primary(source)] };
  if (!isSymbol(source, '(')) return unexpected(source, '"(" after IN');
  if (isQueryWithin(source)) {
    source.at++;
    const query = source.rules.query(source);
    expectSymbol(source, ')');
    return { kind: 'query', query };
  }
  if (isSymbol(source, ')', 1) && !has(source, 'empty lists')) {
    source.at++;
    unexpected(source, 'a value');
  }
  return { kind: 'list', values: readList(source, () => readExpression(source)) };
}
