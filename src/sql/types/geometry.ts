// Types of shapes, as the tuples and arrays that the engine stores.
import { parseType, type ClickHouseType } from './type.ts';

const POINT = 'Tuple(Float64, Float64)';

/** They are in the order of their names, as in Geometry. */
const SHAPES = {
  LineString: `Array(${POINT})`,
  MultiLineString: `Array(Array(${POINT}))`,
  MultiPolygon: `Array(Array(Array(${POINT})))`,
  Point: POINT,
  Polygon: `Array(Array(${POINT}))`,
  Ring: `Array(${POINT})`,
};

const TYPES: ReadonlyMap<string, ClickHouseType> = new Map(
  Object.entries({ ...SHAPES, Geometry: `Variant(${Object.keys(SHAPES).join(', ')})` }).map(
    ([name, type]) => [name, parseType(type)] as const,
  ),
);

/** The type that the values of a shape are stored as; undefined for other types. Geometry is a Variant of the shapes. */
export function storedShape({ name }: ClickHouseType): ClickHouseType | undefined {
  return TYPES.get(name);
}
