// The tables of an endpoint for LQL: which path its terms search, by the log views that the file declares.
import type { Table } from '../../sql/lql/resolve.ts';
import type { Endpoint } from './endpoint.ts';

/** Tables without a declared message are searched by the names of their columns. */
export function searchedTables(
  { logViews = [] }: Pick<Endpoint, 'logViews'>,
  tables: readonly Table[],
): readonly Table[] {
  return tables.map((table) => ({
    ...table,
    message: logViews.find((view) => view.table === table.name)?.message,
  }));
}
