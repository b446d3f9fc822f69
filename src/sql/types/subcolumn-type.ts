// The types of subcolumns: JSON paths, elements of tuples, sizes of arrays, keys of maps.
import { innerType, typeArguments, typeOf, type ClickHouseType } from './type.ts';

/**
 * The type of the subcolumn `path` of a column; undefined if the column has none. Paths of JSON without a type of their own
 * are of type Dynamic. Not asked of values whose types vary, apart from JSON.
 */
export function subcolumnType(type: ClickHouseType, path: string): ClickHouseType | undefined {
  switch (type.name) {
    case 'JSON':
      return typeArguments(type).find(({ name }) => name === path)?.type ?? typeOf('Dynamic');
    case 'Nullable':
      return path === 'null' ? typeOf('UInt8') : wrapped('Nullable', subcolumnType(innerType(type), path));
    case 'Array':
      return /^size\d$/.test(path)
        ? typeOf('UInt64')
        : wrapped('Array', subcolumnType(innerType(type), path));
    case 'Map':
      return mapSubcolumnType(type, path);
    case 'Tuple':
      return elementType(type, path);
    case 'Nested':
      return wrapped('Array', elementType(type, path));
    default:
      return undefined;
  }
}

function mapSubcolumnType(type: ClickHouseType, path: string): ClickHouseType | undefined {
  if (path === 'size0') return typeOf('UInt64');
  if (path === 'keys') return wrapped('Array', innerType(type));
  if (path === 'values') return wrapped('Array', innerType(type, 1));
  return path.startsWith('key_') ? innerType(type, 1) : undefined;
}

function elementType(type: ClickHouseType, path: string): ClickHouseType | undefined {
  for (const [index, { name = String(index + 1), type: element }] of typeArguments(type).entries()) {
    if (path === name) return element;
    const inner = path.startsWith(`${name}.`)
      ? subcolumnType(element, path.slice(name.length + 1))
      : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function wrapped(name: string, type: ClickHouseType | undefined): ClickHouseType | undefined {
  return type && typeOf(name, type);
}
