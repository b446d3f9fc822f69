// What a query can name in a table: its columns, and the paths in documents, maps and tuples that are declared or sampled.
import type { VisibleColumn } from '../../../request/consumer/visible-tables.ts';
import { parseColumnType, type ColumnType } from '../../../../sql/types/column-type.ts';
import { parseType, printType } from '../../../../sql/types/type.ts';
import { isReturnable, pathOf, type Sample, type SeenPath } from './sample.ts';

/** A column or a path in one. */
export interface DescribedPath {
  /** As a query writes it. */
  readonly path: string;
  readonly type: string;
  readonly values: readonly string[];
  readonly range: SeenPath['range'];
}

/** A column with the paths in it; none for a column that is read as a whole. */
export interface DescribedColumn extends DescribedPath {
  readonly paths: readonly DescribedPath[];
}

/** Characters of the type of a column, which may be a list of enum names. */
const MAX_TYPE = 300;

/** Declared paths come first, then those that only the sample has. Sorted by path. */
export function describeColumns(
  columns: readonly VisibleColumn[],
  sample: Sample | undefined,
): readonly DescribedColumn[] {
  const seen = new Map(sample?.paths.map((path) => [path.path, path] as const));
  return columns.map((column) => {
    const name = pathOf(column.name);
    const shape = parseColumnType(column.type);
    const declared = declaredPaths(name, shape);
    const inside = [...seen.values()].filter(({ path }) => path !== name && isInside(path, name));
    const sampled = inside.flatMap((each): [string, string][] => [[each.path, each.type ?? kindOf(each)]]);
    const paths = [...new Map([...sampled, ...declared])]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, type]) => withValues({ path, type }, seen.get(path)));
    const type = isReturnable(column) ? typeText(column.type, shape) : `${column.type} (an aggregate state)`;
    const shown = `${type.slice(0, MAX_TYPE)}${column.conditional === true ? ' (depends on the parameters)' : ''}`;
    return { ...withValues({ path: name, type: shown }, seen.get(name)), paths };
  });
}

/** Returns whether a path of a sample is one in a column. */
function isInside(path: string, column: string): boolean {
  return path.startsWith(column) && /[.[]/.test(path.charAt(column.length));
}

function withValues(
  path: Pick<DescribedPath, 'path' | 'type'>,
  { values = [], range }: Partial<SeenPath> = {},
): DescribedPath {
  return { ...path, values, range };
}

/** Paths with declared types that a query can write behind the column. */
function declaredPaths(name: string, shape: ColumnType): readonly (readonly [string, string])[] {
  if (shape.kind === 'json') {
    return [...shape.paths].map(([path, type]) => [
      `${name}.${path.split('.').map(pathOf).join('.')}`,
      type.name,
    ]);
  }
  if (shape.kind !== 'tuple') return [];
  return [...shape.elements].flatMap(([element, type]) => {
    const path = `${name}.${pathOf(element)}`;
    const inner = declaredPaths(path, type);
    return inner.length > 0 ? inner : [[path, type.name] as const];
  });
}

/** The types of the values of a path without a declared type. */
function kindOf({ kinds }: SeenPath): string {
  return kinds.join(' or ');
}

/** The type on one line; of a document without its paths, which are listed apart. */
function typeText(type: string, shape: ColumnType): string {
  return shape.kind === 'json' ? 'JSON' : printType(parseType(type));
}
