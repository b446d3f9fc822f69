// The only type that may be computed rather than literal: that of a tuple whose elements get names, `CAST(tuple(x, y),
// concat('Tuple(', '`a` ', toTypeName(x), ', `b` ', toTypeName(y), ')'))`. Each element is cast to its own type, so nothing is
// converted. The BigQuery translation writes records as such tuples.
import type { Cursor } from '../sql/cursor.ts';
import { stringValue } from '../sql/string-literal.ts';
import type { Node } from '../sql/tree/nodes.ts';

/** Reads arguments of a call in the representation of its caller: nodes of the syntax tree or of the engine's. */
export interface NamedTupleReader<T> {
  /** Arguments of a call of that function; undefined for anything else. */
  readonly argumentsOf: (node: T, functionName: string) => readonly T[] | undefined;
  /** The source of a string literal; undefined for anything else. */
  readonly literalOf: (node: T) => string | undefined;
  readonly isSame: (a: T, b: T) => boolean;
}

/** Whether `value` is a tuple and `type` is that tuple's own type with names for its elements. */
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
export function nodeReader(cursor: Cursor): NamedTupleReader<Node> {
  return {
    argumentsOf({ kind, from, parts }, functionName) {
      const [list, ...others] = parts;
      const isCall = kind === 'call' && others.length === 0 && cursor.text(from) === functionName;
      if (!isCall || list?.kind !== 'arguments') return undefined;
      return cursor.kind(list.to - 2) === ',' ? undefined : list.parts;
    },
    literalOf: ({ kind, from }) => (kind === 'string' ? cursor.text(from) : undefined),
    isSame(a, b) {
      if (a.to - a.from !== b.to - b.from) return false;
      for (let i = 0; a.from + i < a.to; i++)
        if (cursor.text(a.from + i) !== cursor.text(b.from + i)) return false;
      return true;
    },
  };
}
