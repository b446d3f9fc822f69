// The tokens file as data: read, checked, and extended without losing its comments.
import { compareDiagnostics, type Diagnostic } from '../core/diagnostic.ts';
import type { Token, TokensFile } from '../config/generated/tokens.ts';
import { readSettled } from '../config/read-settled.ts';
import { createSchemaCheck } from '../config/schema.ts';
import { MAX_DOCUMENT_BYTES, parseYaml, type Path, type YamlDocument } from '../config/yaml-document.ts';

export type ReadTokens =
  | { readonly kind: 'read'; readonly tokens: readonly Token[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'rejected'; readonly diagnostics: readonly Diagnostic[] };

/** Compiles the schema once; the function it returns reads a file and tells all its findings. */
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
    if (invalid.length > 0) return { kind: 'rejected', diagnostics: invalid.toSorted(compareDiagnostics) };
    const { tokens } = parsed.document.value as TokensFile; // it passed the schema that the type is generated from
    const findings = findDoubles(parsed.document, tokens);
    if (findings.length === 0) return { kind: 'read', tokens };
    return { kind: 'rejected', diagnostics: findings.toSorted(compareDiagnostics) };
  };
}

function unreadable(file: string, cause: Error): Diagnostic {
  const message = `the tokens file cannot be read: ${cause.message}`;
  return { file, line: 1, column: 1, severity: 'error', code: 'file.unreadable', message };
}

function findDoubles(document: YamlDocument, tokens: readonly Token[]): Diagnostic[] {
  const names = tokens.map(({ name }, index) => ({ value: name, path: ['tokens', index, 'name'] }));
  const hashes = tokens.flatMap(({ sha256, previous = [] }, index) => [
    { value: sha256, path: ['tokens', index, 'sha256'] },
    ...previous.map((each, at) => ({
      value: each.sha256,
      path: ['tokens', index, 'previous', at, 'sha256'],
    })),
  ]);
  return [
    ...findDouble(document, names, { what: 'name', hint: 'Give each key a name of its own' }),
    ...findDouble(document, hashes, { what: 'sha256', hint: 'Create a new key for this entry' }),
  ];
}

function findDouble(
  document: YamlDocument,
  items: readonly { readonly value: string; readonly path: Path }[],
  { what, hint }: { readonly what: string; readonly hint: string },
): Diagnostic[] {
  const seen = new Set<string>();
  return items.flatMap(({ value, path }) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    const code = `tokens.duplicate_${what}`;
    const message = `another key in this file already has this ${what}`;
    return [{ file: document.file, ...document.locate(path), severity: 'error', code, message, hint }];
  });
}
