// Creates the tables of a folder of *.sql files without their rows, which is enough to analyze queries.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readText } from '../config/read-text.ts';
import { significantTokens } from '../sql/cursor.ts';
import type { Engine } from './engine.ts';
import { splitStatements } from './statements.ts';

const MAX_BYTES = 64 * 2 ** 20;

/** Statements that create or change schema objects; the others load rows. */
const MAKING: ReadonlySet<string> = new Set(['CREATE', 'ALTER']);

/** Runs the statements in order of the file names. Rejects with EngineError, or if a file cannot be read. */
export async function createTables(engine: Engine, folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  for (const name of names) {
    const text = await readText(join(folder, name), MAX_BYTES);
    for (const statement of splitStatements(text)) {
      const making = withoutRows(statement);
      if (making !== undefined) await engine.execute(making);
    }
  }
}

/**
 * The statement without the part that loads rows; undefined if nothing is left. `CREATE TABLE … AS SELECT` takes the
 * columns of the SELECT, but no rows.
 */
function withoutRows(statement: string): string | undefined {
  const tokens = significantTokens(statement);
  const words = tokens.map(({ kind, start, end }) =>
    kind === 'word' ? statement.slice(start, end).toUpperCase() : kind,
  );
  const [first = '', ...rest] = words;
  if (!MAKING.has(first)) return undefined;
  const isTable = first === 'CREATE' && /^(OR REPLACE )?(TEMPORARY )?TABLE$/.test(headOf(rest));
  const at = words.findIndex((word, index) => word === 'AS' && isQuery(words, index + 1));
  const as = isTable && words[at - 1] !== 'EMPTY' ? tokens[at] : undefined;
  return as === undefined ? statement : `${statement.slice(0, as.start)}EMPTY ${statement.slice(as.start)}`;
}

/** The keywords up to and including TABLE. */
function headOf(words: readonly string[]): string {
  return words.slice(0, words.indexOf('TABLE') + 1).join(' ');
}

function isQuery(words: readonly string[], at: number): boolean {
  const word = words.slice(at).find((each) => each !== '(');
  return word === 'SELECT' || word === 'WITH' || word === 'FROM';
}
