// Resolves what a file includes: the file as it is with the tables, parameters and policies of others, each part of which
// knows where it was written.
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import { createSchemaCheck } from '../../config/schema.ts';
import { parseYaml, type YamlDocument } from '../../config/yaml-document.ts';
import type { Finding } from '../../core/finding.ts';
import type { SourceFile, Sources } from './sources.ts';

/** An effective file: without `include`, and with what that stands for. */
export interface Composed {
  readonly file: EndpointFile;
  /** Locates each part of `file` where it was written. */
  readonly document: YamlDocument;
}

/** The result of composing. */
export interface Composition {
  /** Undefined if there are errors, or files to read first. */
  readonly composed: Composed | undefined;
  readonly diagnostics: readonly Finding[];
  readonly dependencies: readonly SourceFile[];
  readonly unread: readonly string[];
}

/** Parses a file, checks its schema, and resolves what it includes. */
export function createCompose(): (path: string, text: string, sources: Sources) => Composition {
  const check = createSchemaCheck('endpoint');
  return (path, text, _sources) => {
    const nothing = { composed: undefined, dependencies: [], unread: [] };
    const parsed = parseYaml(path, text);
    if ('diagnostics' in parsed) return { ...nothing, diagnostics: parsed.diagnostics };
    const { document } = parsed;
    const invalid = check(document);
    if (invalid.length > 0) return { ...nothing, diagnostics: invalid };
    const file = document.value as EndpointFile; // it passed the schema that the type is generated from
    return { ...nothing, composed: { file, document }, diagnostics: [] };
  };
}
