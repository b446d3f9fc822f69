// Reads what follows a value without an operator: casts, elements, fields, paths, collations.
import type { Expression, IndexBase } from '../tree.ts';
import { castOf } from './interval.ts';
import { expectSymbol, has, isNameToken, isSymbol, next, peek, readExpression, readMember, requires, takeSymbol, takeWords, unexpected, type Source } from './source.ts'; // prettier-ignore
import { tooLarge } from '../context.ts';
import { readTypeName } from './type-name.ts';

/** @throws UnconvertedError */
export function readPostfix(source: Source, value: Expression): Expression {
  const { accessors } = source.limits;
  let whole = value;
  for (let count = 1; ; count++) {
    const wider = readOne(source, whole);
    if (wider === undefined) return whole;
    if (count > accessors)
      tooLarge(peek(source).start, `A value has more than ${accessors} fields, elements and casts in a row`);
    whole = wider;
  }
}

function readOne(source: Source, value: Expression): Expression | undefined {
  const { at } = value;
  if (takeSymbol(source, '::')) return castOf(value, readTypeName(source), { at, isSafe: false });
  if (isSymbol(source, '[') && value.kind !== 'number' && value.kind !== 'string')
    return readElement(source, value);
  const isColon = isSymbol(source, ':') && has(source, 'colon paths');
  if ((isSymbol(source, '.') || isColon) && isNameToken(source, 1)) {
    source.at++;
    return { kind: 'field', at, of: value, name: readMember(source) };
  }
  if (!takeWords(source, 'COLLATE')) return undefined;
  const { text, kind, start } = next(source);
  if (kind !== 'word' && kind !== 'quoted' && kind !== 'string') {
    source.at--;
    return unexpected(source, 'a collation');
  }
  return { kind: 'collate', at, value, collation: { name: text, at: start } };
}

/** `[index]`, `[from:to]`, `[OFFSET(n)]`, `['key']`. */
function readElement(source: Source, of: Expression): Expression {
  const { at } = of;
  expectSymbol(source, '[');
  if (takeColon(source)) return readSlice(source, { of });
  const based = readBased(source);
  const index = based?.index ?? readExpression(source);
  if (based === undefined && takeColon(source)) return readSlice(source, { of, from: index });
  expectSymbol(source, ']');
  if (index.kind === 'string') return { kind: 'field', at, of, name: { name: index.value, at: index.at } };
  return { kind: 'index', at, of, index, base: source.grammar.indexBase, ...based };
}

function takeColon(source: Source): boolean {
  if (isSymbol(source, ':')) requires(source, 'standard calls', 'A slice of an array');
  return takeSymbol(source, ':');
}

const BASES: ReadonlyMap<string, IndexBase> = new Map<string, IndexBase>([
  ['OFFSET', 0],
  ['SAFE_OFFSET', 0],
  ['ORDINAL', 1],
  ['SAFE_ORDINAL', 1],
]);

interface Based {
  readonly index: Expression;
  readonly base: IndexBase;
  readonly isSafe: boolean;
}

function readBased(source: Source): Based | undefined {
  const { upper } = peek(source);
  const base = has(source, 'based indexes') && isSymbol(source, '(', 1) ? BASES.get(upper) : undefined;
  if (base === undefined) return undefined;
  source.at += 2;
  const index = readExpression(source);
  expectSymbol(source, ')');
  return { index, base, isSafe: upper.startsWith('SAFE_') };
}

function readSlice(
  source: Source,
  { of, from }: { readonly of: Expression; readonly from?: Expression },
): Expression {
  const to = isSymbol(source, ']') ? undefined : readExpression(source);
  expectSymbol(source, ']');
  return {
    kind: 'slice',
    at: of.at,
    of,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}
