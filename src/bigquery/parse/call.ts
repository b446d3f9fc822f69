// Parses function calls, including what may occur inside and after the parentheses.
import { parseCount, parseOrders, parseWindow } from './clauses.ts';
import type { Reader } from './reader.ts';
import { untranslated } from '../translation-error.ts';
import type { Call, Expression } from '../../sql/syntax-tree.ts';

/** Reserved keywords that are also functions. */
const CALLABLE: ReadonlySet<string | undefined> = new Set(['IF', 'LEFT', 'RIGHT', 'ANY', 'HASH', 'GROUPING']);

/** Functions that are called without parentheses. */
const BARE: ReadonlySet<string | undefined> = new Set([
  'CURRENT_TIMESTAMP',
  'CURRENT_DATE',
  'CURRENT_DATETIME',
]);

/** `name(…)` or `SAFE.name(…)`; undefined if no call comes next. */
export function parseCall(reader: Reader): Call | undefined {
  const isSafe = reader.word() === 'SAFE' && reader.isSymbol('.', 1) && reader.isSymbol('(', 3);
  const ahead = isSafe ? 2 : 0;
  const isBare = BARE.has(reader.word(ahead)) && !reader.isSymbol('(', ahead + 1);
  const { kind } = reader.peek(ahead);
  const isNamed = kind === 'word' && (reader.isName(ahead) || CALLABLE.has(reader.word(ahead)));
  if (!isBare && !(isNamed && reader.isSymbol('(', ahead + 1))) return undefined;
  if (isSafe) {
    reader.next();
    reader.next();
  }
  const token = reader.next();
  const call = { kind: 'call', at: token.start, name: token.text.toLowerCase(), isSafe } as const;
  if (isBare) return { ...call, args: [], isStar: false, isDistinct: false, orderBy: [] };
  return { ...call, ...parseArguments(reader), ...parseOver(reader) };
}

function parseArguments(reader: Reader): Omit<Call, 'kind' | 'at' | 'name' | 'isSafe' | 'over'> {
  reader.expectSymbol('(');
  const isDistinct = reader.take('DISTINCT');
  const isStar = reader.takeSymbol('*');
  const args = isStar ? [] : parseValues(reader);
  const early = parseNulls(reader);
  const extreme = (['MAX', 'MIN'] as const).find((word) => reader.take('HAVING', word));
  const having = extreme === undefined ? undefined : { extreme, by: reader.grammar.expression(reader) };
  const orderBy = reader.take('ORDER', 'BY') ? parseOrders(reader) : [];
  const limit = reader.take('LIMIT') ? parseCount(reader) : undefined;
  reader.expectSymbol(')');
  const nulls = early ?? parseNulls(reader);
  return {
    isStar,
    isDistinct,
    args,
    orderBy,
    ...(nulls === undefined ? {} : { nulls }),
    ...(having === undefined ? {} : { having }),
    ...(limit === undefined ? {} : { limit }),
  };
}

function parseValues(reader: Reader): readonly Expression[] {
  const values: Expression[] = [];
  while (!reader.isSymbol(')')) {
    values.push(reader.grammar.expression(reader));
    if (!reader.takeSymbol(',')) break;
  }
  return values;
}

function parseNulls(reader: Reader): Call['nulls'] {
  return (['IGNORE', 'RESPECT'] as const).find((word) => reader.take(word, 'NULLS'));
}

function parseOver(reader: Reader): Pick<Call, 'over'> {
  if (reader.word() === 'FILTER')
    untranslated(reader.at(), 'FILTER is not supported', 'Write COUNTIF or IF.');
  if (!reader.take('OVER')) return {};
  return { over: reader.isSymbol('(') ? parseWindow(reader) : reader.name('a window') };
}
