// Reads expressions by precedence.
import type { Among, Expression, LikeOperator } from '../../sql/syntax-tree.ts';
import { OPERATORS, SIGN_POWER, type Power } from './operators.ts';
import {
  areWords,
  expectSymbol,
  expectWord,
  isMysql,
  isQueryAhead,
  isSymbol,
  isWord,
  nested,
  next,
  peek,
  readExpression,
  readList,
  takeWords,
  textFrom,
  unexpected,
  requireDepth,
  type Source,
} from './source.ts';

/** Reads an expression of operators that bind tighter than a power. */
export function readAbove(source: Source, power: Power): Expression {
  return nested(source, () => {
    let left = readPrefix(source);
    for (let count = 0; ;) {
      const wider = readInfix(source, left, power);
      if (wider === undefined) return left;
      // AND, OR and || are flat; other operators nest, however they are written.
      if (wider.kind !== 'chain') requireDepth(source, ++count);
      left = wider;
    }
  });
}

function readPrefix(source: Source): Expression {
  const { start: at, kind, text } = peek(source);
  const { not } = OPERATORS[source.dialect];
  if (isWord(source, 'NOT')) {
    source.at++;
    // NOT is not associative with operators that bind less tightly.
    return { kind: 'unary', at, operator: 'NOT', value: readAbove(source, not - 1) };
  }
  if (kind !== 'symbol' || !['-', '+', '~', '!'].includes(text)) return source.rules.primary(source);
  source.at++;
  const value = readAbove(source, SIGN_POWER);
  if (text === '-' && value.kind === 'number' && !value.text.startsWith('-'))
    return { ...value, at, text: `-${value.text}` };
  return {
    kind: 'unary',
    at,
    operator: text === '!' ? 'NOT' : text === '-' || text === '+' ? text : '~',
    value,
  };
}

function readInfix(source: Source, left: Expression, above: Power): Expression | undefined {
  const { infix, is, predicate } = OPERATORS[source.dialect];
  const token = peek(source);
  if (token.kind !== 'symbol' && token.kind !== 'word') return undefined;
  if (is > above) {
    const tested = readTest(source, left);
    if (tested !== undefined) return tested;
  }
  if (predicate > above) {
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

function readRight(source: Source, left: Expression, { operator, at, power }: Operator): Expression {
  const quantifier = peek(source);
  if (quantifier.kind === 'word' && QUANTIFIERS.has(quantifier.upper) && isSymbol(source, '(', 1)) {
    source.at++;
    const among = source.rules.primary(source);
    return {
      kind: 'quantified',
      at,
      operator,
      quantifier: quantifier.upper === 'ALL' ? 'ALL' : 'ANY',
      value: left,
      among,
    };
  }
  const right = readAbove(source, power);
  const chained = isMysql(source) ? MYSQL_CHAINS[operator] : CHAINS[operator];
  if (chained !== undefined) return chain(left, right, chained);
  const like = LIKE_SYMBOLS[operator];
  if (like !== undefined && !isMysql(source))
    return { kind: 'like', at: left.at, operator: like[0], value: left, pattern: right, isNot: like[1] };
  return {
    kind: 'binary',
    at,
    operator: operator === '==' ? '=' : operator === '!=' ? '<>' : operator,
    left,
    right,
  };
}

type Chain = Extract<Expression, { kind: 'chain' }>['operator'];
const CHAINS: Readonly<Record<string, Chain>> = { AND: 'AND', OR: 'OR', '||': '||' };
const MYSQL_CHAINS: Readonly<Record<string, Chain>> = { AND: 'AND', OR: 'OR', '||': 'OR', '&&': 'AND' };
const LIKE_SYMBOLS: Readonly<Record<string, readonly [LikeOperator, boolean]>> = {
  '~': ['REGEXP', false],
  '~*': ['IREGEXP', false],
  '!~': ['REGEXP', true],
  '!~*': ['IREGEXP', true],
  '~~': ['LIKE', false],
  '~~*': ['ILIKE', false],
  '!~~': ['LIKE', true],
  '!~~*': ['ILIKE', true],
};

function chain(left: Expression, right: Expression, operator: Chain): Expression {
  const values = left.kind === 'chain' && left.operator === operator ? left.values : [left];
  return { kind: 'chain', at: left.at, operator, values: [...values, right] };
}

/** IS, ISNULL and NOTNULL. */
function readTest(source: Source, value: Expression): Expression | undefined {
  const { at } = value;
  const isNull = (isNot: boolean): Expression => ({ kind: 'is', at, value, what: 'NULL', isNot });
  const isWordy =
    source.dialect === 'postgresql' || source.dialect === 'redshift' || source.dialect === 'sqlite';
  if (isWordy && takeWords(source, 'ISNULL')) return isNull(false);
  if (isWordy && takeWords(source, 'NOTNULL')) return isNull(true);
  if (isWordy && takeWords(source, 'NOT', 'NULL')) return isNull(true);
  if (!isWord(source, 'IS')) return undefined;
  const start = peek(source).start;
  source.at++;
  const isNot = takeWords(source, 'NOT');
  if (takeWords(source, 'NULL') || takeWords(source, 'UNKNOWN')) return isNull(isNot);
  if (takeWords(source, 'TRUE')) return { kind: 'is', at, value, what: 'TRUE', isNot };
  if (takeWords(source, 'FALSE')) return { kind: 'is', at, value, what: 'FALSE', isNot };
  const isDistinct = takeWords(source, 'DISTINCT', 'FROM');
  if (!isDistinct && source.dialect !== 'sqlite') {
    next(source);
    return { kind: 'unread', at, text: textFrom(source, at), reason: 'this test is not supported' };
  }
  const right = readAbove(source, OPERATORS[source.dialect].is);
  const isSame = isDistinct === isNot;
  return {
    kind: 'binary',
    at: start,
    operator: isSame ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM',
    left: value,
    right,
  };
}

const LIKES: readonly (readonly [words: readonly string[], operator: LikeOperator])[] = [
  [['LIKE'], 'LIKE'],
  [['ILIKE'], 'ILIKE'],
  [['SIMILAR', 'TO'], 'SIMILAR TO'],
  [['RLIKE'], 'REGEXP'],
  [['REGEXP'], 'REGEXP'],
  [['GLOB'], 'GLOB'],
];

const UNREAD = [['SOUNDS', 'LIKE'], ['MEMBER', 'OF'], ['OVERLAPS'], ['MATCH']] as const;

/** [NOT] BETWEEN, IN, LIKE and similar. */
function readPredicate(source: Source, value: Expression, power: Power): Expression | undefined {
  const isNot = isWord(source, 'NOT');
  const ahead = isNot ? 1 : 0;
  const { at } = value;
  if (isWord(source, 'BETWEEN', ahead)) {
    source.at += ahead + 1;
    const isSymmetric = takeWords(source, 'SYMMETRIC');
    takeWords(source, 'ASYMMETRIC');
    const low = readAbove(source, power);
    expectWord(source, 'AND');
    const high = readAbove(source, power);
    if (isSymmetric)
      return { kind: 'unread', at, text: textFrom(source, at), reason: 'BETWEEN SYMMETRIC is not supported' };
    return { kind: 'between', at, value, low, high, isNot };
  }
  if (isWord(source, 'IN', ahead)) {
    source.at += ahead + 1;
    return { kind: 'in', at, value, among: readAmong(source), isNot };
  }
  const like = LIKES.find(([words]) => areWords(source, words, ahead));
  if (like === undefined) {
    const unread = UNREAD.find((each) => areWords(source, each, ahead));
    if (unread === undefined) return undefined;
    source.at += ahead + unread.length;
    return unreadOperator(source, value, `the operator ${unread.join(' ')} is not supported`);
  }
  const [words, operator] = like;
  source.at += ahead + words.length;
  return readLike(source, value, { operator, isNot, power });
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
  const pattern = readAbove(source, power);
  if (!takeWords(source, 'ESCAPE')) return { kind: 'like', at, operator, value, pattern, isNot };
  return { kind: 'like', at, operator, value, pattern, escape: readAbove(source, power), isNot };
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
  if (isQueryAhead(source)) return unreadOperator(source, value, 'a pattern from a query is not supported');
  const listed = readList(source, () => readExpression(source));
  const [only, more] = listed;
  const patterns = more === undefined && only?.kind === 'array' ? only.items : listed;
  const isUnknown =
    more === undefined && only?.kind !== 'array' && only?.kind !== 'string' && source.dialect !== 'snowflake';
  // Snowflake does not document what NOT applies to.
  if (isUnknown || (isNot && source.dialect === 'snowflake'))
    return { kind: 'unread', at, text: textFrom(source, at), reason: 'these patterns are not supported' };
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

/** An operator with its right operand. */
function unreadOperator(source: Source, { at }: Expression, reason: string): Expression {
  readAbove(source, OPERATORS[source.dialect].predicate);
  return { kind: 'unread', at, text: textFrom(source, at), reason };
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
  if (isQueryAhead(source, 1) && !isRow(source)) {
    source.at++;
    const query = source.query(source);
    expectSymbol(source, ')');
    return { kind: 'query', query };
  }
  return { kind: 'list', values: readList(source, () => readExpression(source)) };
}

/** `((SELECT 1), 2)` is a list: its first query is followed by a comma. */
function isRow(source: Source): boolean {
  if (!isSymbol(source, '(', 1)) return false;
  let depth = 0;
  for (let index = 1; ; index++) {
    const token = peek(source, index);
    if (token.kind === 'end') return false;
    if (token.kind !== 'symbol') continue;
    if (token.text === '(') depth++;
    if (token.text === ')') depth--;
    if (depth === 0) return isSymbol(source, ',', index + 1);
  }
}
