// ORDER BY, LIMIT and windows.
import {
  close,
  expectKind,
  expectWord,
  listUntil,
  kind,
  leaf,
  name,
  nest,
  newName,
  open,
  skip,
  take,
  takeKind,
  values,
  word,
  type Reader,
} from './reader.ts';

/** ORDER BY with its elements, and INTERPOLATE. */
export function parseOrderBy(reader: Reader): true {
  const outer = open(reader, 'order-by');
  parseOrderElements(reader);
  if (word(reader) === 'INTERPOLATE') {
    const order = open(reader, 'interpolate');
    skip(reader);
    if (takeKind(reader, '(')) listUntil(reader, ')', () => parseInterpolated(reader));
    close(reader, order);
  }
  close(reader, outer);
  return true;
}

function parseInterpolated(reader: Reader): void {
  const outer = open(reader, 'interpolated');
  newName(reader);
  if (take(reader, 'AS')) reader.grammar.expression(reader, 'none');
  close(reader, outer);
}

/** `ORDER BY` and its elements. */
function parseOrderElements(reader: Reader): void {
  skip(reader, 2);
  do parseOrderElement(reader);
  while (takeKind(reader, ','));
}

export function parseOrderElement(reader: Reader): void {
  const outer = open(reader, 'order-item');
  if (!take(reader, 'ALL')) reader.grammar.expression(reader, 'as');
  for (const direction of ['ASC', 'DESC', 'ASCENDING', 'DESCENDING']) if (take(reader, direction)) break;
  if (!take(reader, 'NULLS', 'FIRST')) take(reader, 'NULLS', 'LAST');
  if (take(reader, 'COLLATE')) expectKind(reader, 'string', 'the name of a collation, as a string');
  if (word(reader) === 'WITH' && word(reader, 1) === 'FILL') parseFill(reader);
  close(reader, outer);
}

function parseFill(reader: Reader): void {
  const outer = open(reader, 'fill');
  skip(reader, 2);
  for (const bound of ['FROM', 'TO', 'STEP', 'STALENESS']) {
    if (take(reader, bound)) reader.grammar.expression(reader, 'none');
  }
  close(reader, outer);
}

/** LIMIT, OFFSET and FETCH; false if there is none. */
export function parseLimit(reader: Reader): boolean {
  if (word(reader) === 'LIMIT') {
    const outer = open(reader, 'limit');
    skip(reader);
    reader.grammar.expression(reader, 'none');
    if (takeKind(reader, ',') || take(reader, 'OFFSET')) reader.grammar.expression(reader, 'none');
    take(reader, 'WITH', 'TIES');
    if (word(reader) === 'BY') parseLimitBy(reader);
    close(reader, outer);
    return true;
  }
  if (word(reader) === 'OFFSET') {
    const outer = open(reader, 'offset');
    skip(reader);
    reader.grammar.expression(reader, 'none');
    takeRows(reader);
    close(reader, outer);
    return true;
  }
  return word(reader) === 'FETCH' && parseFetch(reader);
}

function takeRows(reader: Reader): void {
  if (!take(reader, 'ROWS')) take(reader, 'ROW');
}

/** `TOP 3` or `TOP (3)`; elsewhere `top` is a column. */
export function parseTop(reader: Reader): void {
  if (word(reader) !== 'TOP') return;
  const isBracketed = kind(reader, 1) === '(' && kind(reader, 2) === 'number' && kind(reader, 3) === ')';
  if (kind(reader, 1) !== 'number' && !isBracketed) return;
  leaf(reader, 'top', isBracketed ? 4 : 2);
  take(reader, 'WITH', 'TIES');
}

function parseLimitBy(reader: Reader): void {
  const outer = open(reader, 'limit-by');
  skip(reader);
  if (!take(reader, 'ALL')) values(reader, 'none');
  close(reader, outer);
}

function parseFetch(reader: Reader): true {
  const outer = open(reader, 'fetch');
  skip(reader);
  if (!take(reader, 'FIRST')) expectWord(reader, 'NEXT');
  reader.grammar.expression(reader, 'none');
  takeRows(reader);
  if (!take(reader, 'ONLY') && !take(reader, 'WITH', 'TIES')) expectWord(reader, 'ONLY');
  close(reader, outer);
  return true;
}

/** `name AS (…)`, comma-separated, after WINDOW. */
export function parseWindows(reader: Reader): true {
  const outer = open(reader, 'windows');
  skip(reader);
  do {
    const windows = open(reader, 'named-window');
    newName(reader);
    expectWord(reader, 'AS');
    parseWindow(reader);
    close(reader, windows);
  } while (takeKind(reader, ','));
  close(reader, outer);
  return true;
}

/** `([name] [PARTITION BY …] [ORDER BY …] [frame])`. */
export function parseWindow(reader: Reader): void {
  const outer = open(reader, 'window');
  expectKind(reader, '(', 'a window in parentheses');
  nest(reader, () => {
    if (word(reader, 1) !== 'BY' && name(reader) !== undefined && !isFrame(reader)) skip(reader);
    if (take(reader, 'PARTITION', 'BY')) values(reader, 'none');
    if (word(reader) === 'ORDER' && word(reader, 1) === 'BY') {
      const window = open(reader, 'order-by');
      parseOrderElements(reader);
      close(reader, window);
    }
    if (isFrame(reader)) parseFrame(reader);
  });
  expectKind(reader, ')', 'the end of the window');
  close(reader, outer);
}

function isFrame(reader: Reader): boolean {
  const next = word(reader);
  return next === 'ROWS' || next === 'RANGE' || next === 'GROUPS';
}

function parseFrame(reader: Reader): void {
  skip(reader);
  const isRange = take(reader, 'BETWEEN');
  parseBound(reader);
  if (!isRange) return;
  expectWord(reader, 'AND');
  parseBound(reader);
}

function parseBound(reader: Reader): void {
  if (take(reader, 'CURRENT', 'ROW')) return;
  if (!take(reader, 'UNBOUNDED')) reader.grammar.operand(reader, true);
  if (!take(reader, 'PRECEDING')) expectWord(reader, 'FOLLOWING');
}
