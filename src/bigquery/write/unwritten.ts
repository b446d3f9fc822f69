// Parts of the tree that the translation of BigQuery does not write: a query that has one is rejected, so that none is left out.
import { untranslated } from '../translation-error.ts';
import type { Writers } from '../../dialects/write/expression.ts';
import type { Expression, Query } from '../../dialects/tree.ts';

interface Unwritten {
  readonly message: string;
  readonly hint?: string;
}

const rejected =
  (message: string, hint?: string) =>
  ({ at }: Expression): never =>
    untranslated(at, `${message} not supported`, hint);

/** Kinds of expressions that are not written. */
export const UNWRITTEN = {
  row: rejected('Tuples are', 'Compare the values one by one.'),
  collate: rejected('COLLATE is'),
  parameter: rejected('Parameters are'),
  at_zone: rejected('AT TIME ZONE is'),
  intervals: rejected('Intervals of several units are'),
  quantified: rejected('ANY and ALL are'),
  lambda: rejected('Lambdas are'),
  named_argument: rejected('Named arguments are'),
  slice: rejected('Slices of arrays are'),
  unread: rejected('This expression is'),
} as const satisfies Partial<Writers>;

/** By the name of the field. */
const FIELDS: ReadonlyMap<string, Unwritten> = new Map<string, Unwritten>([
  ['filter', { message: 'FILTER is not supported', hint: 'Write COUNTIF or IF.' }],
  ['withinGroup', { message: 'WITHIN GROUP is not supported' }],
  ['separator', { message: 'SEPARATOR is not supported', hint: 'Write STRING_AGG(x, separator).' }],
  [
    'distinctOn',
    { message: 'DISTINCT ON is not supported', hint: 'Write QUALIFY ROW_NUMBER() OVER (…) = 1.' },
  ],
  [
    'groupings',
    {
      message: 'ROLLUP, CUBE and GROUPING SETS are not supported',
      hint: 'In ClickHouse: GROUP BY a, b WITH ROLLUP.',
    },
  ],
  ['hasTies', { message: 'WITH TIES is not supported' }],
  ['isRecursive', { message: 'WITH RECURSIVE is not supported' }],
  ['isNatural', { message: 'NATURAL JOIN is not supported', hint: 'Write USING (column).' }],
  ['isLateral', { message: 'LATERAL is not supported' }],
  ['columns', { message: 'Names of columns after an alias are not supported' }],
  ['more', { message: 'UNNEST of several arrays is not supported' }],
  ['escape', { message: 'ESCAPE is not supported', hint: 'A backslash escapes the character after it.' }],
]);

/** @throws UnconvertedError at a part that is not written */
export function requireWritten(part: Query | object): void {
  for (const [name, value] of Object.entries(part) as readonly (readonly [string, unknown])[]) {
    const isPresent = typeof value === 'object' || value === true;
    const unwritten = isPresent ? FIELDS.get(name) : undefined;
    if (unwritten !== undefined)
      untranslated(placeOf(value) ?? placeOf(part) ?? 0, unwritten.message, unwritten.hint);
    if (typeof value === 'object' && value !== null) requireWritten(value);
  }
}

/** The offset of a node, or of the first one in it. */
function placeOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('at' in value && typeof value.at === 'number') return value.at;
  return Object.values(value)
    .map(placeOf)
    .find((at) => at !== undefined);
}
