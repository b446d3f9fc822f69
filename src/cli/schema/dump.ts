// Reads table definitions as ClickHouse prints them: SHOW CREATE in escaped formats, and rows of system.tables.
import type { SchemaFile } from './schema-files.ts';
import { splitScript, type SchemaStatement } from './script.ts';

/** Statements of a file, and whether the engine printed them: nested columns are then as they are stored. */
export interface ReadFile {
  readonly statements: readonly SchemaStatement[];
  readonly isDump: boolean;
}

const DEFINITION = /^\s*(CREATE|ATTACH)\s/i;
const MAX_ROWS = 20_000;

/** The statements of a file, whatever its format. */
export function readStatements({ path, text }: SchemaFile): ReadFile {
  const rows = jsonRows(text) ?? tabSeparatedRows(text);
  if (rows !== undefined) {
    const statements = rows
      .slice(0, MAX_ROWS)
      .flatMap(({ line, definition }) =>
        splitScript(path, definition).map((statement) => ({ ...statement, line, column: 1, isRow: true })),
      );
    return { statements, isDump: true };
  }
  const isData = /\.(json|jsonl|ndjson|tsv|txt)$/i.test(path) && !DEFINITION.test(text);
  return { statements: isData ? [] : splitScript(path, text), isDump: false };
}

interface DefinitionRow {
  readonly line: number;
  readonly definition: string;
}

/** JSONEachRow, JSON or JSONCompact; undefined for any other text. */
function jsonRows(text: string): readonly DefinitionRow[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  const whole = parseJson(text);
  const listed = Array.isArray(whole) ? whole : dataOf(whole);
  if (listed !== undefined) return listed.flatMap((row) => definitionIn(row, 1));
  return text.split('\n').flatMap((line, index) => definitionIn(parseJson(line), index + 1));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dataOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== 'object' || value === null || !('data' in value)) return undefined;
  return Array.isArray(value.data) ? value.data : undefined;
}

/** The value that is a definition, under whatever name: create_table_query, statement. */
function definitionIn(row: unknown, line: number): readonly DefinitionRow[] {
  if (typeof row !== 'object' || row === null) return [];
  const values: readonly unknown[] = Object.values(row);
  const definition = values.find((value) => typeof value === 'string' && DEFINITION.test(value));
  if (typeof definition !== 'string') return [];
  return [{ line, definition: definition.replace(/\p{Surrogate}/gu, '\uFFFD') }]; // JSON can escape halves of pairs
}

/** TSV: a field of each row is a definition, with escaped line breaks; undefined for any other text. */
function tabSeparatedRows(text: string): readonly DefinitionRow[] | undefined {
  const lines = text.split('\n');
  const fields = lines.map((line) => line.split('\t').find((field) => DEFINITION.test(field)));
  const isRow = lines.some((line, index) => {
    const field = fields[index];
    return field !== undefined && (!line.startsWith(field) || /\\n\s*[(`A-Z]/.test(field));
  });
  if (!isRow) return undefined;
  return fields.flatMap((field, index) =>
    field === undefined ? [] : [{ line: index + 1, definition: unescape(field) }],
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '0': '\0' };

function unescape(field: string): string {
  return field.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}
