// The tables of the virtual databases: columns as ClickHouse has them, rows of what a key may see.
import { INFORMATION_SCHEMA_COLUMNS, SYSTEM_COLUMNS } from '../generated/system-columns.ts';
import type { VirtualName, VirtualScope, VirtualTables } from '../databases.ts';
import type { TypedColumn } from '../rows-text.ts';
import { joinedName } from '../names.ts';
import { describedRows } from './catalog-rows.ts';
import type { RowSource, VirtualTable } from './seen.ts';
import { serviceRows } from './service-rows.ts';

const ASYNCHRONOUS_METRICS = 'SystemAsynchronousMetrics|metric String|value Float64|description String';

/** Of the log of queries, which servers create on first use. */
const QUERY_LOG = `SystemLog|hostname LowCardinality(String)|type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4)|event_date Date|event_time DateTime|query_start_time DateTime|query_duration_ms UInt64|read_rows UInt64|read_bytes UInt64|written_rows UInt64|written_bytes UInt64|result_rows UInt64|result_bytes UInt64|memory_usage UInt64|current_database LowCardinality(String)|query String|normalized_query_hash UInt64|query_kind LowCardinality(String)|databases Array(LowCardinality(String))|tables Array(LowCardinality(String))|columns Array(LowCardinality(String))|exception_code Int32|exception String|is_initial_query UInt8|user LowCardinality(String)|query_id String|initial_user LowCardinality(String)|initial_query_id String|interface UInt8|http_user_agent String|log_comment String|ProfileEvents Map(LowCardinality(String), UInt64)|Settings Map(LowCardinality(String), LowCardinality(String))`;

const TEXTS: Readonly<Record<VirtualName, Readonly<Record<string, string>>>> = {
  system: { ...SYSTEM_COLUMNS, asynchronous_metrics: ASYNCHRONOUS_METRICS, query_log: QUERY_LOG },
  information_schema: INFORMATION_SCHEMA_COLUMNS,
};

const SOURCES: Readonly<Record<VirtualName, Readonly<Record<string, RowSource>>>> = {
  system: { ...describedRows.system, ...serviceRows },
  information_schema: describedRows.information_schema,
};

const SYSTEM = tablesOf('system');
const INFORMATION_SCHEMA = tablesOf('information_schema');

export const VIRTUAL_TABLES: Readonly<Record<VirtualScope, readonly VirtualTable[]>> = {
  system: SYSTEM,
  information_schema: INFORMATION_SCHEMA,
  both: [...SYSTEM, ...INFORMATION_SCHEMA.map((table) => ({ ...table, name: joinedName(table.name) }))],
};

export const VIRTUAL_NAMES: VirtualTables = {
  system: VIRTUAL_TABLES.system.map(({ name }) => name),
  information_schema: VIRTUAL_TABLES.information_schema.map(({ name }) => name),
};

function tablesOf(database: VirtualName): readonly VirtualTable[] {
  return Object.entries(TEXTS[database])
    .map(([name, text]) => {
      const [engine = '', ...columns] = text.split('|');
      return { name, engine, columns: columns.map(readColumn), source: SOURCES[database][name] };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function readColumn(text: string): TypedColumn {
  const space = text.indexOf(' ');
  return { name: text.slice(0, space), type: text.slice(space + 1) };
}
