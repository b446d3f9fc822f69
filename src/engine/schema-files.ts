// The tables of a folder of *.sql files without their rows: what an analysis of queries needs.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tokenize } from '../sql/lexer.ts';
import type { Engine } from './engine.ts';
import { splitStatements } from './statements.ts';

/** Statements that make or change something that queries can name; the rest loads rows. */
const MAKING: ReadonlySet<string> = new Set(['CREATE', 'ALTER']);

/** Runs them in the order of the files' names. Rejects with EngineError, or when a file cannot be read. */
export async function createTables(engine: Engine, folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8');
    for (const statement of splitStatements(text))
      if (MAKING.has(firstWord(statement))) await engine.execute(statement);
  }
}

function firstWord(statement: string): string {
  const word = tokenize(statement).find(({ kind }) => kind !== 'blank' && kind !== 'comment');
  return word === undefined ? '' : statement.slice(word.start, word.end).toUpperCase();
}
