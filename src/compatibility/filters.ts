// Collects the conditions of WHERE and PREWHERE of one SELECT, from its tokens.
import type { Aliases } from './aliases.ts';
import type { Clause } from './clauses.ts';
import { isToken, keyOf, namesIn, splitAt, wordOf, type SqlNode } from './sql-tree.ts';

/** The condition, and the meaning of the names in it: an alias of the same name can make a condition ineffective. */
export type Filter = readonly [condition: string, ...meanings: string[]];

/** The conditions that each row passes. */
export function filtersOf(clauses: readonly Clause[], aliases: Aliases): readonly Filter[] {
  return clauses
    .filter(({ word }) => word === 'WHERE' || word === 'PREWHERE')
    .flatMap(({ nodes }) => conjuncts(nodes).map((each) => toFilter(each, aliases)));
}

/** The operands of AND; the whole condition if an operator in it binds less tightly than AND. */
function conjuncts(nodes: readonly SqlNode[]): readonly (readonly SqlNode[])[] {
  if (
    nodes.some((node) => ['OR', 'CASE'].includes(wordOf(node)) || isToken(node, '?') || isToken(node, '->'))
  )
    return [nodes];
  let between = 0;
  return splitAt(nodes, (node) => {
    if (wordOf(node) === 'BETWEEN') between++;
    if (wordOf(node) !== 'AND') return false;
    if (between === 0) return true;
    between--;
    return false;
  });
}

function toFilter(nodes: readonly SqlNode[], aliases: Aliases): Filter {
  const meanings = meaningsIn(nodes, aliases).map(
    ({ name, nodes: meaning }) => `${name} = ${keyOf(meaning)}`,
  );
  return [keyOf(nodes), ...new Set(meanings)];
}

interface Meaning {
  readonly name: string;
  readonly nodes: readonly SqlNode[];
}

/** The meanings of the names in `nodes`, of the names in those, and so on. */
function meaningsIn(nodes: readonly SqlNode[], aliases: Aliases): readonly Meaning[] {
  const names = new Set(namesIn(nodes));
  const found: Meaning[] = [];
  for (const name of names) {
    const meanings = aliases(name);
    found.push(...meanings.map((meaning) => ({ name, nodes: meaning })));
    for (const other of meanings.flatMap((meaning) => [...namesIn(meaning)])) names.add(other); // the loop visits the names it adds
  }
  return found;
}
