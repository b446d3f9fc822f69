// Times without fractional seconds that are compared with a DateTime64 column: `ts > now() - INTERVAL 1 DAY`. An index compares them by the
// second, and overlooks `12:00:00.5` for `ts > '12:00:00'` beside certain entries of other tenants. With a scale they are compared exactly.
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  nameOf,
  namesIn,
  namesOf,
  operatorOf,
  someNode,
  sourceOf,
  textOf,
  walk,
  wordOf,
} from '../../../sql/clickhouse/tree/visit.ts';
import { isConstant, isFixedInterval } from '../leakproof/constants.ts';
import type { TokenEdit } from '../lexed-query.ts';
import { isDate, isDateTime, plainType, timeZone } from '../../../sql/types/traits.ts';
import { parseType, type ClickHouseType } from '../../../sql/types/type.ts';
import type { KnownTypes } from '../known-types.ts';

const ORDERS: ReadonlySet<string> = new Set(['<', '>', '<=', '>=']);

/** The edits that give a scale to such times in the conditions of a query. */
export function scaleEdits(tree: Tree, types: KnownTypes): readonly TokenEdit[] {
  const scaled = types.columnsOf(areFractions);
  if (scaled.size === 0) return [];
  return timesIn(tree, scaled).map((time) => {
    const [text = time] = time.kind === 'typed' ? time.parts : [];
    return { from: time.from, to: time.to, sql: `toDateTime64(${textOf(tree, text)}, 0)` };
  });
}

/** Returns whether all are times, and one of them has fractional seconds. */
function areFractions(types: readonly ClickHouseType[]): boolean {
  const plain = types.map(plainType);
  return (
    plain.every((type) => isDate(type) || isDateTime(type)) && plain.some(({ name }) => name === 'DateTime64')
  );
}

const FRACTIONS: readonly ClickHouseType[] = [parseType("DateTime64(0, 'any')")];

/** The constants that conditions compare with such columns, in the order of their tokens; none of a query with a fault. */
function timesIn(tree: Tree, columns: ReadonlyMap<string, readonly ClickHouseType[]>): readonly Node[] {
  const found: Node[] = [];
  const typesOf = (node: Node): readonly ClickHouseType[] | undefined => {
    if (node.kind === 'column') return columns.get(namesOf(tree, node).at(-1) ?? '');
    // In any zone.
    return node.kind === 'call' && /^toDateTime64$/i.test(nameOf(tree, node)) ? FRACTIONS : undefined;
  };
  const compare = (node: Node): void => {
    const [left, ...others] = node.parts;
    if (left === undefined || (node.kind !== 'between' && !ORDERS.has(operatorOf(tree, node)))) return;
    const types = typesOf(left);
    const [right] = others;
    const own =
      types === undefined && right?.kind === 'column' && node.kind !== 'between' ? typesOf(right) : undefined;
    const constants = types === undefined ? [left] : others;
    const known = types ?? own;
    for (const constant of constants)
      if (known !== undefined && isExact(tree, constant, known)) found.push(constant);
  };
  walk(tree.root, (node) => {
    if (node.kind === 'where' || node.kind === 'prewhere') walk(node, compare);
  });
  return tree.fault === undefined ? found.toSorted((a, b) => a.from - b.from) : [];
}

/** Of `timestamp '…'`, within the years of a DateTime. */
const WRITTEN = /^'(?:19[89]\d|20\d\d)-\d\d-\d\d \d\d:\d\d:\d\d'$/;

/** A call of constants, or a string with a type, plus and minus intervals and numbers. */
function isTimeConstant(tree: Tree, node: Node): boolean {
  const [first, second] = node.parts;
  if (node.kind === 'call') return isConstant(tree, node);
  if (first === undefined || second === undefined) return false;
  if (node.kind === 'cast') return first.kind === 'string' && wordOf(tree, second) === 'DATETIME';
  const isStep =
    (second.kind === 'number' && second.to - second.from === 1) ||
    (second.kind === 'interval' && isFixedInterval(second)) ||
    (second.kind === 'call' && isConstant(tree, second));
  return /^[-+]$/.test(operatorOf(tree, node)) && isStep && isTimeConstant(tree, first);
}

/** Returns whether it is such a constant and a scale changes nothing: it has no fraction, and is no date, which begins in the zone of the column. */
function isExact(tree: Tree, node: Node, types: readonly ClickHouseType[]): boolean {
  const [written] = node.kind === 'typed' && wordOf(tree, node) === 'TIMESTAMP' ? node.parts : [];
  if (written === undefined ? !isTimeConstant(tree, node) : !WRITTEN.test(textOf(tree, written)))
    return false;
  const text = sourceOf(tree, node);
  const isFraction = ({ kind, from, to }: Node): boolean =>
    kind === 'interval' && FRACTION.test(sourceOf(tree, { from, to }));
  if (namesIn(tree, node).some(({ name }) => FRACTION.test(name)) || someNode(node, isFraction)) return false;
  if (/^to(?:Date|U?Int\d+|Float\d+|String|Interval\w+)\b|^today|^cur|^array|^tuple|^concat/i.test(text))
    return false;
  const isUtc = types.every((type) => (timeZone(plainType(type)) ?? 'UTC') === 'UTC');
  return isUtc || /^(?:now|toDateTime|timestamp)\b/i.test(text);
}

const FRACTION = /64|milli|micro|nano|\bns\b|\bms\b|\bus\b|date32|dec/i;
