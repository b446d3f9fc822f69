// The types of parameters, by the columns that a query compares them with.
import { parseColumnType, type ColumnType } from '../../sql/types/column-type.ts';
import type { ConvertedParameter, ConvertOptions } from '../../sql/dialects/conversion.ts';
import type { Comparison } from './reads.ts';

/** Parameters whose columns are known and have the same type. */
export function parameterTypes(
  comparisons: readonly Comparison[],
  columnsOf: ConvertOptions['columnsOf'],
): readonly ConvertedParameter[] {
  const types = new Map<string, Set<string | undefined>>();
  for (const { parameter, column } of comparisons) {
    const known = types.get(parameter) ?? new Set();
    types.set(parameter, known.add(typeOf(column, columnsOf)));
  }
  return [...types].flatMap(([name, [type, more]]) =>
    type === undefined || more !== undefined ? [] : [{ name, type, required: true }],
  );
}

function typeOf(
  { table, path }: Comparison['column'],
  columnsOf: ConvertOptions['columnsOf'],
): string | undefined {
  const [name, more] = path;
  if (table === undefined || name === undefined || more !== undefined) return undefined;
  const column = columnsOf?.(table)?.find((each) => each.name.toLowerCase() === name.toLowerCase());
  return column === undefined ? undefined : parameterType(parseColumnType(column.type));
}

/** The type of a parameter for values of a column; undefined if it has none. */
function parameterType(type: ColumnType): string | undefined {
  switch (type.kind) {
    case 'string':
      return 'String';
    case 'number':
    case 'boolean':
    case 'time':
    case 'uuid':
    case 'ipv4':
    case 'ipv6':
      return type.name;
    case 'dynamic':
    case 'json':
    case 'map':
    case 'tuple':
    case 'array':
    case 'other':
      return undefined;
  }
}
