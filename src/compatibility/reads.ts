// Collects what a part of a query reads, and under which conditions: one read for each SELECT in it.
import type { Aliases } from './aliases.ts';
import { clausesOf, sourceItems, type Clause } from './clauses.ts';
import { filtersOf, toFilter, type Filter, type Names } from './filters.ts';
import { isToken, itemsOf, keyOf, nameOf, splitAt, wordOf, type SqlNode } from './sql-tree.ts';

/** One SELECT: every row it returns comes from its sources and has passed all filters. */
export interface Read {
  /** Tables and table functions outside the WITH clause, as written. */
  readonly sources: ReadonlySet<string>;
  /** Tables of the WITH clause. */
  readonly tables: ReadonlySet<string>;
  /** Its own filters, and those of the enclosing SELECTs. */
  readonly filters: readonly Filter[];
  /** The conditions of its own WHERE and PREWHERE. */
  readonly conditions: readonly Filter[];
  /** Its sources outside the WITH clause in order, with their aliases. */
  readonly aliases: readonly SourceAlias[];
  /** Whether its rows are returned, rather than only used in conditions. */
  readonly givesRows: boolean;
}

/** A table or table function as written, and the name that the SELECT gives it. */
export interface SourceAlias {
  readonly source: string;
  readonly alias: string | undefined;
}

/** Every SELECT in `nodes`, outer before inner. */
export function readsIn(nodes: readonly SqlNode[], names: Names): readonly Read[] {
  return readsBelow(nodes, { filters: [], givesRows: true }, names);
}

function readsBelow(nodes: readonly SqlNode[], outer: Around, names: Names): readonly Read[] {
  const { selects, narrowing } = splitSets(nodes);
  const around = [...outer.filters, ...narrowing.map((each) => toFilter(each, names))];
  return selects.flatMap((select) => {
    const clauses = clausesOf(select);
    const known = { ...names, tables: new Set([...names.tables, ...localTables(clauses)]) };
    const shown = { ...known, aliases: withoutSoleSource(clauses, known) };
    const filters = [...around, ...clauses.flatMap((clause) => filtersOf(clause, clauses, shown))];
    const conditions = clauses
      .filter(({ word }) => word === 'WHERE' || word === 'PREWHERE')
      .flatMap((clause) => filtersOf(clause, clauses, shown));
    const inner = clauses.flatMap((clause) => {
      const givesRows = outer.givesRows && ROW_CLAUSES.has(clause.word);
      return clause.nodes.flatMap((node) =>
        node.kind === 'group' ? readsBelow(node.nodes, { filters, givesRows }, known) : [],
      );
    });
    const reads = clauses.some(({ word }) => word === 'FROM') && isSelect(clauses);
    const { givesRows } = outer;
    return reads ? [{ ...sourcesOf(clauses, known), filters, conditions, givesRows }, ...inner] : inner;
  });
}

type Around = Pick<Read, 'filters' | 'givesRows'>;

/** Clauses in which a parenthesized SELECT returns rows; elsewhere it is a value, or the set of an IN. */
const ROW_CLAUSES: ReadonlySet<string> = new Set(['', 'WITH', 'FROM', 'JOIN']);

/** Tells `trim(BOTH ' ' FROM text)` from a SELECT, which may begin with FROM. */
function isSelect(clauses: readonly Clause[]): boolean {
  return clauses[0]?.word === 'FROM' || clauses.some(({ word }) => word === 'SELECT');
}

/**
 * The aliases without the SELECT's only source: the parameters it depends on count where it is defined, and naming it
 * again adds no restriction.
 */
function withoutSoleSource(clauses: readonly Clause[], { aliases }: Names): Aliases {
  const [item, ...others] = sourceItems(clauses);
  const name = item === undefined || others.length > 0 ? '' : sourceText(item);
  return (alias) => (alias === name ? [] : aliases(alias));
}

/** Tables of nested WITH clauses. */
function localTables(clauses: readonly Clause[]): readonly string[] {
  const items = clauses.filter(({ word }) => word === 'WITH').flatMap(({ nodes }) => itemsOf(nodes));
  return items.flatMap(([name, as]) => (wordOf(as) === 'AS' ? (nameOf(name) ?? []) : []));
}

/** The SELECTs of a UNION; the operands of INTERSECT and EXCEPT restrict the others too. */
function splitSets(nodes: readonly SqlNode[]): {
  readonly selects: readonly (readonly SqlNode[])[];
  readonly narrowing: readonly (readonly SqlNode[])[];
} {
  const words: string[] = [];
  const isSet = (node: SqlNode, index: number): boolean => {
    const word = wordOf(node);
    const found = SETS.has(word) && beginsQuery(nodes[index + 1]);
    if (found) words.push(word);
    return found;
  };
  const selects = splitAt(nodes, isSet);
  return { selects, narrowing: selects.slice(1).filter((_, index) => words[index] !== 'UNION') };
}

const SETS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT']);

/** Tells a set operator from `* EXCEPT (columns)`. */
function beginsQuery(node: SqlNode | undefined): boolean {
  if (node?.kind !== 'group') return ['ALL', 'DISTINCT', 'SELECT', 'FROM', 'WITH'].includes(wordOf(node));
  return beginsQuery(node.nodes[0]);
}

function sourcesOf(
  clauses: readonly Clause[],
  { tables }: Names,
): Pick<Read, 'sources' | 'tables' | 'aliases'> {
  const items = sourceItems(clauses);
  const named = new Set(items.map(sourceText));
  named.delete('');
  return {
    aliases: items
      .map((item) => ({ source: sourceText(item), alias: aliasOf(item) }))
      .filter(({ source }) => source !== '' && !tables.has(source)),
    sources: new Set([...named].filter((name) => !tables.has(name))),
    tables: new Set([...named].filter((name) => tables.has(name))),
  };
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
