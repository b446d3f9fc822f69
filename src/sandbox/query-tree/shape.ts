// What the engine is asked to parse: the query with other values in its comparisons, so that the calls of a dashboard, which differ in
// these alone, share one tree. Tokens, and so everything that they parse to but constants, are the same.
import { createLru } from '../../core/lru.ts';
import type { Cursor } from '../../sql/cursor.ts';
import type { TreeTokens } from '../../sql/tree/visit.ts';
import { editedText, type LexedQuery, type TokenEdit } from '../lexed-query.ts';
import type { Explain, Explained } from '../explain.ts';

const COMPARISONS: ReadonlySet<string | undefined> = new Set(['=', '!=', '<', '>', '<=', '>=']);
const WORDS: ReadonlySet<string | undefined> = new Set([
  'BETWEEN',
  'AND',
  'LIKE',
  'ILIKE',
  'LIMIT',
  'OFFSET',
]);

/** Without escapes, and far from the limits of integer types: the engine parses all of a kind alike. */
const PLAIN: ReadonlyMap<string, RegExp> = new Map([
  ['number', /^(?:0|[1-9]\d{0,14})$/],
  ['string', /^'[^'\\]*'$/],
]);

/** The query, its tokens joined by single spaces, with `placeholders` in it. */
export function shapeOf(query: LexedQuery): string {
  const edits = placeholders(query);
  return edits.length === 0 ? query.joined : editedText(query, edits);
}

/** A short value in place of each value that is compared: equal ones for equal values, others for others. */
export function placeholders({ cursor }: TreeTokens): readonly TokenEdit[] {
  const compared = cursor.tokens.flatMap((_, at) => (isCompared(cursor, at) ? [at] : []));
  if (compared.length === 0) return [];
  const replaced = new Set(compared);
  const others = new Set(cursor.tokens.flatMap((_, at) => (replaced.has(at) ? [] : [cursor.text(at)])));
  const values = new Map<string, string>();
  let next = 0;
  const placeholder = (at: number): string => {
    for (;;) {
      const value = cursor.kind(at) === 'number' ? `${next++}` : `'${next++}'`;
      if (!others.has(value)) return value;
    }
  };
  return compared.map((at) => {
    const text = cursor.text(at);
    const sql = values.get(text) ?? placeholder(at);
    values.set(text, sql);
    return { from: at, to: at + 1, sql };
  });
}

/** Whether a value is a whole operand: no operator, cast or subscript follows, and it is not the pattern of `* LIKE`, which selects columns. */
function isCompared(cursor: Cursor, at: number): boolean {
  const plain = PLAIN.get(cursor.kind(at) ?? '');
  if (plain === undefined || !plain.test(cursor.text(at))) return false;
  if (!COMPARISONS.has(cursor.kind(at - 1)) && !WORDS.has(cursor.word(at - 1))) return false;
  if (cursor.kind(at - 2) === '*' || (cursor.word(at - 2) === 'NOT' && cursor.kind(at - 3) === '*'))
    return false;
  const next = cursor.kind(at + 1);
  return next === undefined || next === ')' || next === 'word';
}

/** Characters of queries and trees. */
const MAX_CHARACTERS = 8_000_000;

/** Remembers the trees of an `explain`, for all callers and endpoints: the tree depends on the query alone. */
export function createTreeCache(): (explain: Explain) => Explain {
  const trees = createLru<Extract<Explained, { kind: 'tree' }>>({
    size: MAX_CHARACTERS,
    sizeOf: ({ text }, sql) => text.length + sql.length,
  });
  return (explain) => async (sql) => {
    const known = trees.get(sql);
    if (known !== undefined) return known;
    const explained = await explain(sql);
    if (explained.kind === 'tree') trees.set(sql, explained);
    return explained;
  };
}
