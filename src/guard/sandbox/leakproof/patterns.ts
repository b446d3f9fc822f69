// Patterns that the engine's indexes read as they are meant. Of a regular expression they drop one byte of what may be absent, not one
// character; and an index of the keys of a map finds no row for a key that other rows do not have either, although the value of an absent key
// is an empty string, which a pattern may match.
import { stringValue } from '../../../sql/clickhouse/string-literal.ts';
import type { Node } from '../../../sql/clickhouse/tree/nodes.ts';
import { namesIn, someNode, textOf, type Subtree } from '../../../sql/clickhouse/tree/visit.ts';

export const PATTERN_CALLS = /^(?:match|noti?like)$/i;

/** Whether indexes read the pattern of an operator or a function, a string, as it is meant. */
export type PatternCheck = (operator: string, pattern: Node, isNegated: boolean) => boolean;

/** Checks the patterns of one query over columns of these types. */
export function createPatternCheck(tree: Subtree, types: readonly string[]): PatternCheck {
  const readsMaps = types.some((type) => /\bMap\(/.test(type)) && readsElements(tree);
  return (operator, literal, isNegated) => {
    const pattern = stringValue(textOf(tree, literal));
    if (pattern === undefined) return false;
    const isRegex = /^(?:match|regexp)$/i.test(operator);
    if (isRegex && /\P{ASCII}/u.test(pattern) && /[*?{]/.test(pattern)) return false;
    if (!readsMaps) return true;
    return !isNegated && (isRegex ? /^[\w /:,=@;<>-]+$/.test(pattern) : /[^%]/.test(pattern));
  };
}

function readsElements(tree: Subtree): boolean {
  return (
    someNode(tree.root, ({ kind }) => kind === 'index') ||
    namesIn(tree, tree.root).some(({ name }) => /^arrayelement$/i.test(name))
  );
}
