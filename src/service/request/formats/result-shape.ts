// The shape of rows in responses: as the engine writes them, or as BigQuery does.
import type { ResultShape } from '../../endpoints/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import type { Timestamps } from '../../formats/bigquery-shape.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import type { FormatName } from '../../formats/formats.ts';
import { isDateTime, plainType } from '../../../sql/types/traits.ts';
import { innerType, parseType, typeArguments, type ClickHouseType } from '../../../sql/types/type.ts';

/** Who chooses a shape, in order of precedence. */
export interface ShapeChoices {
  readonly request: ResultShape | undefined;
  readonly key: ResultShape | undefined;
  readonly endpoint: ResultShape;
}

/** The shape of a response; undefined for formats that have none. */
export function shapeOf(
  format: FormatName | EngineFormat,
  { request, key, endpoint }: ShapeChoices,
): ResultShape | undefined {
  return format === 'json' || format === 'ndjson' ? (request ?? key ?? endpoint) : undefined;
}

/** Where rows with these columns have timestamps; undefined: nowhere. */
export function timestampsOf(columns: readonly Column[]): Timestamps | undefined {
  return membersOf(columns.map(({ name, type }) => [name, timestampsIn(parseType(type))]));
}

function membersOf(
  members: readonly (readonly [name: string, timestamps: Timestamps | undefined])[],
): Timestamps | undefined {
  const found = members.flatMap(([name, timestamps]) =>
    timestamps === undefined ? [] : [[name, timestamps] as const],
  );
  return found.length === 0 ? undefined : { members: new Map(found) };
}

/** Values of untyped JSON paths and of type Dynamic or Variant are as the engine writes them. */
function timestampsIn(wrapped: ClickHouseType): Timestamps | undefined {
  const type = plainType(wrapped);
  switch (type.name) {
    case 'Array':
      return each(timestampsIn(innerType(type)));
    case 'Map':
      return each(timestampsIn(innerType(type, 1)));
    case 'Tuple':
      return inTuple(type);
    case 'Nested':
      return each(inTuple(type));
    case 'JSON':
      return inPaths(
        typeArguments(type).map(({ name = '', type: path }) => [name.split('.'), timestampsIn(path)]),
      );
    default:
      return isDateTime(type) ? 'timestamp' : undefined;
  }
}

function each(timestamps: Timestamps | undefined): Timestamps | undefined {
  return timestamps && { each: timestamps };
}

/** A tuple without names is an array in JSON. */
function inTuple(type: ClickHouseType): Timestamps | undefined {
  const elements = typeArguments(type);
  const isNamed = elements.every(({ name }) => name !== undefined);
  return membersOf(
    elements.map(({ name, type: element }, index) => [
      isNamed ? (name ?? '') : String(index),
      timestampsIn(element),
    ]),
  );
}

type Path = readonly [path: readonly string[], timestamps: Timestamps | undefined];

/** Typed paths of a JSON type, which are nested objects in JSON. */
function inPaths(paths: readonly Path[]): Timestamps | undefined {
  const below = new Map<string, Path[]>();
  for (const [[first = '', ...rest], timestamps] of paths) {
    if (timestamps === undefined) continue;
    below.set(first, [...(below.get(first) ?? []), [rest, timestamps]]);
  }
  return membersOf(
    [...below].map(([name, inner]) => {
      const whole = inner.find(([rest]) => rest.length === 0);
      return [name, whole === undefined ? inPaths(inner) : whole[1]];
    }),
  );
}
