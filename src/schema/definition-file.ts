// The file for the definition of one table, view, dictionary or function of a server: stable, and without secrets.
import { createCursor, type Cursor } from '../sql/cursor.ts';
import { readClauses } from './clauses.ts';
import { readCreateHead } from './create-head.ts';
import { localEngine } from './engine-clause.ts';
import type { QualifiedName } from './name.ts';
import type { SchemaFile } from './schema-files.ts';

/** A definition as the server prints it; functions have no database. */
export interface Definition extends QualifiedName {
  readonly sql: string;
}

/** The first line of each file, by which files that are no longer needed are recognized. */
export const HEADER = '-- Written by millrace schema pull, which overwrites changes.';

/** The file, with its path relative to the folder of the schema. */
export function definitionFile(definition: Definition): SchemaFile {
  const { database, name, sql } = definition;
  const folder = database === '' ? '_functions' : safeName(database);
  const text = withoutSecrets(sql.trim());
  // The server prints nested columns as they are stored.
  const nested = /\bNested\(/.test(text) ? 'SET flatten_nested = 0;\n' : '';
  return { path: `${folder}/${safeName(name)}.sql`, text: `${HEADER}\n${nested}${text};\n` };
}

function safeName(name: string): string {
  return encodeURIComponent(name)
    .replace(/^\./, '%2E')
    .replace(/[*'()!~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .slice(0, 200);
}

const HIDDEN = "'[HIDDEN]'";

/**
 * Without the arguments of engines and dictionaries that read from outside: the server hides passwords, unless a user is
 * allowed to see them.
 */
function withoutSecrets(sql: string): string {
  const cursor = createCursor(sql);
  const head = readCreateHead(cursor, '');
  if (head === undefined) return sql;
  const clauses = readClauses(cursor, head.next);
  const engine = clauses.find(({ kind }) => kind === 'engine');
  const isSource = engine !== undefined && localEngine(cursor, engine, '').kind === 'source';
  const hidden = clauses.flatMap(({ kind, from, to }) => {
    if (isSource && (kind === 'engine' || kind === 'settings')) return stringsIn(cursor, from, to);
    return kind === 'source'
      ? stringsIn(cursor, from, to).filter((at) => !KEPT.test(cursor.word(at - 1) ?? ''))
      : [];
  });
  let text = sql;
  for (const at of hidden.toSorted((a, b) => b - a))
    text = text.slice(0, cursor.start(at)) + HIDDEN + text.slice(cursor.end(at));
  return text;
}

/** Names in the source of a dictionary over ClickHouse. */
const KEPT = /^(DB|TABLE|QUERY|WHERE)$/;

function stringsIn(cursor: Cursor, from: number, to: number): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < to; at++) if (cursor.kind(at) === 'string') found.push(at);
  return found;
}
