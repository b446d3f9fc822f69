// Times with fractional seconds are integers in units of their scale. A time of a smaller scale is multiplied before it is
// compared with one of a larger scale; with more than six digits the year 2299 overflows.
import { stringValue } from '../../../sql/clickhouse/literal.ts';
import { unitInString } from '../../../sql/clickhouse/tree/interval.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import {
  argumentsOf,
  firstOf,
  nameOf,
  namesIn,
  someNode,
  textOf,
  type Subtree,
} from '../../../sql/clickhouse/tree/visit.ts';
import { hasType, isOpaque, timeScale } from '../../../sql/types/traits.ts';
import type { KnownTypes, TypeTest } from '../known-types.ts';

const MAX_SMALL = 6;

const hasLarge: TypeTest = (type) =>
  hasType(
    type,
    (inner) => isOpaque(inner) || (inner.name === 'DateTime64' && (timeScale(inner) ?? 9) > MAX_SMALL),
  );

const hasSmall: TypeTest = (type) =>
  hasType(type, (inner) => {
    if (isOpaque(inner) || inner.name === 'Date32') return true;
    return inner.name === 'DateTime64' && (timeScale(inner) ?? 0) <= MAX_SMALL;
  });

/** Returns whether some row may hold a time that cannot be compared with a time of another scale. Fails closed. */
export function mixesScales(tree: Subtree, types: KnownTypes): boolean {
  if (namesIn(tree, tree.root).some(({ name }) => LARGE_NAME.test(name))) return true;
  if (someNode(tree.root, (node) => hasLargeScale(tree, node))) return true;
  return types.some(hasLarge) && (types.some(hasSmall) || mayBeSmall(tree));
}

/** Units, and functions that return such times. */
const LARGE_NAME = /nano|parseDateTime64(?!BestEffort)|^ns$/i;

/** Functions and types of values that reach beyond the years of a column of a large scale: 1900 to 2262. */
const SMALL_VALUE = /date32|time64|now64|timestamp64/i;

function mayBeSmall(tree: Subtree): boolean {
  const isText = (node: Node): boolean => node.kind === 'string' && SMALL_VALUE.test(textOf(tree, node));
  if (someNode(tree.root, isText)) return true;
  const named = namesIn(tree, tree.root).filter(({ name }) => SMALL_VALUE.test(name));
  let whole = 0;
  someNode(tree.root, (node) => {
    if (isWholeSeconds(tree, node)) whole++;
    return false;
  });
  return named.length > whole;
}

/** `toDateTime64(now() - INTERVAL 1 DAY, 0)`: at most the year 2106. */
function isWholeSeconds(tree: Subtree, node: Node): boolean {
  if (node.kind !== 'call' || !/^toDateTime64$/i.test(nameOf(tree, node))) return false;
  const [value] = argumentsOf(node);
  const first = value && firstOf(value);
  return first?.kind === 'call' && /^(?:now|toDateTime)$/i.test(nameOf(tree, first));
}

/** A type, a function that returns such a type, or a string that contains one or a unit. */
function hasLargeScale(tree: Subtree, node: Node): boolean {
  if (node.kind === 'string') {
    const text = textOf(tree, node);
    return isLargeUnit(text) || (/time64/i.test(text) && !SMALL_TYPE.test(text));
  }
  if (node.kind === 'type') return LARGE_TYPE.test(textOf(tree, node));
  if (node.kind !== 'call') return false;
  const name = nameOf(tree, node);
  if (!/time64|now64|timestamp64/i.test(name)) return false;
  const isFirst = /^(?:(?:Date)?Time64|now64)$/i.test(name);
  const scale = argumentsOf(node)[isFirst ? 0 : 1];
  return scale !== undefined && !/^[0-6]$/.test(textOf(tree, scale));
}

const SMALL_TYPE = /^'(?:Nullable\()?DateTime64\([0-6](?:, ?\\'[\w+/-]+\\')?\)\)?'$/;
const LARGE_TYPE = /(?:now|time|timestamp)64 \((?! \)| [0-6] [,)])/i;

/** `INTERVAL '1 ns'`. */
function isLargeUnit(source: string): boolean {
  const value = stringValue(source) ?? '';
  return /n(?:s|ano)/i.test(value) && /^(?:ns|nano\w*)$/i.test(unitInString(value) ?? '');
}
