// Makes the key of the analysis cache of all that findings about files depend on.
import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';
import { packagePath } from '../../../service/config/package-files.ts';
import type { WatchNames } from '../../checks/watches.ts';
import type { SchemaFile } from '../../schema/schema-files.ts';
import type { EngineSources } from '../../../sql/clickhouse/outside-sources.ts';

/** What the analyses of all files depend on. */
export interface AnalysisContext {
  readonly tenancy: TenancySetting;
  readonly engineSources: EngineSources;
  /** It is true if the key to hash columns is configured. */
  readonly hasHashKey: boolean;
  readonly watchNames: WatchNames;
  /** Where names without a database are. */
  readonly database: string | undefined;
  /** The definitions of the tables; undefined: none are known. */
  readonly tables: readonly SchemaFile[] | undefined;
}

/** The comparisons of all endpoints depend on these facts about the earlier revision and the later one. */
export interface ComparisonContext {
  readonly tenancies: readonly TenancySetting[];
  readonly engineSources: EngineSources;
  readonly database: string | undefined;
  readonly variables: readonly (readonly [name: string, value: string | undefined])[];
  readonly tables: readonly unknown[];
}

/** The key of what is known of all files, or of all pairs; `product` identifies the program, and not only its release. */
export function analysisKey(context: AnalysisContext | ComparisonContext, product = programHash()): string {
  return keyOf([product, engineRelease(), context]);
}

/** The key of what depends on these values, on the engine and on the program. */
export function contentKey(values: readonly unknown[], product = programHash()): string {
  return keyOf([product, engineRelease(), values]);
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
