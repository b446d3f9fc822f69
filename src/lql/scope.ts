// What the parts of one statement are compiled with, and what they give.
import { quoteIdentifier } from '../sql/literal.ts';
import type { LqlFinding } from './finding.ts';
import { createResolver, type Table, type Value } from './resolve.ts';
import type { Path, Select, Tree } from './tree.ts';

export interface Scope {
  readonly table: Table;
  /** The table, under a name that no column and nothing in the result has: what it qualifies is a column of it. */
  readonly from: string;
  readonly resolve: (path: Path) => Value | LqlFinding;
}

/** What a statement shows, and what follows its conditions. With findings, the rest is to be left alone. */
export interface Shape {
  readonly columns: string;
  readonly ending: readonly string[];
  readonly findings: readonly LqlFinding[];
}

export function createScope(tree: Tree, table: Table): Scope {
  const taken = new Set(table.columns.map(({ name }) => name));
  for (const clause of tree.clauses) {
    if (clause.kind === 'select') taken.add(resultName(clause) ?? '');
  }
  let name = table.name;
  while (taken.has(name)) name += '_';
  const alias = name === table.name ? '' : ` AS ${quoteIdentifier(name)}`;
  return {
    table,
    from: `${quoteIdentifier(table.name)}${alias}`,
    resolve: createResolver(table, name),
  };
}

/** The name of a selected column: its alias, or its path with dots as underscores; undefined for `*`. */
export function resultName({ path, alias }: Select): string | undefined {
  return alias?.text ?? path?.segments.join('_');
}
