// The tools for keys that may send queries of their own: describe_tables, query and explain.
import { referenceOf } from '../../../endpoints/endpoint.ts';
import { Problem } from '../../../../sql/base/problem.ts';
import { DIALECTS } from '../../../request/consumer/dialect-table.ts';
import {
  tablesOfVariant,
  visibleTables,
  type VisibleTable,
  type VisibleTablesDeps,
} from '../../../request/consumer/visible-tables.ts';
import type { Sandboxes } from '../../../request/consumer/sandboxes.ts';
import type { Caller } from '../caller.ts';
import { rowsToContent } from '../endpoints/answer-text.ts';
import { plainText } from '../endpoints/table-text.ts';
import type { ToolDefinition, ToolResult, ToolSource } from '../tool.ts';
import {
  createDescribeTables,
  PARAMETERS,
  READ_ONLY,
  type DefinedTool,
  type DescribeTablesDeps,
} from './describe-tables.ts';
import { findOpen, openEndpoints, type OpenEndpoint } from './open-endpoints.ts';
import { withQueryHints } from './query-hints.ts';
import { fieldsOf, readArguments, type QueryArguments } from './read-arguments.ts';
import { tablesRead } from './tables-read.ts';
import { unknownPathNotes } from './unknown-paths.ts';

export interface QueryToolsDeps extends VisibleTablesDeps {
  readonly sandboxes: Pick<Sandboxes, 'of' | 'offBecause'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

type Tables = (open: OpenEndpoint, caller: Caller) => Promise<readonly VisibleTable[] | undefined>;

/** Creates the source of the three tools. A key that may send no queries has none of them. */
export function createQueryTools(deps: QueryToolsDeps): ToolSource {
  const tables: Tables = ({ endpoint }, { principal }) => visibleTables(endpoint, principal, deps);
  const chosenTables: DescribeTablesDeps['tables'] = ({ endpoint }, { principal }, parameters) => {
    const variant =
      parameters && endpoint.variantOf(endpoint.binder.bind(parameters, deps.now(), principal.locked));
    return variant === undefined
      ? visibleTables(endpoint, principal, deps)
      : tablesOfVariant(variant, principal, deps);
  };
  const tools = [
    createDescribeTables({ tables: chosenTables, now: deps.now }),
    createQuery(tables),
    createExplain(tables),
  ];
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const definitions = tools.map(({ definition }) => definition);
  // A catalog and a principal are immutable.
  const known = new WeakMap<Caller['catalog'], WeakMap<Caller['principal'], readonly ToolDefinition[]>>();
  const list = ({ catalog, principal }: Caller): readonly ToolDefinition[] => {
    if (deps.sandboxes.offBecause() !== undefined) return [];
    const ofCatalog = known.get(catalog) ?? new WeakMap<Caller['principal'], readonly ToolDefinition[]>();
    known.set(catalog, ofCatalog);
    const found = ofCatalog.get(principal);
    if (found !== undefined) return found;
    const made = openEndpoints(catalog, principal).length === 0 ? [] : definitions;
    ofCatalog.set(principal, made);
    return made;
  };
  return {
    list: async (caller) => list(caller),
    find: async (caller, name) => (list(caller).length === 0 ? undefined : byName.get(name)),
  };
}

const QUERY = {
  endpoint: { type: 'string', description: 'Name of the endpoint; its tables are what the query can read.' },
  sql: {
    type: 'string',
    description:
      "One SELECT over the tables of the endpoint, without a database before their names. In ClickHouse SQL: JSON paths with dots (metadata.request.path), map keys as attributes['key'], timestamp > now() - INTERVAL 1 HOUR, toStartOfHour(timestamp), countIf(…), quantile(0.95)(x).",
  },
  lql: { type: 'string', description: 'Instead of sql: a search in LQL, such as m.level:error t:last@1h' },
  dialect: {
    type: 'string',
    enum: Object.keys(DIALECTS),
    description:
      'Of sql; default: the first dialect of the endpoint, or one of which the query has constructs that the first does not have.',
  },
  parameters: PARAMETERS,
};

function createQuery(tables: Tables): DefinedTool {
  const properties = {
    ...QUERY,
    max_rows: { type: 'integer', minimum: 1, description: 'Rows in the answer.' },
  };
  return {
    definition: {
      name: 'query',
      title: 'Run a query',
      description:
        'Runs one read-only SQL or LQL query over the tables of an endpoint and returns its rows. See describe_tables for tables, columns, paths and parameters. Aggregate in the query rather than reading many rows. Errors have line, column and a hint.',
      inputSchema: { type: 'object', properties, required: ['endpoint'], additionalProperties: false },
      annotations: READ_ONLY,
    },
    run: async (args, caller) => {
      const { read, open } = readQuery(args, Object.keys(properties), caller);
      const { endpoint } = open;
      const answer = await withQueryHints(read.sql ?? read.lql, () =>
        caller.answer(referenceOf(endpoint), queryFields(read), 'ndjson'),
      );
      const most = endpoint.mcp?.maxRows ?? endpoint.maxRows;
      const content = rowsToContent(answer, {
        maxRows: Math.min(read.maxRows ?? most, most),
        narrowing: NARROWING,
      });
      const isEmpty = answer.rows === 0 || hasEmptyColumn(content.structuredContent.rows);
      return withNotes(content, [
        ...dialectNotes(read, open, answer.dialect),
        ...(isEmpty ? await pathNotes(tables, { read, open, caller }) : []),
      ]);
    },
  };
}

const NARROWING =
  'For less, aggregate (GROUP BY), add conditions, select fewer columns or set a LIMIT; for the next rows, add a condition on the column that you order by.';

function createExplain(tables: Tables): DefinedTool {
  const properties = QUERY;
  return {
    definition: {
      name: 'explain',
      title: 'Check a query without running it',
      description:
        'Checks an SQL or LQL query as the tool query does, without running it or reading rows: syntax, tables, columns, functions and types, with line and column of an error. Returns the tables that it reads and the SQL that it is run as.',
      inputSchema: { type: 'object', properties, required: ['endpoint'], additionalProperties: false },
      annotations: READ_ONLY,
    },
    run: async (args, caller) => {
      const { read, open } = readQuery(args, Object.keys(properties), caller);
      const { sql, dialect } = await withQueryHints(read.sql ?? read.lql, () =>
        caller.explain(referenceOf(open.endpoint), queryFields(read)),
      );
      const reads = tablesRead(sql, open.tables);
      const notes = await pathNotes(tables, { read, open, caller });
      const isTranslated = sql !== read.sql;
      const lines = [
        'The query is valid.',
        ...(dialect === undefined ? [] : [`Parsed as ${dialect} SQL.`]),
        `Reads: ${reads.length === 0 ? 'no table' : reads.map(plainText).join(', ')}`,
        ...(isTranslated ? [`Runs as ClickHouse SQL: ${plainText(sql.slice(0, MAX_SQL))}`] : []),
        ...notes,
      ];
      return {
        content: [{ type: 'text', text: lines.join('\n') }],
        structuredContent: {
          valid: true,
          reads,
          ...(dialect === undefined ? {} : { dialect }),
          ...(isTranslated ? { runs_as: sql.slice(0, MAX_SQL) } : {}),
          ...(notes.length === 0 ? {} : { notes }),
        },
      };
    },
  };
}

const MAX_SQL = 8192;

interface QueryCall {
  readonly read: QueryArguments;
  readonly open: OpenEndpoint;
}

/** Throws Problem. */
function readQuery(
  args: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
  { catalog, principal }: Caller,
): QueryCall {
  const read = readArguments(args, allowed);
  const missing = [
    ...(read.endpoint === undefined ? [{ parameter: 'endpoint', message: 'is required' }] : []),
    ...(read.sql === undefined && read.lql === undefined
      ? [{ parameter: 'sql', message: 'is required, or lql instead' }]
      : []),
  ];
  if (missing.length > 0) throw new Problem('request.parameters_invalid', { errors: missing });
  return { read, open: findOpen(catalog, principal, read.endpoint ?? '') };
}

function queryFields({ parameters, sql, lql, dialect }: QueryArguments): ReturnType<typeof fieldsOf> {
  return fieldsOf(parameters, [
    ['sql', sql],
    ['lql', lql],
    ['dialect', dialect],
  ]);
}

/** A dialect that was detected, and is not the one that is tried first. */
function dialectNotes(
  { dialect: requested }: QueryArguments,
  { dialects }: OpenEndpoint,
  dialect: string | undefined,
): readonly string[] {
  if (requested !== undefined || dialect === undefined || dialect === dialects[0]) return [];
  return [`Parsed as ${dialect} SQL; send dialect=${dialects[0]} if it is another.`];
}

async function pathNotes(
  tables: Tables,
  { read, open, caller }: QueryCall & { readonly caller: Caller },
): Promise<readonly string[]> {
  return unknownPathNotes(read, (await tables(open, caller)) ?? []);
}

/** Whether a column is NULL in all rows that are shown. */
function hasEmptyColumn(rows: readonly Readonly<Record<string, unknown>>[]): boolean {
  const [first = {}] = rows;
  return Object.keys(first).some((name) => rows.every((row) => row[name] === null));
}

function withNotes(content: ReturnType<typeof rowsToContent>, notes: readonly string[]): ToolResult {
  if (notes.length === 0) return { ...content, content: [...content.content] };
  return {
    content: [...content.content, { type: 'text', text: notes.join('\n') }],
    structuredContent: { ...content.structuredContent, hints: notes },
  };
}
