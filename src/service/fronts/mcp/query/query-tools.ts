// The tools for keys that may send queries of their own: describe_tables, query and explain.
import { referenceOf } from '../../../endpoints/endpoint.ts';
import {
  tablesOfVariant,
  visibleTables,
  type VisibleTablesDeps,
} from '../../../request/consumer/visible-tables.ts';
import type { Sandboxes } from '../../../request/consumer/sandboxes.ts';
import type { Caller } from '../caller.ts';
import { rowsToContent } from '../endpoints/answer-text.ts';
import type { ToolDefinition, ToolResult, ToolSource } from '../tool.ts';
import {
  createDescribeTables,
  READ_ONLY,
  type DefinedTool,
  type DescribeTablesDeps,
} from './describe-tables.ts';
import { openEndpoints, type OpenEndpoint } from './open-endpoints.ts';
import { withQueryHints } from './query-hints.ts';
import type { QueryArguments } from './read-arguments.ts';
import { QUERY, type Tables, createExplain, pathNotes, queryFields, readQuery } from './explain-query.ts';

export interface QueryToolsDeps extends VisibleTablesDeps {
  readonly sandboxes: Pick<Sandboxes, 'of' | 'offBecause'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

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

/** A dialect that was detected, and is not the one that is tried first. */
function dialectNotes(
  { dialect: requested }: QueryArguments,
  { dialects }: OpenEndpoint,
  dialect: string | undefined,
): readonly string[] {
  if (requested !== undefined || dialect === undefined || dialect === dialects[0]) return [];
  return [`Parsed as ${dialect} SQL; send dialect=${dialects[0]} if it is another.`];
}

/** Returns whether a column is NULL in all rows that are shown. */
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
