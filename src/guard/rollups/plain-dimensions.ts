// Finds the dimensions of a rollup that are columns of its source: a condition on them is the same over both.
import { nodesOf, namesOf } from '../../sql/clickhouse/tree/visit.ts';
import { parseList } from '../../sql/clickhouse/tree/parse-part.ts';
import type { RollupDefinition, RollupDimension } from './model.ts';

/** Returns their names, those of paths with dots. */
export function plainDimensions({ dimensions }: Pick<RollupDefinition, 'dimensions'>): ReadonlySet<string> {
  return new Set(dimensions.filter(isPlain).map(({ name }) => name));
}

function isPlain({ name, expression }: RollupDimension): boolean {
  const tree = parseList(expression);
  const [column] = nodesOf(tree.root, 'column');
  const isWhole = column?.from === tree.root.from && column.to === tree.root.to;
  return isWhole && namesOf(tree, column).join('.') === name;
}
