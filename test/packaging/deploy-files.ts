// Reads the files in deploy/ for tests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const ROOT = join(import.meta.dirname, '../..');
export const DEPLOY = join(ROOT, 'deploy');

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The documents of a YAML file; throws when it does not parse, or says a key twice. */
export function readYaml(path: string): unknown[] {
  return parseAllDocuments(readText(path)).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as unknown;
  });
}

/** The value in a document at a path such as `spec.ports.0.name`; undefined if there is none. */
export function at(document: unknown, path: string): unknown {
  let here = document;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = new Map<string, unknown>(Object.entries(here)).get(key);
  }
  return here;
}

/** The text or number at a path, as a text; empty where there is neither. */
export function textAt(document: unknown, path: string): string {
  const here = at(document, path);
  return typeof here === 'string' || typeof here === 'number' ? String(here) : '';
}

/** The mapping at a path; empty where there is none. */
export function mapping(document: unknown, path: string): ReadonlyMap<string, unknown> {
  const here = at(document, path);
  return new Map(typeof here === 'object' && here !== null ? Object.entries(here) : []);
}

/** The texts at a path, of a list or a mapping. */
export function texts(document: unknown, path: string): readonly string[] {
  return [...mapping(document, path).values()].map(String);
}

/** Every file of deploy/, from the root. */
export function deployFiles(): string[] {
  const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.map((each) => join(each.parentPath, each.name).slice(ROOT.length + 1));
}

/** The Dockerfile's instructions, continued lines joined. */
export function dockerInstructions(): readonly { readonly name: string; readonly rest: string }[] {
  const lines = readText('deploy/Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }));
}

/** The unit's directives by name, in order. */
export function unitDirectives(): ReadonlyMap<string, readonly string[]> {
  const directives = new Map<string, string[]>();
  for (const [, name = '', value = ''] of readText('deploy/millrace.service').matchAll(/^(\w+)=(.*)$/gm)) {
    directives.set(name, [...(directives.get(name) ?? []), value]);
  }
  return directives;
}
