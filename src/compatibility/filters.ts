// Collects the conditions of one SELECT from all clauses that can restrict rows.
import type { Aliases } from './aliases.ts';
import { sourceItems, type Clause } from './clauses.ts';
import { isToken, itemsOf, keyOf, nameOf, namesIn, parametersIn, show, splitAt, wordOf } from './sql-tree.ts';
import type { SqlNode } from './sql-tree.ts';

/** A condition that restricts rows. Filters with equal keys are equivalent. */
export interface Filter {
  readonly key: string;
  readonly text: string;
  /** The parameters it depends on, directly or through aliases. */
  readonly parameters: ReadonlySet<string>;
  /** It is in the WITH tables that are read. */
  readonly isInherited?: true;
}

export interface Names {
  readonly aliases: Aliases;
  /** Names of the tables in the WITH clause. */
  readonly tables: ReadonlySet<string>;
}

/** The filters of one clause; `all` are the clauses of its SELECT. */
export function filtersOf(
  { word, join, nodes }: Clause,
  all: readonly Clause[],
  names: Names,
): readonly Filter[] {
  const conditional = conditionsOfCalls(nodes)
    .map((each) => toFilter(each, names))
    .filter(dependsOnParameters);
  switch (word) {
    case 'WHERE':
    case 'PREWHERE':
    case 'HAVING':
    case 'QUALIFY':
      return [...conjuncts(nodes).map((each) => toFilter(each, names)), ...conditional];
    case 'ON':
      return [...conjuncts(nodes).map((each) => toFilter(each, names, `${join} ON `)), ...conditional];
    case 'USING':
      return [toFilter(nodes, names, `${join} USING `)];
    case 'LIMIT':
      return [toFilter(nodes, names, 'LIMIT ')];
    case 'OFFSET':
    case 'FETCH':
    case 'ARRAY JOIN':
      return [toFilter(nodes, names, `${word} `)].filter(dependsOnParameters);
    case 'FROM':
    case 'JOIN':
      return sourceItems(all).length > 1 ? sourceFilters(nodes, names) : [];
    default:
      return conditional;
  }
}

function dependsOnParameters({ parameters }: Filter): boolean {
  return parameters.size > 0;
}

/** A joined source that depends on parameters restricts the rows it is joined with. */
function sourceFilters(nodes: readonly SqlNode[], names: Names): readonly Filter[] {
  return itemsOf(nodes)
    .map((item) => toFilter(item, names, 'JOIN '))
    .filter(dependsOnParameters);
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

/**
 * Conditions of `countIf(…)` and similar functions, and of `count() FILTER (WHERE …)`: filters in the SELECT clause.
 */
function conditionsOfCalls(nodes: readonly SqlNode[]): readonly (readonly SqlNode[])[] {
  return nodes.flatMap((node, index) => {
    if (node.kind !== 'group') return [];
    const inner = conditionsOfCalls(node.nodes);
    if (wordOf(node.nodes[0]) === 'WHERE') return [node.nodes.slice(1), ...inner];
    const name = nameOf(nodes[index - 1]) ?? '';
    const isConditional = /.I[fF](?![a-z])/.test(name) && !CHOICES.has(name.toLowerCase());
    const condition = isConditional ? (itemsOf(node.nodes).at(-1) ?? []) : [];
    return condition.length === 0 ? inner : [condition, ...inner];
  });
}

/** Functions that choose between values. */
const CHOICES: ReadonlySet<string> = new Set(['multiif', 'nullif']);

/** A filter with the meaning of its names in the key: an alias of the same name can make a condition ineffective. */
export function toFilter(nodes: readonly SqlNode[], { aliases }: Names, prefix = ''): Filter {
  const meanings = meaningsIn(nodes, aliases);
  const texts = meanings.map(({ name, nodes: meaning }) => `${name} = ${keyOf(meaning)}`);
  const key = [`${prefix}${keyOf(nodes)}`, ...new Set(texts.toSorted())].join('; ');
  const parameters = [nodes, ...meanings.map((each) => each.nodes)].flatMap((each) => [
    ...parametersIn(each),
  ]);
  return { key, text: `${prefix}${show(nodes)}`, parameters: new Set(parameters) };
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
