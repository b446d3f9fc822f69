// The only type that may be computed rather than literal: that of a tuple whose elements get names, `CAST(tuple(x, y),
// concat('Tuple(', '`a` ', toTypeName(x), ', `b` ', toTypeName(y), ')'))`. Each element is cast to its own type, so nothing is
// converted. The BigQuery translation writes records as such tuples.
import { stringValue } from '../../sql/clickhouse/literal.ts';
import type { Node, Tree } from '../../sql/clickhouse/tree/nodes.ts';
import { endsWithComma, sourceOf, textOf } from '../../sql/clickhouse/tree/visit.ts';

/** Reads arguments of a call in the representation of its caller: nodes of the syntax tree or of the engine's. */
export interface NamedTupleReader<T> {
  /** Arguments of a call of that function; undefined for anything else. */
  readonly argumentsOf: (node: T, functionName: string) => readonly T[] | undefined;
  /** The source of a string literal; undefined for anything else. */
  readonly literalOf: (node: T) => string | undefined;
  readonly isSame: (a: T, b: T) => boolean;
}

/** Returns whether `value` is a tuple and `type` is that tuple's own type with names for its elements. */
export function isNamedTuple<T>(reader: NamedTupleReader<T>, value: T, type: T): boolean {
  const elements = reader.argumentsOf(value, 'tuple');
  const parts = reader.argumentsOf(type, 'concat');
  if (elements === undefined || elements.length === 0 || parts?.length !== 2 * elements.length + 2)
    return false;
  const text = (index: number) => {
    const part = parts[index];
    return part === undefined ? undefined : stringValue(reader.literalOf(part) ?? '');
  };
  if (text(0) !== 'Tuple(' || text(parts.length - 1) !== ')') return false;
  return elements.every((element, index) => {
    const name = index === 0 ? FIRST_NAME : FURTHER_NAME;
    const part = parts[2 * index + 2];
    const [typed, more] = (part === undefined ? undefined : reader.argumentsOf(part, 'toTypeName')) ?? [];
    if (typed === undefined || more !== undefined || !reader.isSame(element, typed)) return false;
    return name.test(text(2 * index + 1) ?? '');
  });
}

const FIRST_NAME = /^`[^`\\]+` $/;
const FURTHER_NAME = /^, `[^`\\]+` $/;

/** A reader over nodes of a query's syntax tree. */
export function nodeReader(tree: Tree): NamedTupleReader<Node> {
  return {
    argumentsOf({ kind, from, parts }, functionName) {
      const [list, ...others] = parts;
      if (kind !== 'call' || list?.kind !== 'arguments' || others.length > 0) return undefined;
      const isCalled = sourceOf(tree, { from, to: from + 1 }) === functionName;
      return isCalled && !endsWithComma(tree, list) ? list.parts : undefined;
    },
    literalOf: (node) => (node.kind === 'string' ? sourceOf(tree, node) : undefined),
    isSame: (a, b) => textOf(tree, a) === textOf(tree, b),
  };
}
