// The only type that may be computed rather than literal: that of a tuple whose elements get names, `CAST(tuple(x, y),
// concat('Tuple(', '`a` ', toTypeName(x), ', `b` ', toTypeName(y), ')'))`. Each element is cast to its own type, so nothing is
// converted. The BigQuery translation writes records as such tuples.
import { stringValue } from '../sql/string-literal.ts';
import type { Scan } from './scan/scan.ts';
import type { Span } from './scan/states.ts';

/** Reads arguments of a call in the representation of its caller: token spans or tree nodes. */
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
  if (elements === undefined || parts?.length !== 2 * elements.length + 2) return false;
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

/** A reader over spans of a scan's tokens. */
export function spanReader(scan: Scan): NamedTupleReader<Span> {
  const source = (at: number) => scan.text(at - scan.at());
  return {
    argumentsOf({ start, end }, functionName) {
      const isCall = source(start) === functionName && scan.kind(start + 1 - scan.at()) === '(';
      const isWhole = isCall && scan.beyond(start + 1 - scan.at()) + scan.at() === end;
      return isWhole ? splitArguments(scan, { start: start + 2, end: end - 1 }) : undefined;
    },
    literalOf: ({ start, end }) => (end - start === 1 ? source(start) : undefined),
    isSame(a, b) {
      if (a.end - a.start !== b.end - b.start) return false;
      for (let i = 0; a.start + i < a.end; i++) if (source(a.start + i) !== source(b.start + i)) return false;
      return true;
    },
  };
}

/** Splits at top-level commas. */
function splitArguments(scan: Scan, { start, end }: Span): readonly Span[] {
  const parts: Span[] = [];
  let from = start;
  for (let at = start; at < end; at = scan.beyond(at - scan.at()) + scan.at()) {
    if (scan.kind(at - scan.at()) !== ',') continue;
    parts.push({ start: from, end: at });
    from = at + 1;
  }
  return [...parts, { start: from, end }];
}
