// Collects what a part of a query reads, and under which conditions, from its tokens: one read for each SELECT in it.
import type { Aliases } from './aliases.ts';
import { clausesOf, sourceItems, type Clause } from './clauses.ts';
import { filtersOf, type Filter } from './filters.ts';
import { isToken, itemsOf, keyOf, nameOf, splitAt, wordOf, type SqlNode } from './sql-tree.ts';

/** One SELECT. */
export interface Read {
  /** Whether it reads tables of a WITH clause. */
  readonly readsTables: boolean;
  /** The conditions of its own WHERE and PREWHERE. */
  readonly conditions: readonly Filter[];
  /** Its sources outside the WITH clause in order, with their aliases. */
  readonly sources: readonly SourceAlias[];
}

/** A table or table function as written, and the name that the SELECT gives it. */
export interface SourceAlias {
  readonly source: string;
  readonly alias: string | undefined;
}

export interface Names {
  readonly aliases: Aliases;
  /** Names of the tables in the WITH clause. */
  readonly tables: ReadonlySet<string>;
}

/** Every SELECT in `nodes`, outer before inner. */
export function readsIn(nodes: readonly SqlNode[], names: Names): readonly Read[] {
  return selectsIn(nodes).flatMap((select) => {
    const clauses = clausesOf(select);
    const known = { ...names, tables: new Set([...names.tables, ...localTables(clauses)]) };
    const inner = clauses.flatMap((clause) =>
      clause.nodes.flatMap((node) => (node.kind === 'group' ? readsIn(node.nodes, known) : [])),
    );
    const reads = clauses.some(({ word }) => word === 'FROM') && isSelect(clauses);
    return reads ? [readOf(clauses, known), ...inner] : inner;
  });
}

function readOf(clauses: readonly Clause[], { aliases, tables }: Names): Read {
  const items = sourceItems(clauses);
  const named = items.map((item) => ({ source: sourceText(item), alias: aliasOf(item) }));
  const [first, ...others] = named;
  // Naming the only source adds no restriction.
  const meaning: Aliases = (name) => (others.length === 0 && name === first?.source ? [] : aliases(name));
  return {
    conditions: filtersOf(clauses, meaning),
    readsTables: named.some(({ source }) => tables.has(source)),
    sources: named.filter(({ source }) => source !== '' && !tables.has(source)),
  };
}

/** Tells `trim(BOTH ' ' FROM text)` from a SELECT, which may begin with FROM. */
function isSelect(clauses: readonly Clause[]): boolean {
  return clauses[0]?.word === 'FROM' || clauses.some(({ word }) => word === 'SELECT');
}

/** Tables of nested WITH clauses. */
function localTables(clauses: readonly Clause[]): readonly string[] {
  const items = clauses.filter(({ word }) => word === 'WITH').flatMap(({ nodes }) => itemsOf(nodes));
  return items.flatMap(([name, as]) => (wordOf(as) === 'AS' ? (nameOf(name) ?? []) : []));
}

/** The operands of UNION, INTERSECT and EXCEPT. */
function selectsIn(nodes: readonly SqlNode[]): readonly (readonly SqlNode[])[] {
  return splitAt(nodes, (node, index) => SETS.has(wordOf(node)) && beginsQuery(nodes[index + 1]));
}

const SETS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT']);

/** Tells a set operator from `* EXCEPT (columns)`. */
function beginsQuery(node: SqlNode | undefined): boolean {
  if (node?.kind !== 'group') return ['ALL', 'DISTINCT', 'SELECT', 'FROM', 'WITH'].includes(wordOf(node));
  return beginsQuery(node.nodes[0]);
}

/** `database.table`, or a function with its arguments; '' for a subquery, which is a read itself. */
function sourceText(item: readonly SqlNode[]): string {
  let text = '';
  for (const [index, node] of item.entries()) {
    const isPart = index === 0 || isToken(node, '.') || isToken(item[index - 1], '.');
    if (node.kind === 'group' && index > 0) return `${text}(${keyOf(node.nodes)})`;
    if (!isPart || node.kind === 'group') break;
    text += nameOf(node) ?? keyOf([node]);
  }
  return text;
}

/** The name after the source's own: `logs.edge AS e`, `logs.edge e FINAL`. */
function aliasOf(item: readonly SqlNode[]): string | undefined {
  const rest = item.findIndex((node, index) => {
    return index > 0 && node.kind !== 'group' && !isToken(node, '.') && !isToken(item[index - 1], '.');
  });
  if (rest === -1) return undefined;
  const at = wordOf(item[rest]) === 'AS' ? rest + 1 : rest;
  return MODIFIERS.has(wordOf(item[at])) ? undefined : nameOf(item[at]);
}

const MODIFIERS: ReadonlySet<string> = new Set(['FINAL', 'SAMPLE']);
