// Functions that ask about the server: replaced by constants, with the column name that the call would have.
import type { Cursor } from '../../sql/cursor.ts';
import { quoteIdentifier, quoteString } from '../../sql/literal.ts';
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
export function replaceServerFunctions(cursor: Cursor, facts: ServerFacts): readonly Edit[] {
  const edits: Edit[] = [];
  for (let at = 0; at < cursor.length; at++) {
    if (cursor.kind(at) !== 'word' || cursor.kind(at + 1) !== '(' || cursor.kind(at - 1) === '.') continue;
    const write = FUNCTIONS.get(cursor.text(at).toLowerCase());
    const close = cursor.closing(at + 1);
    if (write === undefined || close > at + 3 || close === at + 1) continue;
    const value = write(facts);
    const alias = isSelected(cursor, at, close)
      ? ` AS ${quoteIdentifier(columnName(cursor, at, close))}`
      : '';
    edits.push({ start: cursor.start(at), end: cursor.end(close), text: `${value}${alias}` });
    at = close;
  }
  return edits;
}

function columnName(cursor: Cursor, from: number, to: number): string {
  const tokens = cursor.tokens.slice(from, to + 1).map((_, index) => cursor.text(from + index));
  return tokens.join('').replace(/[`'"\\]/g, '');
}

const AFTER_ITEM: ReadonlySet<string | undefined> = new Set(
  `FROM WHERE PREWHERE GROUP HAVING ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT QUALIFY WINDOW`.split(
    ' ',
  ),
);

/** Whether the call is an item of a SELECT by itself, without an alias. */
function isSelected(cursor: Cursor, at: number, close: number): boolean {
  const next = cursor.kind(close + 1);
  if (next !== undefined && next !== ',' && next !== ')' && !AFTER_ITEM.has(cursor.word(close + 1)))
    return false;
  return startsItem(cursor, at);
}

/** Whether SELECT or a comma of its list is before. */
function startsItem(cursor: Cursor, at: number): boolean {
  const before = cursor.word(at - 1);
  if (before === 'SELECT' || (before === 'DISTINCT' && cursor.word(at - 2) === 'SELECT')) return true;
  if (cursor.kind(at - 1) !== ',') return false;
  let depth = 0;
  for (let back = at - 1; back >= 0; back--) {
    const kind = cursor.kind(back);
    if (kind === ')' || kind === ']') depth++;
    if (kind === '(' || kind === '[') depth--;
    if (depth < 0) return false;
    const word = depth === 0 ? cursor.word(back) : undefined;
    if (word === 'SELECT') return true;
    if (AFTER_ITEM.has(word) || word === 'WITH' || word === 'BY') return false;
  }
  return false;
}
