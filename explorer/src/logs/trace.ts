// The same id in other tables: traces, requests and sessions leave rows in several of them, and in several endpoints.
import type { Ask } from '../service/client.ts';
import type { Row } from '../service/json.ts';
import { sandboxOf, type Endpoint, type Table } from '../service/listing.ts';
import { ALL_LOGS, NOWHERE, writeAddress } from '../state/address.ts';
import { fixedRange, writeRange } from '../time-range/range.ts';
import { columnOf, fieldsOf } from './fields.ts';
import { include, isFilterable } from './lql-edit.ts';
import type { Bounds } from './questions.ts';
import { sqlField, sqlName, sqlString, sqlTime } from './sql.ts';
import { logViewsOf, tableOf, type LogView } from './view.ts';

/** A field of a table that may hold the id. */
export interface TraceField {
  readonly view: LogView;
  readonly table: Table;
  readonly path: string;
}

export interface TracePlan {
  readonly endpoint: Endpoint;
  readonly fields: readonly TraceField[];
}

export interface Trace {
  readonly id: string;
  /** The id was read from the field at this path. */
  readonly path: string;
  readonly bounds: Bounds;
  readonly parameters: Readonly<Record<string, string>>;
}

const NAME =
  /(?:^|[._])(?:(?:x[._-]?)?(?:trace|request|req|correlation|execution|invocation|session|transaction|span|operation|job)[._-]?id|(?:cf[._-]?)?ray(?:[._-]?id)?)$/i;
const MIN_LENGTH = 6;
const MAX_FIELDS = 40;
const DAY_MS = 86_400_000;

/** Other tables may have rows with the value of such a field. */
export function isTraceId(path: string, value: Row[string]): boolean {
  return (
    NAME.test(path) &&
    typeof value === 'string' &&
    value.length >= MIN_LENGTH &&
    isFilterable({ path, isElement: false }, value)
  );
}

/** A day before and after. */
export function traceBounds(ms: number): Bounds {
  return { from: ms - DAY_MS, to: ms + DAY_MS };
}

/** The fields to look in, by endpoint: those with the name of an id, and of columns without listed fields the one that has it here. */
export function tracePlans(
  endpoints: readonly Endpoint[],
  { path }: Pick<Trace, 'path'>,
): readonly TracePlan[] {
  return endpoints.flatMap((endpoint) => {
    const fields = logViewsOf(endpoint).flatMap((view) => {
      const table = tableOf(view, endpoint);
      return table === undefined ? [] : fieldsIn(table, path).map((each) => ({ view, table, path: each }));
    });
    return fields.length === 0 ? [] : [{ endpoint, fields: fields.slice(0, MAX_FIELDS) }];
  });
}

function fieldsIn(table: Table, path: string): readonly string[] {
  const listed = fieldsOf(table)
    .filter(({ path: each, kind }) => NAME.test(each) && (kind === 'string' || kind === 'dynamic'))
    .map(({ path: each }) => each);
  const inner = path.slice((columnOf(table, path)?.name ?? path.split('.')[0] ?? '').length + 1);
  const maps = table.columns.filter(({ type }) => type.startsWith('Map(') && inner !== '');
  return [...new Set([...listed, ...maps.map(({ name }) => `${name}.${inner}`)])];
}

/** One query for all fields of an endpoint; undefined if the endpoint or the key does not allow SQL. */
export function traceAsk(
  { endpoint, fields }: TracePlan,
  { id, bounds, parameters }: Trace,
): Ask | undefined {
  const sandbox = sandboxOf(endpoint);
  if (sandbox?.languages.includes('sql') !== true) return undefined;
  const [from, to] = [sqlTime(BigInt(bounds.from) * 1000n), sqlTime(BigInt(bounds.to) * 1000n)];
  const parts = fields.map(({ view, table, path }, index) => {
    const time = sqlName(view.time);
    return [
      `SELECT ${index} AS field, count() AS rows`,
      `FROM ${view.table}`,
      `WHERE ${time} >= ${from} AND ${time} < ${to} AND CAST(${sqlField(table, path)}, 'Nullable(String)') = ${sqlString(id)}`,
    ].join('\n');
  });
  const dialect = sandbox.dialects.length > 1 ? ({ dialect: 'clickhouse' } as const) : {};
  const own = { language: 'sql', text: parts.join('\nUNION ALL\n'), ...dialect } as const;
  return { endpoint: endpoint.name, parameters: parametersOf(endpoint, parameters), own };
}

/** The fragment that shows the rows with the id. */
export function traceLink({ endpoint }: TracePlan, { view, path }: TraceField, trace: Trace): string {
  const { bounds, id, parameters } = trace;
  return writeAddress({
    ...NOWHERE,
    endpoint: endpoint.name,
    parameters: parametersOf(endpoint, parameters),
    logs: {
      ...ALL_LOGS,
      table: view.table,
      filter: include('', { path, isElement: false }, id),
      range: writeRange(fixedRange(bounds.from, bounds.to)),
    },
  });
}

/** Selects the values whose parameters the other endpoint has as well. */
function parametersOf(endpoint: Endpoint, values: Trace['parameters']): Trace['parameters'] {
  const names = new Set(endpoint.parameters.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
