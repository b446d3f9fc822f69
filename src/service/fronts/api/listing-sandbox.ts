// Builds the sandbox of an endpoint in the list: its tables, and the set of functions that queries may call.
import type { Principal } from '../../auth/principal.ts';
import type { Endpoint } from '../../endpoints/endpoint.ts';
import type { Column } from '../../engine/engine.ts';
import { parseColumnType } from '../../../sql/types/column-type.ts';
import type { FunctionPolicy } from '../../../guard/sandbox/functions/policy.ts';
import { CONSUMER_QUERY_LIMITS } from '../../../guard/sandbox/lexed-query.ts';
import type { Sandboxes } from '../../request/consumer/sandboxes.ts';
import { redactedBy, type Redacted, type VisibleTable } from '../../request/consumer/visible-tables.ts';
import type { Described } from './listing-entry.ts';

export interface FunctionSet {
  /** It has the names of functions by family. */
  readonly functions: FunctionPolicy['families'];
  readonly aggregate_combinators: readonly string[];
}

interface FunctionSets {
  /** It returns the name of the set of an endpoint. */
  nameOf(endpoint: Endpoint): string;
  used(): Readonly<Record<string, FunctionSet>>;
}

/** Most endpoints allow the same functions: each set is listed once, and named `default` or by the first endpoint that changes it. */
export function createFunctionSets(sandboxes: Sandboxes): FunctionSets {
  const names = new Map<string, string>();
  const sets: Record<string, FunctionSet> = {};
  return {
    nameOf: (endpoint) => {
      const { allow, deny } = endpoint.sandbox;
      const key = JSON.stringify([allow.toSorted(), deny.toSorted()]);
      const known = names.get(key);
      if (known !== undefined) return known;
      const name = allow.length + deny.length === 0 ? 'default' : `of ${endpoint.name}`;
      const { families, combinators } = sandboxes.functions(endpoint);
      sets[name] = { functions: families, aggregate_combinators: combinators };
      names.set(key, name);
      return name;
    },
    used: () => sets,
  };
}

export function sandboxEntry(
  endpoint: Endpoint,
  principal: Principal,
  { described, sets, isOff }: { described: Described; sets: FunctionSets; isOff: boolean },
): unknown {
  const { enabled, languages } = endpoint.sandbox;
  if (!enabled || isOff) return { enabled: false };
  return {
    enabled,
    languages: [...languages].filter((language) => principal.languages.has(language)),
    dialects: endpoint.sandbox.dialects,
    default_table: endpoint.outline.defaultTable ?? null,
    tables: described.tables?.map((table) => tableEntry(table, redactedBy(endpoint, principal))) ?? null,
    function_set: sets.nameOf(endpoint),
    limits: CONSUMER_QUERY_LIMITS,
  };
}

/** Returns a table with its columns. JSON columns list their typed paths; other paths have dynamic types. */
function tableEntry({ name, columns, conditional }: VisibleTable, redacted: Redacted): unknown {
  return {
    name,
    ...(conditional === true ? { conditional } : {}),
    columns: columns.map((column) => ({ ...column, ...pathsOf(column), ...redacted(column) })),
  };
}

function pathsOf({ type }: Column): { readonly paths?: readonly Column[] } {
  const parsed = parseColumnType(type);
  if (parsed.kind !== 'json') return {};
  return { paths: [...parsed.paths].map(([name, path]) => ({ name, type: path.name })) };
}
