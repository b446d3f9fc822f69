// Reads and validates the tokens file.
import type { Finding, PathFinding } from '../../sql/base/finding.ts';
import { locateAll } from '../config/locate-finding.ts';
import type { Token, TokensFile } from '../config/generated/tokens.ts';
import { readSettled } from '../config/read-settled.ts';
import { createSchemaCheck } from '../config/schema.ts';
import { MAX_DOCUMENT_BYTES, parseYaml, type Path, type YamlDocument } from '../config/yaml-document.ts';

/** A valid tokens file. */
export interface LoadedTokens {
  readonly tokens: readonly Token[];
  readonly document: YamlDocument;
}

export type ReadTokens =
  | ({ readonly kind: 'read' } & LoadedTokens)
  | { readonly kind: 'missing' }
  | { readonly kind: 'rejected'; readonly diagnostics: readonly Finding[] };

/** Compiles the schema once; the returned function reads a file and returns its tokens or all findings. */
export function createReadTokens(): (path: string) => Promise<ReadTokens> {
  const check = createSchemaCheck('tokens');
  return async (path) => {
    const read = await readSettled(path, MAX_DOCUMENT_BYTES).catch((cause: NodeJS.ErrnoException) => cause);
    if (read instanceof Error) {
      if (read.code === 'ENOENT') return { kind: 'missing' };
      return { kind: 'rejected', diagnostics: [unreadable(path, read)] };
    }
    const parsed = parseYaml(path, read.bytes.toString('utf8'));
    if ('diagnostics' in parsed) return { kind: 'rejected', diagnostics: parsed.diagnostics };
    const invalid = check(parsed.document);
    if (invalid.length > 0) return { kind: 'rejected', diagnostics: invalid };
    const { tokens } = parsed.document.value as TokensFile; // validated against the schema that the type is generated from
    const doubles = findDoubles(tokens);
    if (doubles.length === 0) return { kind: 'read', tokens, document: parsed.document };
    return {
      kind: 'rejected',
      diagnostics: locateAll(parsed.document, doubles),
    };
  };
}

function unreadable(file: string, cause: Error): Finding {
  const message = `the tokens file cannot be read: ${cause.message}`;
  return { file, line: 1, column: 1, severity: 'error', code: 'file.unreadable', message };
}

function findDoubles(tokens: readonly Token[]): readonly PathFinding[] {
  const names = tokens.map(({ name }, index) => ({ value: name, path: ['tokens', index, 'name'] }));
  const hashes = tokens.flatMap(({ sha256, previous = [] }, index) => [
    { value: sha256, path: ['tokens', index, 'sha256'] },
    ...previous.map((each, at) => ({
      value: each.sha256,
      path: ['tokens', index, 'previous', at, 'sha256'],
    })),
  ]);
  return [
    ...repeated(names).map((path) => doubleAt(path, 'name', 'Give each key a name of its own')),
    ...repeated(hashes).map((path) => doubleAt(path, 'sha256', 'Create a new key for this entry')),
  ];
}

function doubleAt(path: Path, what: 'name' | 'sha256', hint: string): PathFinding {
  const message = `another key in this file already has this ${what}`;
  return { code: `tokens.duplicate_${what}`, path, message, hint };
}

/** Paths of values that already occur earlier. */
function repeated(items: readonly { readonly value: string; readonly path: Path }[]): Path[] {
  const seen = new Set<string>();
  return items.flatMap(({ value, path }) => {
    const isRepeated = seen.has(value);
    seen.add(value);
    return isRepeated ? [path] : [];
  });
}
