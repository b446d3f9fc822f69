// Functions that ask about the server: replaced by constants, with the column name that the call would have.
import { quoteIdentifier, quoteString } from '../../../sql/clickhouse/literal.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nameOf, partOf, spanOf, textOf, walk } from '../../../sql/clickhouse/tree/visit.ts';
import type { Edit } from './edited-text.ts';

/** What the functions return. */
export interface ServerFacts {
  /** As `version()` returns it. */
  readonly version: string;
  readonly user: string;
  readonly database: string;
  readonly queryId: string;
  /** Seconds. */
  readonly uptime: number;
}

type Write = (facts: ServerFacts) => string;

const text =
  (of: (facts: ServerFacts) => string): Write =>
  (facts) =>
    quoteString(of(facts));
const fixed =
  (sql: string): Write =>
  () =>
    sql;
const NAME = 'millrace';
const LIST = (names: readonly string[]): Write =>
  fixed(`CAST([${names.map(quoteString).join(', ')}], 'Array(String)')`);

/** The revision of the native protocol that a server of this version has. */
const REVISION = 54513;

/** By name in lower case. */
const FUNCTIONS: ReadonlyMap<string, Write> = new Map([
  ...named(
    'version',
    text(({ version }) => version),
  ),
  ...named('timezone servertimezone', fixed("'UTC'")),
  ...named(
    'currentuser user current_user initialuser authenticateduser',
    text(({ user }) => user),
  ),
  ...named(
    'currentdatabase database schema current_database',
    text(({ database }) => database),
  ),
  ...named(
    'currentschemas current_schemas',
    (facts) => `CAST([${quoteString(facts.database)}], 'Array(String)')`,
  ),
  ...named('hostname fqdn fullhostname displayname', fixed(quoteString(NAME))),
  ...named('uptime', ({ uptime }) => `CAST(${Math.trunc(uptime)}, 'UInt32')`),
  ...named('serveruuid', fixed("CAST('00000000-0000-0000-0000-000000000000', 'UUID')")),
  ...named('currentprofiles enabledprofiles defaultprofiles', LIST(['readonly'])),
  ...named('currentroles enabledroles defaultroles', LIST([])),
  ...named('revision', fixed(`CAST(${REVISION}, 'UInt32')`)),
  ...named('tcpport', fixed("CAST(0, 'UInt16')")),
  ...named('buildid', fixed("''")),
  ...named('connectionid connection_id', fixed("CAST(0, 'UInt64')")),
  ...named(
    'queryid query_id currentqueryid current_query_id initialqueryid initial_query_id',
    text(({ queryId }) => queryId),
  ),
  ...named('shardnum shardcount', fixed("CAST(0, 'UInt32')")),
]);

function named(names: string, write: Write): readonly (readonly [string, Write])[] {
  return names.split(' ').map((name) => [name, write] as const);
}

/** Names of the functions, in lower case. */
export const SERVER_FUNCTIONS: readonly string[] = [...FUNCTIONS.keys()];

/** Replaces the calls. Arguments, which some of the functions have, are dropped if they are a single token. */
export function replaceServerFunctions(tree: Tree, facts: ServerFacts): readonly Edit[] {
  const edits: Edit[] = [];
  walk(tree.root, (node, parent) => {
    const write = node.kind === 'call' ? FUNCTIONS.get(nameOf(tree, node).toLowerCase()) : undefined;
    const column = write && columnName(tree, node);
    if (write === undefined || column === undefined) return;
    const alias = parent?.kind === 'list' ? ` AS ${quoteIdentifier(column)}` : '';
    edits.push({ ...spanOf(tree, node), text: `${write(facts)}${alias}` });
  });
  return edits;
}

/** The name that the column of a plain call has, with at most one token as argument; undefined for other calls. */
function columnName(tree: Tree, call: Node): string | undefined {
  const passed = partOf(call, 'arguments');
  const [first, second] = passed?.parts ?? [];
  const isLong = first !== undefined && first.to - first.from > 1;
  if (!call.isWhole || call.parts.length !== 1 || second !== undefined || isLong) return undefined;
  const argument = first === undefined ? '' : textOf(tree, first);
  return `${nameOf(tree, call)}(${argument})`.replace(/[`'"\\]/g, '');
}
