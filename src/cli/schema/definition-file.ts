// The file for the definition of one table, view, dictionary or function of a server: stable, and without secrets.
import { localEngine } from './engine-clause.ts';
import type { QualifiedName } from '../../sql/definition/qualified-name.ts';
import type { ClauseString } from '../../sql/definition/record.ts';
import type { SchemaFile } from './schema-files.ts';
import { readDefinition } from '../../sql/definition/read-statement.ts';

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
  const record = readDefinition(sql, '');
  if (record === undefined) return sql;
  const isSource = record.engine !== undefined && localEngine(record.engine, '').kind === 'source';
  const isHidden = ({ clause, after = '' }: ClauseString): boolean =>
    clause === 'source' ? !KEPT.has(after) : isSource && (clause === 'engine' || clause === 'settings');
  let text = sql;
  for (const { start, end } of record.strings.filter(isHidden).toSorted((a, b) => b.start - a.start))
    text = text.slice(0, start) + HIDDEN + text.slice(end);
  return text;
}

/** Names in the source of a dictionary over ClickHouse. */
const KEPT: ReadonlySet<string> = new Set(['DB', 'TABLE', 'QUERY', 'WHERE']);
