// What the findings of the engine about a file depend on, as the keys of the analysis cache.
import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { LoadedFile } from '../../catalog/load.ts';
import type { TenancySetting } from '../../catalog/tenancy.ts';
import { packagePath } from '../../config/package-files.ts';
import type { SchemaFile } from '../../schema/schema-files.ts';
import type { EngineSources } from '../../sql/outside-sources.ts';

/** What the analyses of all files depend on. */
export interface AnalysisContext {
  readonly tenancy: TenancySetting;
  readonly engineSources: EngineSources;
  /** Where names without a database are. */
  readonly database: string | undefined;
  /** The definitions of the tables; undefined: none are known. */
  readonly tables: readonly SchemaFile[] | undefined;
}

export interface AnalysisKeys {
  readonly ofSchema: string;
  readonly of: (file: Pick<LoadedFile, 'file' | 'hash' | 'dependencies'>) => string;
}

/** `product` identifies the program, and not only its release. */
export function analysisKeys(context: AnalysisContext, product = programHash()): AnalysisKeys {
  const base = keyOf([product, engineRelease(), context]);
  return {
    ofSchema: keyOf([base, 'schema']),
    of: ({ file, hash: text, dependencies }) => keyOf([base, file, text, dependencies.map(partOf)]),
  };
}

function partOf({ path, text, problem }: LoadedFile['dependencies'][number]): readonly unknown[] {
  return [path, text, problem];
}

/** Not a collision of two lists: JSON tells the values apart. */
function keyOf(values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values), 'hex');
}

/** A program that runs from its source changes without a build: its entries are of use to this process only. */
const UNBUILT = randomUUID();

/** Identifies the release and the built program: the names of its parts have hashes of their contents, except those that start processes. */
function programHash(): string {
  const own = [packagePath('package.json'), new URL('./engine-program.js', import.meta.url)].map(read);
  return keyOf([read(new URL('./main.js', import.meta.url)) ?? UNBUILT, ...own]);
}

function read(path: string | URL): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // it is not built
  }
}

function engineRelease(): unknown {
  try {
    const manifest: unknown = createRequire(import.meta.url)('chdb/package.json');
    return [manifest, process.platform, process.arch];
  } catch {
    return undefined; // it is not installed, so that there are no findings of it
  }
}
