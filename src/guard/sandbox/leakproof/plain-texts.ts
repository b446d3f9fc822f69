// Columns that may be converted to text in a condition. The engine takes the conversion for monotonic where index entries have the same
// number of digits, or within a day, and overlooks rows beside entries of other tenants where that is wrong.
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { namesOf, type TreeTokens } from '../../../sql/clickhouse/tree/visit.ts';
import {
  integerOf,
  isAddress,
  isDateTime,
  isEnum,
  isNullable,
  plainType,
  timeZone,
} from '../../../sql/types/traits.ts';
import { typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';
import type { LeakproofContext, NamedTypes } from './context.ts';

const TEXTS: ReadonlySet<string> = new Set(['String', 'FixedString', 'UUID', 'Bool', 'Date']);

/** Texts, and values that no index orders by more than their text: small integers, identifiers, whole days, times in UTC. */
function isPlain(type: ClickHouseType): boolean {
  const plain = plainType(type);
  const integer = integerOf(plain);
  if (integer !== undefined) return integer.bits <= 32;
  if (isEnum(plain)) return !isNullable(type);
  return TEXTS.has(plain.name) || isAddress(plain) || (isDateTime(plain) && timeZone(plain) === 'UTC');
}

/** Says it of a document. Paths without a type are Dynamic, which has no indexes. */
function hasPlainPaths(type: ClickHouseType): boolean {
  const paths = typeArguments(type).map((path) => path.type);
  return type.name === 'JSON' && paths.every((path) => isPlain(path) && !isDateTime(plainType(path)));
}

/** Returns whether a node is one column of such a type in every table, or a path of a document. */
export function isPlainText(
  tree: TreeTokens,
  node: Node,
  { types, names, tables }: NamedTypes & Pick<LeakproofContext, 'tables'>,
): boolean {
  if (node.kind !== 'column') return false;
  const parts = namesOf(tree, node);
  const [first = '', second = ''] = parts;
  const isQualified = types.of(first).length === 0 && (tables.has(first) || names?.has(first) === true);
  const [column, hasPath] = isQualified ? [second, parts.length > 2] : [first, parts.length > 1];
  if (names?.has(column) === true) return false;
  const known = types.of(column);
  return known.length > 0 && known.every(hasPath ? hasPlainPaths : isPlain);
}
