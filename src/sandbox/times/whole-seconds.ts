// Times without fractional seconds that are compared with a DateTime64 column: `ts > now() - INTERVAL 1 DAY`. An index compares them by the
// second, and overlooks `12:00:00.5` for `ts > '12:00:00'` beside certain entries of other tenants. With a scale they are compared exactly.
import type { Cursor } from '../../sql/cursor.ts';
import { UNITS } from '../../sql/tree/keywords.ts';
import type { Node, Tree } from '../../sql/tree/nodes.ts';
import { textOf, walk } from '../../sql/tree/visit.ts';
import { isConstantCall } from '../leakproof/functions.ts';
import type { TokenEdit } from '../lexed-query.ts';
import { isDate, isDateTime, plainTypeOf, timeZone } from '../../sql/types/traits.ts';

const ORDERS: ReadonlySet<string | undefined> = new Set(['<', '>', '<=', '>=']);

/** The edits that give a scale to such times in the conditions of a query. */
export function scaleEdits(tree: Tree, types: ReadonlyMap<string, readonly string[]>): readonly TokenEdit[] {
  const scaled = [...types].filter(([, all]) => {
    return all.some(hasFraction) && all.every(isTime);
  });
  if (scaled.length === 0) return [];
  return timesIn(tree, new Map(scaled)).map(({ from, to }) => {
    const first = tree.cursor.word(from) === 'TIMESTAMP' ? from + 1 : from;
    return { from, to, sql: `toDateTime64(${textOf(tree, { from: first, to })}, 0)` };
  });
}

function hasFraction(type: string): boolean {
  return plainTypeOf(type).name === 'DateTime64';
}

function isTime(text: string): boolean {
  const type = plainTypeOf(text);
  return isDate(type) || isDateTime(type);
}

/** The constants that conditions compare with such columns, in the order of their tokens; none of a query with a fault. */
function timesIn(
  { cursor, root, fault }: Tree,
  columns: ReadonlyMap<string, readonly string[]>,
): readonly Node[] {
  const found: Node[] = [];
  const typesOf = (node: Node): readonly string[] | undefined => {
    if (node.kind === 'column') return columns.get(cursor.name(node.to - 1) ?? '');
    // In any zone.
    return node.kind === 'call' && /^toDateTime64$/i.test(cursor.name(node.at) ?? '')
      ? ["DateTime64(0, 'any')"]
      : undefined;
  };
  const compare = (node: Node): void => {
    const [left, ...others] = node.parts;
    if (left === undefined || (node.kind !== 'between' && !isOrder(cursor, node))) return;
    const types = typesOf(left);
    const [right] = others;
    const own =
      types === undefined && right?.kind === 'column' && node.kind !== 'between' ? typesOf(right) : undefined;
    const constants = types === undefined ? [left] : others;
    const known = types ?? own;
    for (const constant of constants)
      if (known !== undefined && isExact(cursor, constant, known)) found.push(constant);
  };
  walk(root, (node) => {
    if (node.kind === 'where' || node.kind === 'prewhere') walk(node, compare);
  });
  return fault === undefined ? found.toSorted((a, b) => a.from - b.from) : [];
}

function isOrder(cursor: Cursor, { kind, at }: Node): boolean {
  return kind === 'binary' && ORDERS.has(cursor.kind(at));
}

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

/** Whether it is such a constant and a scale changes nothing: it has no fraction, and is no date, which begins in the zone of the column. */
function isExact(cursor: Cursor, { from, to }: Node, types: readonly string[]): boolean {
  if (constantEnd(cursor, from) !== to) return false;
  const text = cursor.slice(from, to);
  const names = cursor.tokens.slice(from, to).map(({ kind }, index) => {
    const isInterval = kind === 'string' && cursor.word(from + index - 1) === 'INTERVAL';
    return isInterval || kind === 'word' || kind === 'quoted' ? cursor.text(from + index) : '';
  });
  if (/64|milli|micro|nano|\bns\b|\bms\b|\bus\b|date32|dec/i.test(names.join(' '))) return false;
  if (/^to(?:Date|U?Int\d+|Float\d+|String|Interval\w+)\b|^today|^cur|^array|^tuple|^concat/i.test(text))
    return false;
  const isUtc = types.every((type) => (timeZone(plainTypeOf(type)) ?? 'UTC') === 'UTC');
  return isUtc || /^(?:now|toDateTime|timestamp)\b/i.test(text);
}
