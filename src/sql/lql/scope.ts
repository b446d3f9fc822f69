// The scope in which the parts of a statement are compiled, and the shape of their output.
import { quoteIdentifier } from '../clickhouse/literal.ts';
import type { LqlFinding } from './finding.ts';
import { createResolver, type Table, type FieldExpression } from './resolve.ts';
import type { FieldPath, Select, Tree } from './tree.ts';

/** What the parts of one statement share. */
export interface StatementScope {
  readonly table: Table;
  /** The table, under an alias that no column or result uses, so that what it qualifies is always a column of the table. */
  readonly from: string;
  readonly resolve: (path: FieldPath) => FieldExpression | LqlFinding;
}

/** The select list, and what follows the conditions. If there are findings, the other fields must not be used. */
export interface Shape {
  readonly columns: string;
  readonly ending: readonly string[];
  readonly findings: readonly LqlFinding[];
}

/** The scope of one statement over `table`, with an alias that nothing in the query or the table uses. */
export function createScope(tree: Tree, table: Table): StatementScope {
  const taken = new Set(table.columns.map(({ name }) => name));
  for (const each of tree.clauses) {
    if (each.kind === 'select') taken.add(resultName(each) ?? '');
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
