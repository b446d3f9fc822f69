// Rows about what the service accepts: functions, settings, formats, types; and the queries and rights of the key.
import { ENGINE_FORMATS } from '../../../formats/clickhouse-formats.ts';
import { createFunctionPolicy } from '../../../../guard/sandbox/functions/policy.ts';
import { SERVER_FUNCTIONS } from '../server-functions.ts';
import { LISTED_SETTINGS } from '../settings.ts';
import { ownDatabases, type RowSource } from './seen.ts';

const TYPES = `
Array BFloat16 Bool Date Date32 DateTime DateTime32 DateTime64 Decimal Decimal128 Decimal256 Decimal32 Decimal64 Dynamic Enum
Enum16 Enum8 FixedString Float32 Float64 IPv4 IPv6 Int128 Int16 Int256 Int32 Int64 Int8 JSON LowCardinality Map Nested Nothing
Nullable Point Polygon Ring SimpleAggregateFunction String Tuple UInt128 UInt16 UInt256 UInt32 UInt64 UInt8 UUID Variant
`
  .trim()
  .split(/\s+/);

/** Names that other databases have for types. */
const TYPE_ALIASES = {
  BIGINT: 'Int64', BOOL: 'Bool', BOOLEAN: 'Bool', CHAR: 'String', DOUBLE: 'Float64', FLOAT: 'Float32', INT: 'Int32',
  INTEGER: 'Int32', SMALLINT: 'Int16', TEXT: 'String', TIMESTAMP: 'DateTime', TINYINT: 'Int8', VARCHAR: 'String',
} as const; // prettier-ignore

const POLICY = createFunctionPolicy({ allow: [], deny: [] });

export const serviceRows: Readonly<Record<string, RowSource>> = {
  one: { columns: ['dummy'], rows: () => [[0]] },
  functions: {
    columns: ['name', 'is_aggregate', 'case_insensitive', 'origin', 'categories'],
    rows: () => [
      ...Object.entries(POLICY.families).flatMap(([family, names]) =>
        names.map((name) => [name, POLICY.allowsAggregate(name) ? 1 : 0, 0, 'System', family]),
      ),
      ...SERVER_FUNCTIONS.map((name) => [name, 0, 1, 'System', 'server']),
    ],
  },
  aggregate_function_combinators: {
    columns: ['name'],
    rows: () => POLICY.combinators.map((name) => [name]),
  },
  settings: {
    columns: ['name', 'value', 'description', 'readonly', 'type', 'default'],
    rows: () =>
      LISTED_SETTINGS.map(({ name, value, description, effect, type }) => {
        const isFixed = effect !== 'applied' && effect !== 'ignored';
        return [name, value, description, isFixed ? 1 : 0, type, value];
      }),
  },
  formats: {
    columns: ['name', 'is_output', 'content_type'],
    rows: () => ENGINE_FORMATS.map(({ name, contentType }) => [name, 1, contentType]),
  },
  data_type_families: {
    columns: ['name', 'case_insensitive', 'alias_to'],
    rows: () => [
      ...TYPES.map((name) => [name, 0, '']),
      ...Object.entries(TYPE_ALIASES).map(([name, type]) => [name, 1, type]),
    ],
  },
  table_engines: { columns: ['name'], rows: () => [['View']] },
  database_engines: { columns: ['name'], rows: () => [['Memory']] },
  time_zones: {
    columns: ['time_zone'],
    rows: () => Intl.supportedValuesOf('timeZone').map((name) => [name]),
  },
  build_options: {
    columns: ['name', 'value'],
    rows: ({ version }) => [
      ['VERSION_FULL', `ClickHouse ${version}`],
      ['VERSION_DESCRIBE', `v${version}-millrace`],
    ],
  },
  processes: {
    columns: [
      'is_initial_query',
      'user',
      'query_id',
      'initial_user',
      'initial_query_id',
      'elapsed',
      'query',
      'query_kind',
      'current_database',
    ],
    rows: ({ processes, principal, now }) =>
      processes().map(({ queryId, query, started, database }) => [
        1,
        principal.name,
        queryId,
        principal.name,
        queryId,
        (now() - started) / 1000,
        query,
        'Select',
        database,
      ]),
  },
  users: {
    columns: ['name', 'storage', 'default_roles_all'],
    rows: ({ principal }) => [[principal.name, 'millrace', 1]],
  },
  grants: {
    columns: ['user_name', 'access_type', 'database'],
    rows: (seen) => ownDatabases(seen).map(({ name }) => [seen.principal.name, 'SELECT', name]),
  },
};
