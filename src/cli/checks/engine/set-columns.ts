// `x IN (SELECT …)` with another number of columns than values: the engine notices it when the query runs.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, namesOf, partOf, spanOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { Analysis } from '../../../service/endpoints/analysis.ts';
import { overVariants } from '../../../service/endpoints/variant-findings.ts';
import type { TablesOnEngine } from './tables-on-engine.ts';

export const SET_COLUMN_CODES: Codes = {
  'query.set_columns': {
    title: 'IN compares with another number of columns',
    help: 'The subquery after IN selects one column for a value, and as many columns as a tuple has values: (a, b) IN (SELECT x, y …). Other calls fail when they run.',
  },
};

/** Errors about conditions that fail in each call. */
export function findUnequalSets(
  analysis: Analysis,
  columns: TablesOnEngine['columns'],
): readonly PathFinding[] {
  return overVariants(analysis, (variant) => {
    const { tree } = variant;
    if (tree.fault !== undefined) return [];
    return nodesOf(tree.root, 'in').flatMap((node) => {
      const [value, set] = node.parts;
      const [count, selected] = [valuesIn(tree, value, columns), columnsIn(set)];
      if (set === undefined || count === undefined || selected === undefined || count === selected) return [];
      return [{
        code: 'query.set_columns',
        ...variant.inBound(spanOf(tree, set).start),
        message: `the subquery selects ${selected} columns, to compare with ${count}`,
        hint: count === 1 ? 'Select one column, or write a tuple before IN: (a, b) IN (SELECT x, y …)' : 'Select as many columns as the tuple before IN has',
      }];
    });
  });
} // prettier-ignore

/** How many values are compared; undefined if it is not known, as for a column that may hold tuples. */
function valuesIn(tree: Tree, value: Node | undefined, columns: TablesOnEngine['columns']): number | undefined {
  if (value?.kind === 'tuple') return value.parts.length;
  if (value?.kind !== 'column') return undefined;
  const name = namesOf(tree, value).at(-1) ?? '';
  const types = [...columns.values()].flatMap((each) => each.get(name) ?? []);
  return types.length > 0 && types.every((type) => !type.includes('Tuple')) ? 1 : undefined;
} // prettier-ignore

function columnsIn(set: Node | undefined): number | undefined {
  const [select] = set?.kind === 'subquery' ? nodesOf(set, 'select') : [];
  const items = (select && partOf(select, 'list')?.parts) ?? [];
  const isKnown = items.length > 0 && items.every(({ kind }) => kind !== 'star' && kind !== 'columns');
  return isKnown ? items.length : undefined;
}
