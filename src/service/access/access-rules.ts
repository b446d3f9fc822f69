// What consumer queries of all endpoints may read on the embedded engine: the tables that their WITH clauses name, those that
// these read in turn, and the rows that row policies on a server would let pass.
import { referenceOf } from '../endpoints/endpoint.ts';
import type { AccessRules, DefinedTable, TypedTable, StoredTableName } from '../engine/access-rules.ts';
import { EMBEDDED_CARRIER } from '../engine/row-policy.ts';
import { POLICY_ENGINES, rowPolicies, scopeOf } from './row-policies.ts';
import { byName, keyOf, reachedBy, type EndpointReads } from './stored-tables.ts';

/** The rules for the endpoints that accept consumer queries; `stored` has all tables of the engine. */
export function accessRules(
  sandboxed: readonly EndpointReads[],
  stored: readonly DefinedTable[],
): AccessRules {
  const tables = byName(stored);
  const readers = new Map<DefinedTable, Set<string>>();
  for (const each of sandboxed) {
    for (const table of reachedBy(each, tables)) {
      const names = readers.get(table) ?? new Set();
      readers.set(table, names.add(referenceOf(each.endpoint)));
    }
  }
  const { policies } = rowPolicies(sandboxed, tables, EMBEDDED_CARRIER);
  const conditions = new Map(policies.map((policy) => [keyOf(policy), policy.condition]));
  const granted = [...readers].map(([table, names]) => {
    const { database, table: name } = table;
    const filter = conditions.get(keyOf(table)) ?? scopeOf([...names], EMBEDDED_CARRIER);
    return { database, table: name, filter: isRestrictable(table) ? filter : undefined };
  });
  return {
    tables: granted.toSorted(byKey),
    dictionaries: [...readers.keys()]
      .filter(({ engine }) => engine === 'Dictionary')
      .map(nameOf)
      .toSorted(byKey),
    hidden: stored.filter(isHidden).map(nameOf).toSorted(byKey),
    revisions: new Map(sandboxed.map(({ endpoint }) => [referenceOf(endpoint), endpoint.revision])),
  };
}

/** The engine applies row filters to these. */
function isRestrictable({ engine }: TypedTable): boolean {
  return POLICY_ENGINES.test(engine);
}

/** Tables of the engine from which every query may select, and which have no rows of others. */
const HARMLESS = /^(?:one|numbers|numbers_mt|zeros|zeros_mt|primes|generate_series|generateSeries)$/;

function isHidden(table: TypedTable): boolean {
  return table.database === 'system' && !HARMLESS.test(table.table);
}

function nameOf({ database, table }: StoredTableName): StoredTableName {
  return { database, table };
}

function byKey(a: StoredTableName, b: StoredTableName): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
