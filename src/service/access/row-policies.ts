// Derives row policies for stored tables from the conditions of the endpoint files: on a server, and on the embedded engine.
import { referenceOf } from '../endpoints/endpoint.ts';
import type { TypedTable } from '../engine/access-rules.ts';
import type { PolicyCarrier } from '../engine/row-policy.ts';
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { findTable, reachedBy, type EndpointReads, type StoredTables } from './stored-tables.ts';
import type { TableFilter } from './table-filters.ts';
import { integerOf, isAddress, isDate, plainTypeOf } from '../../sql/types/traits.ts';
import { printType } from '../../sql/types/type.ts';

export interface TablePolicy {
  readonly database: string;
  readonly table: string;
  /** Quoted for SQL. */
  readonly name: string;
  /** The condition of the policy. */
  readonly condition: string;
  /** An endpoint whose queries it restricts, and the parameters that it compares with. */
  readonly restricted: { readonly endpoint: string; readonly parameters: readonly string[] };
}

export interface RowPolicies {
  readonly policies: readonly TablePolicy[];
  /** Every parameter that some policy compares with. */
  readonly parameters: readonly string[];
  /** What no policy protects, and why: sentences for the operator. */
  readonly gaps: readonly string[];
}

/** Row policies are known to apply to these. */
export const POLICY_ENGINES = /MergeTree$|^(View|Memory)$/;
/** A value is compared as a string with these, and cast to these; other types have several texts for one value. */
const TEXTS: ReadonlySet<string> = new Set(['String', 'FixedString']);

export function rowPolicies(
  endpoints: readonly EndpointReads[],
  stored: StoredTables,
  carrier: PolicyCarrier,
): RowPolicies {
  const gaps: string[] = [];
  const byTable = new Map<TypedTable, EndpointFilters[]>();
  const add = (table: TypedTable, filters: EndpointFilters): void => {
    const all = byTable.get(table);
    if (all === undefined) byTable.set(table, [filters]);
    else all.push(filters);
  };
  for (const each of endpoints) {
    const reference = referenceOf(each.endpoint);
    const direct = new Set<TypedTable>();
    for (const [written, reads] of readsByTable(each)) {
      const table = findTable(stored, written);
      const why = unsuitable(table);
      if (table === undefined || why !== undefined) {
        gaps.push(`${written}: ${why} (${reference})`);
        continue;
      }
      direct.add(table);
      add(table, filtersOf(reference, reads, table));
    }
    // What a view or a table over others reads has no condition.
    for (const table of reachedBy(each, stored))
      if (!direct.has(table) && unsuitable(table) === undefined)
        add(table, { endpoint: reference, reads: [[]] });
  }
  const policies = [...byTable].flatMap(
    ([table, filters]) => policyFor(table, { filters, carrier, gaps }) ?? [],
  );
  const used = [...byTable.values()].flatMap((filters) => filters.flatMap(({ reads }) => reads.flat()));
  const isCompared = (parameter: string): boolean =>
    policies.some(({ condition }) => condition.includes(carrier.isGiven(parameter)));
  const parameters = [...new Set(used.map(({ parameter }) => parameter))].filter(isCompared);
  return { policies, parameters: parameters.toSorted(), gaps };
}

function readsByTable({ reads }: EndpointReads): ReadonlyMap<string, readonly (readonly TableFilter[])[]> {
  const found = new Map<string, (readonly TableFilter[])[]>();
  for (const { table, filters } of reads) found.set(table, [...(found.get(table) ?? []), filters]);
  return found;
}

function unsuitable(table: TypedTable | undefined): string | undefined {
  if (table === undefined) return 'not a table of the engine, so no row policy can restrict it';
  if (POLICY_ENGINES.test(table.engine)) return undefined;
  return `row policies do not restrict tables with the engine ${table.engine}; create them on the tables that it reads`;
}

/** The conditions of one endpoint on one table: any of `reads` may read. An empty read is unrestricted. */
interface EndpointFilters {
  readonly endpoint: string;
  readonly reads: readonly (readonly TableFilter[])[];
}

function filtersOf(
  endpoint: string,
  reads: readonly (readonly TableFilter[])[],
  { columns }: TypedTable,
): EndpointFilters {
  const isExpressible = ({ column }: TableFilter): boolean => {
    const type = columns.get(column);
    if (type === undefined) return false;
    const plain = plainTypeOf(type);
    const isCast = integerOf(plain) !== undefined || isDate(plain) || isAddress(plain);
    return TEXTS.has(plain.name) || plain.name === 'UUID' || isCast;
  };
  return { endpoint, reads: reads.map((filters) => filters.filter(isExpressible)) };
}

interface PolicyParts {
  readonly filters: readonly EndpointFilters[];
  readonly carrier: PolicyCarrier;
  /** Receives what is not protected. */
  readonly gaps: string[];
}

const isOpen = ({ reads }: EndpointFilters): boolean => reads.some((filters) => filters.length === 0);

function policyFor(table: TypedTable, { filters: all, carrier, gaps }: PolicyParts): TablePolicy | undefined {
  const name = `${quoteIdentifier(table.database)}.${quoteIdentifier(table.table)}`;
  const open = all.filter(isOpen);
  const restricted = all.find((each) => !isOpen(each));
  for (const { endpoint } of open) {
    gaps.push(
      `${name}: ${endpoint} has no condition \`column = @parameter\` on it that a row policy can repeat`,
    );
  }
  if (restricted === undefined) return undefined;
  const parameters = restricted.reads.flatMap((filters) => filters.map(({ parameter }) => parameter));
  return {
    database: table.database,
    table: table.table,
    name,
    condition: conditionOf(all, table, carrier),
    restricted: { endpoint: restricted.endpoint, parameters: [...new Set(parameters)].toSorted() },
  };
}

/** One condition if all endpoints have the same; otherwise each with the names of its endpoints. */
function conditionOf(all: readonly EndpointFilters[], table: TypedTable, carrier: PolicyCarrier): string {
  const groups = new Map<string, string[]>();
  // Most endpoints have the same conditions.
  const known = new Map<string, string>();
  for (const { endpoint, reads } of all) {
    const key = reads
      .map((filters) => filters.map(({ column, parameter }) => `${column}=${parameter}`).join())
      .join(';');
    const condition =
      known.get(key) ??
      anyOf(reads.map((filters) => allOf(filters.map((filter) => equality(filter, table, carrier)))));
    known.set(key, condition);
    const names = groups.get(condition);
    if (names === undefined) groups.set(condition, [endpoint]);
    else names.push(endpoint);
  }
  const [only, ...others] = groups.keys();
  if (only !== undefined && others.length === 0) return only;
  const scoped = [...groups].map(([condition, names]) => {
    const scope = scopeOf(names, carrier);
    return condition === '1' ? scope : `${scope} AND (${condition})`;
  });
  return anyOf(scoped);
}

/** True for requests of these endpoints. */
export function scopeOf(endpoints: readonly string[], carrier: PolicyCarrier): string {
  return `${carrier.endpoint} IN (${endpoints.toSorted().map(quoteString).join(', ')})`;
}

function equality(
  { column, parameter }: TableFilter,
  { columns }: TypedTable,
  carrier: PolicyCarrier,
): string {
  const type = plainTypeOf(columns.get(column) ?? '');
  const value = carrier.value(parameter);
  const cast = TEXTS.has(type.name) ? value : `accurateCastOrNull(${value}, ${quoteString(printType(type))})`;
  return `${carrier.isGiven(parameter)} AND ${quoteIdentifier(column)} = ${cast}`;
}

function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '1' : conditions.toSorted().join(' AND ');
}

function anyOf(conditions: readonly string[]): string {
  const distinct = [...new Set(conditions)].toSorted();
  if (distinct.includes('1')) return '1';
  return distinct.length === 1 ? (distinct[0] ?? '1') : distinct.map((each) => `(${each})`).join(' OR ');
}
