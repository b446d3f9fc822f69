// Puts the rows of virtual tables into the statement: each table reads a placeholder, which the rows of the key replace.
import { Problem } from '../../../../sql/base/problem.ts';
import type { Verdict } from '../../../../guard/sandbox/sandbox.ts';
import { quoteIdentifier, quoteString } from '../../../../sql/clickhouse/literal.ts';
import { placeholdersIn } from '../../../../sql/clickhouse/tree/lexemes.ts';
import type { VirtualScope } from '../databases.ts';
import { applyEdits } from '../edited-text.ts';
import { MAX_NUMBERS } from '../names.ts';
import { jsonOf, rowsQuery } from '../rows-text.ts';
import { VIRTUAL_TABLES } from './definitions.ts';
import type { Seen, VirtualTable } from './seen.ts';

/** All rows of one statement have at most this many bytes: the engine parses statements of up to 8 MiB, and quotes are escaped. */
const MAX_ROWS = 3 * 2 ** 20;

/** A WITH clause must have an element, even if no table is read. */
export const NO_TABLE = 'millrace_no_table AS (SELECT 1)';

export function elementOf({ name, columns, source }: VirtualTable): string {
  const [only] = columns;
  const numbers = `arrayJoin(range(toUInt64(${MAX_NUMBERS})))`;
  const sequences: Readonly<Record<string, string>> = {
    numbers,
    numbers_mt: numbers,
    zeros: `CAST(${numbers} * 0, 'UInt8')`,
  };
  const sequence = sequences[name];
  const body =
    sequence !== undefined && only !== undefined
      ? `SELECT ${sequence} AS ${quoteIdentifier(only.name)}`
      : rowsQuery(columns, source?.columns ?? [], placeholderOf(name));
  return `${quoteIdentifier(name)} AS (${body})`;
}

const PREFIX = 'rows_of_';
const NO_ROWS = "'[]'";

function placeholderOf(table: string): string {
  return `{${PREFIX}${table}:String}`;
}

interface Filling {
  readonly database: VirtualScope | undefined;
  readonly verdict: Verdict;
  readonly seen: Seen;
}

/** The placeholders are found by their tokens: conditions of the caller in front of the query may have the same text in a string. */
export async function withRows(head: string, { database, verdict, seen }: Filling): Promise<string> {
  const rows = new Map<string, string>();
  let size = 0;
  for (const name of verdict.tables) {
    if (database === undefined) continue;
    const source = VIRTUAL_TABLES[database].find((table) => table.name === name)?.source;
    if (source === undefined) continue;
    const quoted = quoteString(jsonOf(await source.rows(seen)));
    size += Buffer.byteLength(quoted);
    if (size > MAX_ROWS) {
      throw new Problem('query.too_expensive', {
        detail: `The table ${name} has too many rows for your key: more than ${MAX_ROWS} bytes`,
        hint: 'Use a key that covers fewer endpoints, or DESCRIBE TABLE for each table.',
      });
    }
    rows.set(name, quoted);
  }
  const edits = placeholdersIn(head)
    .filter(({ name }) => name.startsWith(PREFIX))
    // Tables named like a column of this one are in front of the query too, although it does not read them.
    .map(({ name, start, end }) => ({ start, end, text: rows.get(name.slice(PREFIX.length)) ?? NO_ROWS }));
  return applyEdits(head, edits).text;
}
