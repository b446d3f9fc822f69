// Derives row policies for a server's tables from the conditions of the endpoint files.
import { referenceOf } from '../../../catalog/versions.ts';
import type { Endpoint } from '../../../catalog/endpoint.ts';
import { tableReads, type TableFilter } from '../../../compatibility/table-filters.ts';
import { ENDPOINT_SETTING, isGiven, parameterSetting, settingValue } from '../../../engine/row-policy.ts';
import { quoteIdentifier, quoteString } from '../../../sql/literal.ts';

/** A table on the server. */
export interface ServerTable {
  readonly database: string;
  readonly table: string;
  /** ClickHouse's name of the table engine. */
  readonly engine: string;
  /** Types by column. */
  readonly columns: ReadonlyMap<string, string>;
}

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
const ENGINES = /MergeTree$|^(View|Memory)$/;
/** A value is compared as a string with these, and cast to these; other types have several texts for one value. */
const TEXTS = /^(String|FixedString\(\d+\))$/;
const CASTS = /^(U?Int(8|16|32|64|128|256)|UUID|Date|Date32|IPv4|IPv6)$/;

/** `find` looks up a table as an endpoint names it; undefined: the server has no such table. */
export function rowPolicies(
  endpoints: readonly Endpoint[],
  find: (table: string) => ServerTable | undefined,
): RowPolicies {
  const gaps: string[] = [];
  const byTable = new Map<ServerTable, EndpointFilters[]>();
  for (const endpoint of endpoints) {
    for (const [written, reads] of readsByTable(endpoint)) {
      const table = find(written);
      const why = unsuitable(table);
      if (table === undefined || why !== undefined)
        gaps.push(`${written}: ${why} (${referenceOf(endpoint)})`);
      else
        byTable.set(table, [...(byTable.get(table) ?? []), filtersOf(referenceOf(endpoint), reads, table)]);
    }
  }
  const policies = [...byTable].flatMap(([table, filters]) => policyFor(table, filters, gaps) ?? []);
  const parameters = new Set(policies.flatMap(({ condition }) => parametersOf(condition, byTable)));
  return { policies, parameters: [...parameters].toSorted(), gaps };
}

function readsByTable(endpoint: Endpoint): ReadonlyMap<string, readonly (readonly TableFilter[])[]> {
  const found = new Map<string, (readonly TableFilter[])[]>();
  for (const { table, filters } of tableReads(endpoint)) {
    found.set(table, [...(found.get(table) ?? []), filters]);
  }
  return found;
}

function unsuitable(table: ServerTable | undefined): string | undefined {
  if (table === undefined) return 'not a table on the server, so no row policy can restrict it';
  if (ENGINES.test(table.engine)) return undefined;
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
  { columns }: ServerTable,
): EndpointFilters {
  const isExpressible = ({ column }: TableFilter): boolean => {
    const type = plainType(columns.get(column) ?? '');
    return TEXTS.test(type) || CASTS.test(type);
  };
  return { endpoint, reads: reads.map((filters) => filters.filter(isExpressible)) };
}

/** The type without LowCardinality and Nullable. */
function plainType(type: string): string {
  const inner = /^(?:LowCardinality|Nullable)\((.*)\)$/.exec(type)?.[1];
  return inner === undefined ? type : plainType(inner);
}

function policyFor(
  table: ServerTable,
  all: readonly EndpointFilters[],
  gaps: string[],
): TablePolicy | undefined {
  const name = `${quoteIdentifier(table.database)}.${quoteIdentifier(table.table)}`;
  const open = all.filter(({ reads }) => reads.some((filters) => filters.length === 0));
  const restricted = all.find((each) => !open.includes(each));
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
    condition: conditionOf(all, table),
    restricted: { endpoint: restricted.endpoint, parameters: [...new Set(parameters)].toSorted() },
  };
}

/** One condition if all endpoints have the same; otherwise each with the names of its endpoints. */
function conditionOf(all: readonly EndpointFilters[], table: ServerTable): string {
  const groups = new Map<string, string[]>();
  for (const { endpoint, reads } of all) {
    const condition = anyOf(reads.map((filters) => allOf(filters.map((filter) => equality(filter, table)))));
    groups.set(condition, [...(groups.get(condition) ?? []), endpoint]);
  }
  const [only, ...others] = groups.keys();
  if (only !== undefined && others.length === 0) return only;
  const scoped = [...groups].map(([condition, names]) => {
    const list = names.toSorted().map(quoteString).join(', ');
    const scope = `${settingValue(ENDPOINT_SETTING)} IN (${list})`;
    return condition === '1' ? scope : `${scope} AND (${condition})`;
  });
  return anyOf(scoped);
}

function equality({ column, parameter }: TableFilter, { columns }: ServerTable): string {
  const setting = parameterSetting(parameter);
  const type = plainType(columns.get(column) ?? '');
  const value = settingValue(setting);
  const cast = TEXTS.test(type) ? value : `accurateCastOrNull(${value}, ${quoteString(type)})`;
  return `${isGiven(setting)} AND ${quoteIdentifier(column)} = ${cast}`;
}

function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '1' : conditions.toSorted().join(' AND ');
}

function anyOf(conditions: readonly string[]): string {
  const distinct = [...new Set(conditions)].toSorted();
  if (distinct.includes('1')) return '1';
  return distinct.length === 1 ? (distinct[0] ?? '1') : distinct.map((each) => `(${each})`).join(' OR ');
}

function parametersOf(
  condition: string,
  byTable: ReadonlyMap<ServerTable, readonly EndpointFilters[]>,
): readonly string[] {
  const all = [...byTable.values()].flatMap((filters) => filters.flatMap(({ reads }) => reads.flat()));
  return all
    .map(({ parameter }) => parameter)
    .filter((parameter) => condition.includes(quoteString(parameterSetting(parameter))));
}
