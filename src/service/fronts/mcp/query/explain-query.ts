// Runs the tool explain: checks a query without running it.
import { referenceOf } from '../../../endpoints/endpoint.ts';
import { Problem } from '../../../../sql/base/problem.ts';
import { DIALECTS } from '../../../request/consumer/dialect-table.ts';
import type { VisibleTable } from '../../../request/consumer/visible-tables.ts';
import type { Caller } from '../caller.ts';
import { plainText } from '../endpoints/table-text.ts';
import { PARAMETERS, READ_ONLY, type DefinedTool } from './describe-tables.ts';
import { findOpen, type OpenEndpoint } from './open-endpoints.ts';
import { withQueryHints } from './query-hints.ts';
import { fieldsOf, readArguments, type QueryArguments } from './read-arguments.ts';
import { tablesRead } from './tables-read.ts';
import { unknownPathNotes } from './unknown-paths.ts';

export type Tables = (open: OpenEndpoint, caller: Caller) => Promise<readonly VisibleTable[] | undefined>;

export const QUERY = {
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

export function createExplain(tables: Tables): DefinedTool {
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
      const {
        sql,
        dialect,
        steps = [],
      } = await withQueryHints(read.sql ?? read.lql, () =>
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
        ...steps.flatMap(({ step, reason, sql: text }) => [
          `Statement after ${step}. ${plainText(reason)}:`,
          plainText(text.slice(0, MAX_SQL)),
        ]),
      ];
      return {
        content: [{ type: 'text', text: lines.join('\n') }],
        structuredContent: {
          valid: true,
          reads,
          ...(dialect === undefined ? {} : { dialect }),
          ...(isTranslated ? { runs_as: sql.slice(0, MAX_SQL) } : {}),
          ...(notes.length === 0 ? {} : { notes }),
          ...(steps.length === 0
            ? {}
            : { steps: steps.map((each) => ({ ...each, sql: each.sql.slice(0, MAX_SQL) })) }),
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
export function readQuery(
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

export function queryFields({ parameters, sql, lql, dialect }: QueryArguments): ReturnType<typeof fieldsOf> {
  return fieldsOf(parameters, [
    ['sql', sql],
    ['lql', lql],
    ['dialect', dialect],
  ]);
}

export async function pathNotes(
  tables: Tables,
  { read, open, caller }: QueryCall & { readonly caller: Caller },
): Promise<readonly string[]> {
  return unknownPathNotes(read, (await tables(open, caller)) ?? []);
}
