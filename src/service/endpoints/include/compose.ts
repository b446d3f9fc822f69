// Parses a file and resolves what it includes: the file as it is with the tables, parameters and policies of others, each part
// of which knows where it was written.
import type { EndpointFile } from '../../config/generated/endpoint.ts';
import type { YamlDocument } from '../../config/yaml-document.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { readRollupFile, readRollups, type RollupDeclaration } from '../rollups/read-rollups.ts';
import { readViewFile, type ViewDeclaration } from '../shared-views/read-view.ts';
import { composedDocument } from './composed-document.ts';
import { createPartReader, type PartReader } from './read-part.ts';
import { textOf } from './pieces.ts';
import type { Part } from './part.ts';
import { isSharedFile, type SourceFile, type Sources } from './sources.ts';

/** An effective file: without `include`, and with all that it includes. */
export interface Composed {
  /** Of a shared file: one with a query over its tables, without id and name. */
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
  /** Undefined: it is not known yet, or the file has errors. */
  readonly rollups?: readonly RollupDeclaration[] | undefined;
  /** A file has it if it declares a shared view. */
  readonly view?: ViewDeclaration | undefined;
}

/** Creates the function that parses a file, checks its schema, and resolves what it includes. */
export function createCompose(): (path: string, text: string, sources: Sources) => Composition {
  const readPart: PartReader = createPartReader();
  return (path, text, sources) => {
    const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    const ofRollups = readRollupFile(path, text);
    if (ofRollups !== undefined) return { ...ALONE, ...ofRollups };
    const ofView = readViewFile(path, text);
    if (ofView !== undefined) return { ...ALONE, ...ofView };
    const { part, ...rest } = readPart({ name, path, text }, sources);
    if (part === undefined) return { ...rest, composed: undefined };
    const { rollups, diagnostics } = readRollups(part.document);
    return {
      ...rest,
      composed: composedOf(part, rest.dependencies),
      rollups,
      diagnostics: [...rest.diagnostics, ...diagnostics],
    };
  };
}

/** A file that includes no other one, and has no endpoint, has this. */
const ALONE = { composed: undefined, dependencies: [], unread: [] } as const;

function composedOf(part: Part, dependencies: readonly SourceFile[]): Composed {
  const { document } = part;
  const { include, ...own } = document.value as EndpointFile; // or a SharedFile: they passed their schemas
  if (isSharedFile(part.name)) {
    const parameters = Object.fromEntries([...part.parameters].map(([name, { value }]) => [name, value]));
    const file = { id: '', name: part.name, query: textOf(part.query), parameters };
    return { file, document: composedDocument(part, file, dependencies) };
  }
  if (include === undefined) return { file: own, document };
  const file = effectiveFile(own, part);
  return { file, document: composedDocument(part, file, dependencies) };
}

function effectiveFile(own: Omit<EndpointFile, 'include'>, part: Part): EndpointFile {
  const parameters = Object.fromEntries([...part.parameters].map(([name, { value }]) => [name, value]));
  const policies = new Map([...part.policies].map(([name, { value }]) => [name, value]));
  const functions = policies.get('sandbox.functions');
  policies.delete('sandbox.functions');
  const { sandbox } = own;
  return {
    ...own,
    ...(Object.fromEntries(policies) as Partial<EndpointFile>), // they passed the schema of shared files
    query: textOf(part.query),
    ...(part.parameters.size === 0 ? {} : { parameters }),
    ...(sandbox && {
      sandbox: {
        ...sandbox,
        ...(functions === undefined ? {} : { functions: functions as NonNullable<typeof sandbox.functions> }), // the same
        tables: sandbox.tables ?? [...part.ownTables()],
      },
    }),
  };
}
