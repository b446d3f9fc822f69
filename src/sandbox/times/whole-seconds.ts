// Times without fractional seconds that are compared with a DateTime64 column: `ts > now() - INTERVAL 1 DAY`. An index compares them by the
// second, and overlooks `12:00:00.5` for `ts > '12:00:00'` beside certain entries of other tenants. With a scale they are compared exactly.
import type { Cursor } from '../../sql/cursor.ts';
import { UNITS } from '../../sql/tree/keywords.ts';
import { endOf } from '../leakproof/condition-ranges.ts';
import { isConstantCall } from '../leakproof/functions.ts';

const ORDERS: ReadonlySet<string> = new Set(['<', '>', '<=', '>=', 'BETWEEN']);

/** The query with a scale for such times in its conditions; undefined if there are none. */
export function withScales(
  cursor: Cursor,
  types: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const scaled = [...types].filter(([, all]) => {
    return all.some((type) => FRACTIONS.test(type)) && all.every((type) => TIMES.test(type));
  });
  if (scaled.length === 0) return undefined;
  const parts: string[] = [];
  let end = 0;
  for (const { from, to } of timesIn(cursor, new Map(scaled))) {
    if (cursor.start(from) < end) continue;
    parts.push(cursor.sql.slice(end, cursor.start(from)));
    end = cursor.end(to - 1);
    const first = cursor.word(from) === 'TIMESTAMP' ? from + 1 : from;
    parts.push(`toDateTime64(${cursor.sql.slice(cursor.start(first), end)}, 0)`);
  }
  return parts.length === 0 ? undefined : `${parts.join('')}${cursor.sql.slice(end)}`;
}

const FRACTIONS = /^(?:Nullable\()?DateTime64\(/;
const TIMES = /^(?:Nullable\()?Date(?:32|Time|Time64)?\b/;

interface Range {
  readonly from: number;
  readonly to: number;
}

function* timesIn(cursor: Cursor, columns: ReadonlyMap<string, readonly string[]>): Generator<Range> {
  let conditionsEnd = 0;
  for (let at = 0; at < cursor.length; at++) {
    const word = cursor.word(at);
    if (word === 'WHERE' || word === 'PREWHERE')
      conditionsEnd = Math.max(conditionsEnd, endOf(cursor, at + 1));
    if (at >= conditionsEnd || !ORDERS.has(word ?? cursor.kind(at) ?? '')) continue;
    const before = cursor.word(at - 1) === 'NOT' && word === 'BETWEEN' ? at - 2 : at - 1;
    const right = rangeFrom(cursor, at + 1);
    const types = columns.get(cursor.name(before) ?? '') ?? typesOfCall(cursor, before);
    if (types !== undefined) {
      if (right !== undefined && isExact(cursor, right, types)) yield right;
      const and = word === 'BETWEEN' ? andAfter(cursor, at + 1) : undefined;
      const high = and === undefined ? undefined : rangeFrom(cursor, and + 1);
      if (high !== undefined && isExact(cursor, high, types)) yield high;
      continue;
    }
    const column = cursor.kind(at + 2) === '.' ? at + 3 : at + 1;
    const own = word === 'BETWEEN' ? undefined : columns.get(cursor.name(column) ?? '');
    const left = own && rangeTo(cursor, at);
    if (own !== undefined && left !== undefined && isExact(cursor, left, own)) yield left;
  }
}

/** `toDateTime64(…)`, in any zone. */
function typesOfCall(cursor: Cursor, close: number): readonly string[] | undefined {
  if (cursor.kind(close) !== ')') return undefined;
  let open = close;
  while (open > 0 && (cursor.kind(open) !== '(' || cursor.closing(open) !== close)) open--;
  return /^toDateTime64$/i.test(cursor.name(open - 1) ?? '') ? ["DateTime64(0, 'any')"] : undefined;
}

function andAfter(cursor: Cursor, from: number): number {
  let at = from;
  while (at < cursor.length && cursor.word(at) !== 'AND') at = cursor.after(at);
  return at;
}

/** A constant that begins at a token, up to the end of the operand. */
function rangeFrom(cursor: Cursor, from: number): Range | undefined {
  const to = constantEnd(cursor, from);
  return to === undefined || CONTINUES.has(cursor.kind(to)) ? undefined : { from, to };
}

/** The constant that ends before an operator. */
function rangeTo(cursor: Cursor, operator: number): Range | undefined {
  for (let from = operator - 2; from >= 0; from--) {
    const isStart = BEFORE.has(cursor.word(from - 1)) || cursor.kind(from - 1) === '(';
    if (isStart && constantEnd(cursor, from) === operator) return { from, to: operator };
    if (BEFORE.has(cursor.word(from - 1))) return undefined;
  }
  return undefined;
}

const BEFORE: ReadonlySet<string | undefined> = new Set(['WHERE', 'PREWHERE', 'AND', 'OR', 'NOT']);
const CONTINUES: ReadonlySet<string | undefined> = new Set([
  '.',
  '[',
  '::',
  '+',
  '-',
  '*',
  '/',
  '%',
  '||',
  '?',
]);

/** Of `timestamp '…'`, within the years of a DateTime. */
const WRITTEN = /^'(?:19[89]\d|20\d\d)-\d\d-\d\d \d\d:\d\d:\d\d'$/;

/** A call of constants, or a string with a type, plus and minus intervals and numbers. */
function constantEnd(cursor: Cursor, from: number): number | undefined {
  let at: number;
  if (cursor.kind(from) === 'string') {
    if (cursor.kind(from + 1) !== '::' || cursor.word(from + 2) !== 'DATETIME') return undefined;
    at = cursor.kind(from + 3) === '(' ? cursor.closing(from + 3) + 1 : from + 3;
  } else if (cursor.word(from) === 'TIMESTAMP')
    return WRITTEN.test(cursor.text(from + 1)) ? from + 2 : undefined;
  else if (isConstant(cursor, from)) at = cursor.closing(from + 1) + 1;
  else return undefined;
  while (cursor.kind(at) === '+' || cursor.kind(at) === '-') {
    if (cursor.kind(at + 1) === 'number') at += 2;
    else if (isConstant(cursor, at + 1)) at = cursor.closing(at + 2) + 1;
    else if (cursor.word(at + 1) === 'INTERVAL') {
      const value = cursor.kind(at + 2) === '-' ? at + 3 : at + 2;
      at = UNITS.has(cursor.word(value + 1) ?? '') ? value + 2 : value + 1;
    } else return undefined;
  }
  return at;
}

function isConstant(cursor: Cursor, call: number): boolean {
  if (cursor.kind(call + 1) !== '(' || !isConstantCall(cursor.name(call) ?? '')) return false;
  for (let at = call + 2; at < cursor.closing(call + 1); at++) {
    if (cursor.name(at) === undefined) continue;
    const word = cursor.word(at) ?? '';
    const isUnit = word === 'INTERVAL' || (UNITS.has(word) && cursor.word(at - 2) === 'INTERVAL');
    const isType = word === 'AS' || cursor.word(at - 1) === 'AS';
    if (!isUnit && !isType && !(cursor.kind(at + 1) === '(' && isConstantCall(cursor.name(at) ?? '')))
      return false;
  }
  return true;
}

/** Whether a scale changes nothing: it has no fraction, and is no date, which begins in the zone of the column. */
function isExact(cursor: Cursor, { from, to }: Range, types: readonly string[]): boolean {
  const text = cursor.slice(from, to);
  const names = cursor.tokens.slice(from, to).map(({ kind }, index) => {
    const isInterval = kind === 'string' && cursor.word(from + index - 1) === 'INTERVAL';
    return isInterval || kind === 'word' || kind === 'quoted' ? cursor.text(from + index) : '';
  });
  if (/64|milli|micro|nano|\bns\b|\bms\b|\bus\b|date32|dec/i.test(names.join(' '))) return false;
  if (/^to(?:Date|U?Int\d+|Float\d+|String|Interval\w+)\b|^today|^cur|^array|^tuple|^concat/i.test(text))
    return false;
  const isUtc = types.every((type) => !type.replace("'UTC'", '').includes("'"));
  return isUtc || /^(?:now|toDateTime|timestamp)\b/i.test(text);
}
