// Reads ORDER BY elements and windows.
import type { Name, Order, Select, Window } from '../tree.ts';
import { unsupported } from '../context.ts';
import {
  expectSymbol, expectWords, has, isNameToken, isSymbol, isWord, peek, readExpression, readItems, readName, takeWords, textFrom,
  unexpected, type Source,
} from './source.ts'; // prettier-ignore

/** The elements of ORDER BY. */
export function readOrders(source: Source): readonly Order[] {
  return readItems(source, () => readOrder(source));
}

/** @throws UnconvertedError */
export function readOrder(source: Source): Order {
  const value = readExpression(source);
  const isDescending = takeWords(source, 'DESC');
  if (!isDescending) takeWords(source, 'ASC'); // the default
  if (isWord(source, 'USING')) return unexpected(source, 'ASC or DESC');
  const nulls = (['FIRST', 'LAST'] as const).find((place) => takeWords(source, 'NULLS', place));
  return { value, isDescending, nulls };
}

/** What follows OVER. */
export function readOver(source: Source): Window | Name {
  return isSymbol(source, '(') ? readWindow(source) : readName(source, 'a window');
}

const STARTS: ReadonlySet<string> = new Set(['PARTITION', 'ORDER', 'ROWS', 'RANGE', 'GROUPS']);

/** A window in parentheses. */
function readWindow(source: Source): Window {
  expectSymbol(source, '(');
  const base =
    isNameToken(source) && !STARTS.has(peek(source).upper) ? readName(source, 'a window') : undefined;
  const partitionBy = takeWords(source, 'PARTITION', 'BY')
    ? readItems(source, () => readExpression(source))
    : [];
  const orderBy = takeWords(source, 'ORDER', 'BY') ? readOrders(source) : [];
  const frame = readFrame(source);
  expectSymbol(source, ')');
  return {
    base,
    partitionBy,
    orderBy,
    frame,
  };
}

const EXCLUSIONS: readonly (readonly string[])[] = [
  ['CURRENT', 'ROW'],
  ['GROUP'],
  ['TIES'],
  ['NO', 'OTHERS'],
];

/** Keywords and numbers; the bounds of other frames are as they are written. */
function readFrame(source: Source): string | undefined {
  const units = has(source, 'standard clauses') ? ['ROWS', 'RANGE', 'GROUPS'] : ['ROWS', 'RANGE'];
  const unit = units.find((word) => takeWords(source, word));
  if (unit === undefined) return undefined;
  const isBetween = takeWords(source, 'BETWEEN');
  const from = readBound(source);
  if (isBetween) expectWords(source, 'AND');
  const bounds = isBetween ? `BETWEEN ${from} AND ${readBound(source)}` : from;
  if (!has(source, 'standard clauses') || !takeWords(source, 'EXCLUDE')) return `${unit} ${bounds}`;
  const excluded = EXCLUSIONS.find((words) => takeWords(source, ...words));
  return `${unit} ${bounds} EXCLUDE ${excluded?.join(' ') ?? unexpected(source, 'what is excluded')}`;
}

function readBound(source: Source): string {
  if (takeWords(source, 'CURRENT', 'ROW')) return 'CURRENT ROW';
  const count = takeWords(source, 'UNBOUNDED') ? 'UNBOUNDED' : readDistance(source);
  const side = (['PRECEDING', 'FOLLOWING'] as const).find((word) => takeWords(source, word));
  return `${count} ${side ?? unexpected(source, 'PRECEDING or FOLLOWING')}`;
}

/** How many rows, or how far; an expression is as it is written. */
function readDistance(source: Source): string {
  const { start } = peek(source);
  const value = readExpression(source);
  if (value.kind === 'number' && /^\d+(?:\.\d+)?$/.test(value.text)) return value.text;
  if (source.isStrict) unsupported(start, 'The bounds of a frame must be numbers');
  return textFrom(source, start);
}

/** The elements of the clause WINDOW. */
export function readNamedWindows(source: Source): Select['windows'] {
  return readItems(source, () => {
    const name = readName(source, 'the name of a window');
    expectWords(source, 'AS');
    return { name, window: readWindow(source) };
  });
}
