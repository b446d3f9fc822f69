// The database of the tables that an export defines without one.
import type { ReadExport } from '../../convert/export/foreign-query.ts';
import type { KnownTables } from '../../kit/known-tables.ts';
import type { ConvertSettings } from './convert-query.ts';
import { resolve, sep } from 'node:path';

/** Folders that are named after what is in them, rather than after the project. */
const GENERIC =
  /^(tinybird|tb|dbt|grafana|metabase|superset|redash|dashboards?|((tb|dbt|data)[_-])?project|exports?|src|lib|libs|packages|apps?|server|backend|services?|datasources|pipes|endpoints)$/;
const RESERVED = /^(default|system|information_schema)$/;

/** The name of the project as that of a database: of the folder or archive, or of the first folder above it that has a name of its own. */
export function databaseName(path: string): string {
  const folders = resolve(path)
    .replace(/\.(zip|json|ya?ml|sql|pipe|datasource)$/i, '')
    .split(sep)
    .map((folder) =>
      folder
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^[_0-9]+|_+$/g, '')
        .slice(0, 60),
    );
  const found = folders.findLast((name) => name !== '' && !GENERIC.test(name) && !RESERVED.test(name));
  return found ?? 'imported';
}

/** Tables of the export have its database; others the one in which they are, or the given one. */
export function relationsOf(
  { tables, queries }: ReadExport,
  known: KnownTables,
  { own, given }: { readonly own: string; readonly given: string | undefined },
): ConvertSettings['relationOf'] {
  const relations = queries.flatMap(({ relation }) => relation ?? []);
  const defined = new Map(
    [...tables, ...relations].map((each) => [each.name, { database: each.database ?? own }]),
  );
  const renamed = new Map(
    tables.flatMap(({ aliases = [], name, database = own }) =>
      aliases.map((alias) => [alias, { database, name }] as const),
    ),
  );
  const tools = new Set(tables.map(({ tool }) => tool));
  return ({ reads = [], tool }, table) => {
    if (reads.includes(table)) return undefined;
    const found = defined.get(table) ?? renamed.get(table);
    if (found !== undefined) return found;
    const database = known.tableOf?.([table])?.[0] ?? (tools.has(tool) ? own : given);
    return database === undefined ? undefined : { database };
  };
}
