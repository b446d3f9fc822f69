// Reads ORDER BY elements and windows.
import type { Name, Order, Window } from '../../sql/syntax-tree.ts';
import {
  type Source,
  expectSymbol,
  isSymbol,
  isWord,
  next,
  peek,
  readExpression,
  readItems,
  readName,
  report,
  takeSymbol,
  takeWords,
  textFrom,
  unexpected,
} from './source.ts';

/** The elements of ORDER BY. */
export function readOrders(source: Source): readonly Order[] {
  return readItems(source, () => readOrder(source));
}

/** @throws ReadError */
function readOrder(source: Source): Order {
  const value = readExpression(source);
  const isDescending = takeWords(source, 'DESC');
  if (!isDescending) takeWords(source, 'ASC');
  if (isWord(source, 'USING')) return unexpected(source, 'ASC or DESC');
  const nulls = takeWords(source, 'NULLS', 'FIRST')
    ? 'FIRST'
    : takeWords(source, 'NULLS', 'LAST')
      ? 'LAST'
      : undefined;
  return { value, isDescending, ...(nulls === undefined ? {} : { nulls }) };
}

/** What follows OVER. */
export function readOver(source: Source): Window | Name {
  return isSymbol(source, '(') ? readWindow(source) : readName(source, 'a window');
}

/** A window in parentheses. */
function readWindow(source: Source): Window {
  expectSymbol(source, '(');
  const isBase = ['word', 'quoted'].includes(peek(source).kind) && !STARTS.has(peek(source).upper);
  const base = isBase ? readName(source) : undefined;
  const partitionBy = takeWords(source, 'PARTITION', 'BY')
    ? readItems(source, () => readExpression(source))
    : [];
  const orderBy = takeWords(source, 'ORDER', 'BY') ? readOrders(source) : [];
  const frame = isSymbol(source, ')') ? undefined : readFrame(source);
  expectSymbol(source, ')');
  return {
    ...(base === undefined ? {} : { base }),
    partitionBy,
    orderBy,
    ...(frame === undefined ? {} : { frame }),
  };
}

const STARTS: ReadonlySet<string> = new Set(['PARTITION', 'ORDER', 'ROWS', 'RANGE', 'GROUPS']);
const FRAME_WORDS: ReadonlySet<string> = new Set([
  'ROWS',
  'RANGE',
  'BETWEEN',
  'AND',
  'UNBOUNDED',
  'PRECEDING',
  'FOLLOWING',
  'CURRENT',
  'ROW',
]);

/** Keywords and numbers; a frame of other things is reported and kept as written. */
function readFrame(source: Source): string {
  const { start } = peek(source);
  const words: string[] = [];
  let isPlain = true;
  for (let depth = 0; depth > 0 || !isSymbol(source, ')');) {
    const { kind, upper } = next(source);
    if (kind === 'end') return unexpected(source, '")"');
    if (upper === '(') depth++;
    if (upper === ')') depth--;
    isPlain &&= kind === 'number' || FRAME_WORDS.has(upper);
    words.push(upper);
  }
  if (!isPlain) {
    const message = `The window frame ${textFrom(source, start)} is not supported`;
    report(source, start, { severity: 'not_converted', code: 'clause', message });
  }
  return words.join(' ');
}

/** The elements of the clause WINDOW. */
export function readNamedWindows(
  source: Source,
): readonly { readonly name: Name; readonly window: Window }[] {
  const windows = [];
  do {
    const name = readName(source, 'the name of a window');
    if (!takeWords(source, 'AS')) return unexpected(source, 'AS');
    windows.push({ name, window: readWindow(source) });
  } while (takeSymbol(source, ','));
  return windows;
}
