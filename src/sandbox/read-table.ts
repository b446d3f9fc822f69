// What is known of an endpoint's table that a consumer query reads.
import type { PassThrough } from './pass-through.ts';
import type { TableColumn } from './statement.ts';

export interface ReadTable {
  readonly name: string;
  readonly columns: readonly TableColumn[];
  readonly passes: PassThrough | undefined;
  /** Columns of the stored table that have a dot in their name; undefined if they are not known. */
  readonly dotted: readonly string[] | undefined;
  /** Whether maps of the stored table have a subcolumn for each key. */
  readonly hasMapKeys: boolean;
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
