// The tokens file as data: read, checked, and extended without losing its comments.
import { readFile } from 'node:fs/promises';
import { compareDiagnostics, type Diagnostic } from '../core/diagnostic.ts';
import type { Token, TokensFile } from '../config/generated/tokens.ts';
import { createSchemaCheck } from '../config/schema.ts';
import { parseYaml, type YamlDocument } from '../config/yaml-document.ts';

export type ReadTokens =
  | { readonly kind: 'read'; readonly tokens: readonly Token[] }
  | { readonly kind: 'missing' }
  | { readonly kind: 'rejected'; readonly diagnostics: readonly Diagnostic[] };

/** Compiles the schema once; the function it returns reads a file and tells all its findings. */
export function createReadTokens(): (path: string) => Promise<ReadTokens> {
  const check = createSchemaCheck('tokens');
  return async (path) => {
    const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => cause);
    if (typeof text !== 'string') {
      if (text.code === 'ENOENT') return { kind: 'missing' };
      return { kind: 'rejected', diagnostics: [unreadable(path, text)] };
    }
    const parsed = parseYaml(path, text);
    if ('diagnostics' in parsed) return { kind: 'rejected', diagnostics: parsed.diagnostics };
    const invalid = check(parsed.document);
    if (invalid.length > 0) return { kind: 'rejected', diagnostics: invalid.toSorted(compareDiagnostics) };
    const { tokens } = parsed.document.value as TokensFile; // it passed the schema that the type is generated from
    const findings = [...findDoubles(parsed.document, tokens), ...findUnavailable(parsed.document, tokens)];
    if (findings.length === 0) return { kind: 'read', tokens };
    return { kind: 'rejected', diagnostics: findings.toSorted(compareDiagnostics) };
  };
}

function unreadable(file: string, cause: Error): Diagnostic {
  const message = `the tokens file cannot be read: ${cause.message}`;
  return { file, line: 1, column: 1, severity: 'error', code: 'file.unreadable', message };
}

/** A wall that this version cannot keep is refused, not left out in silence. */
function findUnavailable(document: YamlDocument, tokens: readonly Token[]): Diagnostic[] {
  return tokens.flatMap(({ rate }, index) => {
    if (rate === undefined) return [];
    const place = document.locateKey(['tokens', index, 'rate']);
    const message = 'rates are not limited by this version';
    return [
      {
        file: document.file,
        ...place,
        severity: 'error',
        code: 'feature.unavailable',
        message,
        hint: 'Remove rate',
      },
    ];
  });
}

function findDoubles(document: YamlDocument, tokens: readonly Token[]): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  for (const key of ['name', 'sha256'] as const) {
    const seen = new Set<string>();
    for (const [index, token] of tokens.entries()) {
      if (seen.has(token[key])) {
        diagnostics.push({
          file: document.file,
          ...document.locate(['tokens', index, key]),
          severity: 'error',
          code: `tokens.duplicate_${key}`,
          message: `another key in this file already has this ${key}`,
          hint: key === 'name' ? 'Give each key a name of its own' : 'Create a new key for this entry',
        });
      }
      seen.add(token[key]);
    }
  }
  return diagnostics;
}
