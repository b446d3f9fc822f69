// What the engine is asked to parse: the query with other values in its comparisons, so that the calls of a dashboard, which differ in
// these alone, share one tree. Tokens, and so everything that they parse to but constants, are the same.
import { createLru } from '../../../sql/base/lru.ts';
import { allTokens } from '../../../sql/clickhouse/tree/tokens.ts';
import { operatorOf, wordOf, type TreeTokens } from '../../../sql/clickhouse/tree/visit.ts';
import { editedText, type LexedQuery, type TokenEdit } from '../lexed-query.ts';
import type { Explain, Explained } from '../explain.ts';

/** These are before a value that is compared. */
const COMPARED = /^(?:[=<>]|!=|[<>]=|BETWEEN|AND|I?LIKE|LIMIT|OFFSET)$/;

/** Without escapes, and far from the limits of integer types: the engine parses all of a kind alike. */
const PLAIN = /^(?:0|[1-9]\d{0,14}|'[^'\\]*')$/;

/** The query, its tokens joined by single spaces, with `placeholders` in it. */
export function shapeOf(query: LexedQuery): string {
  const edits = placeholders(query);
  return edits.length === 0 ? query.joined : editedText(query, edits);
}

/** A short value in place of each value that is compared: equal ones for equal values, others for others. */
export function placeholders(tokens: TreeTokens): readonly TokenEdit[] {
  const compared: { readonly at: number; readonly text: string }[] = [];
  const others = new Set<string>();
  const { to } = allTokens(tokens);
  for (let at = 0; at < to; at++) {
    const text = tokens.cursor.text(at);
    if (PLAIN.test(text) && isCompared(tokens, at)) compared.push({ at, text });
    else others.add(text);
  }
  const values = new Map<string, string>();
  let next = 0;
  return compared.map(({ at, text }) => {
    let sql = values.get(text);
    if (sql === undefined) {
      do sql = text.startsWith("'") ? `'${next++}'` : `${next++}`;
      while (others.has(sql));
      values.set(text, sql);
    }
    return { from: at, to: at + 1, sql };
  });
}

/** Returns whether a value is a whole operand: no operator, cast or subscript follows, and it is not the pattern of `* LIKE`, which selects columns. */
function isCompared(tokens: TreeTokens, at: number): boolean {
  if (!COMPARED.test(operatorOf(tokens, { at: at - 1 }))) return false;
  const before = wordOf(tokens, { at: at - 2 });
  if (before === '*' || (before === 'NOT' && wordOf(tokens, { at: at - 3 }) === '*')) return false;
  return /^(?:\)?$|[A-Z_])/.test(wordOf(tokens, { at: at + 1 }));
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
