// What is known of an endpoint's table that a consumer query reads.
import type { PassThrough } from './pass-through.ts';
import type { RedactedTable } from './redaction/source-redaction.ts';
import type { TableColumn } from './statement.ts';
import { parseType, type ClickHouseType } from '../sql/types/type.ts';

export interface ReadTable {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /** Undefined if there is no such column. */
  readonly typeOf: (column: string) => ClickHouseType | undefined;
  readonly passes: PassThrough | undefined;
  /** Columns of the stored table that have a dot in their name; undefined if they are not known. */
  readonly dotted: readonly string[] | undefined;
  /** Whether maps of the stored table have a subcolumn for each key. */
  readonly hasMapKeys: boolean;
  /** Undefined if it is not redacted. */
  readonly redaction: RedactedTable | undefined;
}

/** Parses the type of each column once: types of JSON columns are long. */
export function createTypeOf(columns: readonly TableColumn[]): ReadTable['typeOf'] {
  const texts = new Map(columns.map(({ name, type }) => [name, type]));
  const types = new Map<string, ClickHouseType>();
  return (name) => {
    const text = texts.get(name);
    if (text === undefined) return undefined;
    const type = types.get(name) ?? parseType(text);
    types.set(name, type);
    return type;
  };
}

/**
 * The stored column behind a column, whose subcolumns can be read by their full names; undefined if there is none: a stored
 * column of the subcolumn's name would be read in its place, although the endpoint may not select it.
 */
export function sourceOfSubcolumns({ passes, dotted }: ReadTable, column: string): string | undefined {
  const source = passes?.sourceOf(column);
  if (source === undefined || dotted === undefined) return undefined;
  return dotted.some((other) => other.startsWith(`${source}.`)) ? undefined : source;
}
