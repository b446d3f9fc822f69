// Finds and reads the files of a table schema: a folder of scripts or migrations, or a single file.
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { leadsOutside } from '../../service/config/leads-outside.ts';
import { readText } from '../../service/config/read-text.ts';
import { fillTemplates, type Variables } from './templates.ts';

/** A file as read; `path` as it is to be shown. */
export interface SchemaFile {
  readonly path: string;
  readonly text: string;
  /** It was not read, because its path leads out of the folder: `text` is empty. */
  readonly isOutside?: boolean;
}

/** The schema cannot be read, or is too large. `message` states the limit. */
export class SchemaError extends Error {}

const MAX_FILES = 5000;
const MAX_DEPTH = 8;
const MAX_FILE_BYTES = 16 * 2 ** 20;
const MAX_BYTES = 64 * 2 ** 20;

const READ = /\.(sql|ddl|tsv|txt|json|jsonl|ndjson)$/i;
/** Migrations in the other direction: golang-migrate, Flyway, and folders or files named `down`. */
const DOWN = /(^|[._-])down\.\w+$|^U[\d._]+__|^down$/i;
const SKIPPED_FOLDER = /^(\.|node_modules$|down$)/i;

/** Returns whether a file of a folder is part of the schema, by its path relative to that folder, with forward slashes. */
export function isSchemaFile(path: string): boolean {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  return (
    parts.length <= MAX_DEPTH &&
    !parts.some((folder) => SKIPPED_FOLDER.test(folder)) &&
    READ.test(name) &&
    !name.startsWith('.') &&
    !DOWN.test(name)
  );
}

const collator = new Intl.Collator('en', { numeric: true });

/** Numbers in names by value, whatever their padding; repeatable migrations of Flyway (`R__`) last. */
function compareSchemaPaths(a: string, b: string): number {
  const [one, other] = [a, b].map((path) => /(^|\/)R__[^/]*$/.test(path));
  return Number(one) - Number(other) || collator.compare(a, b) || (a < b ? -1 : Number(a > b));
}

/** The files in the order in which they apply, with `${NAME}` and `{{.NAME}}` replaced by variables; what a link leads to outside of the folder is not read. Rejects with SchemaError. */
export async function readSchemaFiles(
  path: string,
  variables: Variables = new Map(),
): Promise<readonly SchemaFile[]> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new SchemaError(`${path} does not exist`, { cause });
  });
  const paths = stats.isDirectory() ? await list(path) : [path];
  const files: SchemaFile[] = [];
  let bytes = 0;
  for (const each of paths) {
    if (leadsOutside(each, stats.isDirectory() ? path : undefined)) {
      files.push({ path: each, text: '', isOutside: true });
      continue;
    }
    const text = await readText(each, MAX_FILE_BYTES).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new SchemaError(`Cannot read ${each}: ${why}`, { cause });
    });
    bytes += text.length;
    if (bytes > MAX_BYTES) throw new SchemaError(`${path} has more than ${MAX_BYTES / 2 ** 20} MiB`);
    files.push({ path: each, text: fillTemplates(text.replace(/^\uFEFF/, ''), variables) });
  }
  return files;
}

async function list(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true });
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH && !SKIPPED_FOLDER.test(entry.name))
        await visit(path, depth + 1);
      else if (!entry.isDirectory() && isSchemaFile(relative(folder, path).split(sep).join('/')))
        found.push(path);
      if (found.length > MAX_FILES) throw new SchemaError(`${folder} has more than ${MAX_FILES} files`);
    }
  };
  await visit(folder, 0);
  return found.toSorted(compareSchemaPaths);
}
