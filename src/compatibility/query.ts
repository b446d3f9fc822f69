// A saved query prepared for comparison: its parts (elements of the WITH clause, the main SELECT), and what each reads
// under which conditions.
import type { Analysis } from '../catalog/analysis.ts';
import { authorOffset } from '../sql/placeholders.ts';
import { aliasesIn, type Aliases } from './aliases.ts';
import { inheritFilters } from './inheritance.ts';
import { readsIn, type Read } from './reads.ts';
import { createReadTree, keyOf, parametersIn, type SqlNode } from './sql-tree.ts';

export interface QueryPart {
  /** table, scalar and expression are elements of the WITH clause. */
  readonly kind: 'table' | 'scalar' | 'expression' | 'main';
  /** The name used in messages. */
  readonly name: string;
  /** Offset in the query as written. */
  readonly offset: number;
  /** Parameters used in it. */
  readonly parameters: ReadonlySet<string>;
  readonly reads: readonly Read[];
}

export interface Query {
  /** Equal for queries that differ only in whitespace, comments and parameter types. */
  readonly key: string;
  /** The elements of the WITH clause in order, then the main SELECT. */
  readonly parts: readonly QueryPart[];
  /** Whether it is nested too deeply to be compared. */
  readonly isTooDeep: boolean;
}

export const MAIN = 'the main query';

/** Reads the query of a file that compiled. */
export function readQuery({ bound, outline }: Analysis): Query {
  if (outline === undefined) throw new Error('a query without an outline does not compile');
  const { sql, uses } = bound;
  const spans = [
    ...outline.elements.map(({ kind, name, start, end }) => ({ kind, name, start, end })),
    { kind: 'main' as const, name: MAIN, start: outline.mainStart, end: sql.length },
  ];
  const { readTree, isTooDeep } = createReadTree(sql);
  const trees = spans.map((span) => ({ ...span, nodes: readTree(span.start, span.end) }));
  const shared = sharedAliases(trees);
  const tables = new Set(outline.elements.filter(({ kind }) => kind === 'table').map(({ name }) => name));
  const parts = trees.map(({ kind, name, start, nodes }): QueryPart => {
    const aliases = aliasesIn(nodes, shared);
    const body = kind === 'table' ? nodes.slice(-1) : nodes;
    return {
      kind,
      name,
      offset: authorOffset(uses, start),
      parameters: parametersIn(nodes),
      reads: readsIn(body, { aliases, tables }),
    };
  });
  return { key: keyOf(readTree(0, sql.length)), parts: inheritFilters(parts), isTooDeep };
}

interface Tree {
  readonly kind: QueryPart['kind'];
  readonly name: string;
  readonly nodes: readonly SqlNode[];
}

/**
 * Names that mean the same in every part: expressions and scalars of the WITH clause by their definition; its tables
 * only by the parameters in them, since any other change of a table is reported there.
 */
function sharedAliases(trees: readonly Tree[]): Aliases {
  const shared = new Map<string, readonly SqlNode[][]>();
  for (const { kind, name, nodes } of trees) {
    if (kind === 'main') continue;
    const meaning = kind === 'table' ? nodesOfParameters(nodes) : nodes.slice(0, -2);
    if (meaning.length > 0) shared.set(name, [meaning]);
  }
  return (name) => shared.get(name) ?? [];
}

function nodesOfParameters(nodes: readonly SqlNode[]): SqlNode[] {
  return [...parametersIn(nodes)].toSorted().map((name) => ({ kind: 'parameter', name, start: 0, end: 0 }));
}
