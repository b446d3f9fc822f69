// Splits one SELECT into its clauses.
import { isToken, itemsOf, keyOf, wordOf, type SqlNode } from './sql-tree.ts';

export interface Clause {
  /** The keyword that begins it; '' for what precedes the first keyword. */
  readonly word: string;
  readonly nodes: readonly SqlNode[];
}

/** The clauses of one SELECT, in order. */
export function clausesOf(nodes: readonly SqlNode[]): readonly Clause[] {
  const clauses: { word: string; nodes: SqlNode[] }[] = [{ word: '', nodes: [] }];
  for (const [index, node] of nodes.entries()) {
    const last = clauses.at(-1);
    const word = clauseAt(nodes, index);
    if (word === undefined) last?.nodes.push(node);
    else if (word === 'JOIN') clauses.push(joinAfter(last?.nodes ?? []));
    else clauses.push({ word, nodes: [] });
  }
  return clauses.filter(({ word, nodes: within }) => word !== '' || within.length > 0);
}

/** Removes the words of a join, such as LEFT, from the end of the preceding clause. ARRAY JOIN reads no table. */
function joinAfter(before: SqlNode[]): { word: string; nodes: SqlNode[] } {
  const words: string[] = [];
  while (JOIN_WORDS.has(wordOf(before.at(-1)))) words.unshift(wordOf(before.pop()));
  return { word: words.includes('ARRAY') ? 'ARRAY JOIN' : 'JOIN', nodes: [] };
}

const JOIN_WORDS: ReadonlySet<string> = new Set(
  'LEFT RIGHT INNER OUTER FULL CROSS ANY ALL ASOF SEMI ANTI GLOBAL LOCAL PASTE ARRAY'.split(' '),
);
const ALWAYS: ReadonlySet<string> = new Set(
  'WITH SELECT FROM PREWHERE WHERE HAVING QUALIFY JOIN ON USING'.split(' '),
);

/**
 * The keyword of the clause that begins at `index`. A keyword that can also be a column name is decided by what
 * follows.
 */
function clauseAt(nodes: readonly SqlNode[], index: number): string | undefined {
  const word = wordOf(nodes[index]);
  const next = nodes[index + 1];
  if (word === '' || isToken(nodes[index - 1], '.') || isToken(next, '.')) return undefined;
  if (ALWAYS.has(word)) return word;
  if (word === 'GROUP' || word === 'ORDER') return wordOf(next) === 'BY' ? word : undefined;
  if (word === 'FETCH') return ['FIRST', 'NEXT'].includes(wordOf(next)) ? word : undefined;
  if (word === 'WINDOW') return wordOf(nodes[index + 2]) === 'AS' ? word : undefined;
  if (word === 'SETTINGS') return isToken(nodes[index + 2], '=') ? word : undefined;
  if (word !== 'LIMIT' && word !== 'OFFSET') return undefined;
  return next?.kind === 'parameter' ||
    next?.kind === 'group' ||
    /^[-\d]/.test(keyOf(next === undefined ? [] : [next]))
    ? word
    : undefined;
}

/** The sources of FROM and JOIN, split at commas and joins. */
export function sourceItems(clauses: readonly Clause[]): readonly (readonly SqlNode[])[] {
  return clauses
    .filter(({ word }) => word === 'FROM' || word === 'JOIN')
    .flatMap(({ nodes }) => itemsOf(nodes));
}
