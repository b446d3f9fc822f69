// Parts of the tree that the translation of BigQuery does not write: a query that has one is rejected, so that none is left out.
import { untranslated } from '../translation-error.ts';
import type { Query } from '../../sql/syntax-tree.ts';

interface Unwritten {
  readonly message: string;
  readonly hint?: string;
}

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
  ['sizes', { message: 'Types with a size are not supported', hint: 'Write the name of the type alone.' }],
]);

/** @throws TranslationError at a part that is not written */
export function requireWritten(part: Query | object, at = 0): void {
  const here = 'at' in part && typeof part.at === 'number' ? part.at : at;
  for (const [name, value] of Object.entries(part) as readonly (readonly [string, unknown])[]) {
    if (typeof value !== 'object' && value !== true) continue;
    const unwritten = FIELDS.get(name);
    if (unwritten !== undefined) untranslated(placeOf(value) ?? here, unwritten.message, unwritten.hint);
    if (typeof value === 'object' && value !== null) requireWritten(value, here);
  }
}

/** The offset of a node, or of the first of several. */
function placeOf(value: unknown): number | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'object' && first !== null && 'at' in first && typeof first.at === 'number'
    ? first.at
    : undefined;
}
