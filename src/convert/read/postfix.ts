// Reads what follows a value without an operator: casts, elements, fields, paths.
import type { Expression } from '../../sql/syntax-tree.ts';
import { castOf } from './interval.ts';
import {
  expectSymbol,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  readName,
  report,
  takeSymbol,
  unexpected,
  requireDepth,
  type Source,
} from './source.ts';
import { readTypeName } from './type-name.ts';

/** @throws ReadError */
export function readPostfix(source: Source, value: Expression): Expression {
  let whole = value;
  for (let count = 0; ; requireDepth(source, ++count)) {
    const wider = readOne(source, whole);
    if (wider === undefined) return whole;
    whole = wider;
  }
}

function readOne(source: Source, value: Expression): Expression | undefined {
  const { at } = value;
  if (takeSymbol(source, '::')) return castOf(value, readTypeName(source), { at, isSafe: false });
  if (isSymbol(source, '[') && value.kind !== 'number' && value.kind !== 'string')
    return readElement(source, value);
  if (isSymbol(source, '.') && (peek(source, 1).kind === 'word' || peek(source, 1).kind === 'quoted')) {
    source.at++;
    return { kind: 'field', at, of: value, name: readName(source) };
  }
  if (
    source.dialect === 'snowflake' &&
    isSymbol(source, ':') &&
    ['word', 'quoted'].includes(peek(source, 1).kind)
  ) {
    source.at++;
    return { kind: 'field', at, of: value, name: readName(source) };
  }
  if (!isWord(source, 'COLLATE')) return undefined;
  const { start } = next(source);
  const { text, kind } = next(source);
  if (kind !== 'word' && kind !== 'quoted' && kind !== 'string') return unexpected(source, 'a collation');
  report(source, start, {
    severity: 'differs',
    code: 'collation',
    message: `COLLATE ${text} is left out: strings are compared by their bytes`,
  });
  return value;
}

/** `[index]`, `[from:to]`, `[OFFSET(n)]`, `['key']`. */
function readElement(source: Source, of: Expression): Expression {
  const { at } = of;
  expectSymbol(source, '[');
  if (takeSymbol(source, ':')) return readSlice(source, { of });
  const based = readBased(source);
  const index = based?.index ?? readExpression(source);
  if (takeSymbol(source, ':')) return readSlice(source, { of, from: index });
  expectSymbol(source, ']');
  if (index.kind === 'string') return { kind: 'field', at, of, name: { name: index.value, at: index.at } };
  const base = based?.base ?? (source.dialect === 'snowflake' || source.dialect === 'bigquery' ? 0 : 1);
  return { kind: 'index', at, of, index, base };
}

const BASES: Readonly<Record<string, 0 | 1>> = { OFFSET: 0, SAFE_OFFSET: 0, ORDINAL: 1, SAFE_ORDINAL: 1 };

function readBased(source: Source): { readonly index: Expression; readonly base: 0 | 1 } | undefined {
  const base = source.dialect === 'bigquery' ? BASES[peek(source).upper] : undefined;
  if (base === undefined || !isSymbol(source, '(', 1)) return undefined;
  source.at += 2;
  const index = readExpression(source);
  expectSymbol(source, ')');
  return { index, base };
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
