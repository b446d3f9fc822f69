// Reads what tests a value: [NOT] BETWEEN, IN, LIKE and similar.
import type { Among, Expression, LikeOperator } from '../tree.ts';
import type { Power } from './grammar.ts';
import { areWords, expectSymbol, expectWords, has, isQueryAhead, isQueryWithin, isSymbol, isWord, peek, readExpression, readList, requires, takeWords, unexpected, unread, type Source } from './source.ts'; // prettier-ignore

/** Undefined if no predicate follows; `power` is that of its operands. */
export function readPredicate(source: Source, value: Expression, power: Power): Expression | undefined {
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
