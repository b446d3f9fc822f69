// Differences between two JSON values: the path of each, and both sides.
import type { Path } from '../../../service/config/yaml-document.ts';

/** A side is undefined if it has no value at the path. */
export interface Difference {
  readonly path: Path;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** All differences, in the order of `expected`; the order of object keys does not matter. */
export function* differences(expected: unknown, actual: unknown, path: Path = []): Generator<Difference> {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    for (let index = 0; index < length; index++)
      yield* differences(expected[index], actual[index], [...path, index]);
  } else if (isObject(expected) && isObject(actual)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    for (const key of keys) yield* differences(expected[key], actual[key], [...path, key]);
  } else if (expected !== actual) yield { path, expected, actual };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `result[2].metadata.path`. */
export function printPath(path: Path): string {
  return path
    .map((part) => {
      if (typeof part === 'number') return `[${part}]`;
      return /^\w+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
    })
    .join('')
    .replace(/^\./, '');
}

const MAX_SHOWN = 160;

/** JSON on one line, truncated. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
