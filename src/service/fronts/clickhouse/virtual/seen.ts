// What a key sees of the service: the content of the virtual tables.
import type { Principal } from '../../../auth/principal.ts';
import type { Endpoint } from '../../../endpoints/endpoint.ts';
import type { Column } from '../../../engine/engine.ts';
import type { Databases, VirtualName } from '../databases.ts';
import type { Row, TypedColumn } from '../rows-text.ts';
import type { Running } from '../running.ts';

/** Which columns of a table have values; tables without an entry are empty. */
export interface RowSource {
  readonly columns: readonly string[];
  readonly rows: (seen: Seen) => Promise<readonly Row[]> | readonly Row[];
}

export interface VirtualTable {
  readonly name: string;
  readonly engine: string;
  readonly columns: readonly TypedColumn[];
  readonly source: RowSource | undefined;
}

export interface SeenTable {
  readonly database: string;
  readonly name: string;
  readonly engine: string;
  readonly comment: string;
  /** Empty if the engine cannot describe them now. */
  readonly columns: readonly Column[];
}

export interface Seen {
  readonly databases: Databases;
  /** Databases that the request names with a suffix, by that name. */
  readonly suffixed: Databases['endpoints'];
  readonly virtual: Readonly<Record<VirtualName, readonly VirtualTable[]>>;
  readonly principal: Principal;
  readonly version: string;
  /** Those of the key, now. */
  readonly processes: () => readonly Running[];
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** As the key reads them: after redaction, if it is always on. Columns that cannot be described are left out. */
  readonly columnsOf: (endpoint: Endpoint) => Promise<ReadonlyMap<string, readonly Column[]>>;
}

/** The names of all databases with their comments, in order. */
export function databaseNames(seen: Seen): readonly (readonly [name: string, comment: string])[] {
  const own = ownDatabases(seen).map(({ name, endpoint }) => [name, endpoint.description.trim()] as const);
  const virtual = ['INFORMATION_SCHEMA', 'information_schema', 'system'].map((name) => [name, ''] as const);
  return [...own, ...virtual].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Those that are endpoints. */
export function ownDatabases({ databases, suffixed }: Seen): Databases['endpoints'] {
  return [...databases.endpoints, ...suffixed];
}

/** All tables, without columns unless asked for. */
export async function tablesSeen(seen: Seen, withColumns: boolean): Promise<readonly SeenTable[]> {
  const own = ownDatabases(seen).map(async ({ name: database, tables, endpoint }) => {
    const columns = withColumns ? await seen.columnsOf(endpoint) : undefined;
    return tables.map((name) => {
      const comment = endpoint.description.trim();
      return { database, name, engine: 'View', comment, columns: columns?.get(name) ?? [] };
    });
  });
  const virtual = (['information_schema', 'system'] as const).flatMap((database) =>
    seen.virtual[database].map(({ name, engine, columns }) => ({
      database,
      name,
      engine,
      comment: '',
      columns,
    })),
  );
  return [...(await Promise.all(own)).flat(), ...virtual];
}
