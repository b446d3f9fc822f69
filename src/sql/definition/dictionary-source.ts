// The source of a dictionary whose definition reads tables of ClickHouse.
import type { QualifiedName } from './qualified-name.ts';
import type { CreateRecord } from './record.ts';

/** The database of the tables that replace sources which are not reached. */
export const SOURCES_DATABASE = 'millrace_sources';

/** Where a dictionary over ClickHouse has its rows: a table or a query. */
export interface DictionarySource {
  readonly query?: string | undefined;
  readonly table?: QualifiedName | undefined;
  readonly where?: string | undefined;
}

/** The source of a dictionary, whatever its host; undefined if it is not ClickHouse. */
export function dictionarySource(
  { dictionary: { clickhouse: values } }: CreateRecord,
  database: string,
): DictionarySource | undefined {
  if (values === undefined) return undefined;
  const query = values.get('QUERY');
  if (query !== undefined && query !== '') return { query };
  const table = values.get('TABLE');
  if (table === undefined || table === '') return undefined;
  const dot = values.has('DB') ? -1 : table.indexOf('.');
  const name = {
    database: values.get('DB') || table.slice(0, Math.max(0, dot)) || database,
    name: table.slice(dot + 1),
  };
  return name.name === '' ? undefined : { table: name, where: values.get('WHERE') };
}
