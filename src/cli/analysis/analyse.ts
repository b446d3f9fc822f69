// Findings of the engine about endpoint files: those of files that are as they were come from the analysis cache, and the engine is opened
// only for the others.
import type { InspectedFile } from '../../catalog/compile.ts';
import type { LoadedFiles } from '../../catalog/load.ts';
import type { Finding } from '../../core/finding.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { noteSkipped } from '../schema-options.ts';
import { engineFindings, type Analysing } from '../validate/engine-findings.ts';
import type { AnalysisCache } from './cache.ts';
import type { AnalysisKeys } from './keys.ts';

export interface Analyses {
  readonly cache: AnalysisCache;
  readonly keys: AnalysisKeys;
  /** Provides an engine that has the tables. */
  readonly withEngine: <T>(use: (engine: Engine, schema: LoadedSchema) => Promise<T>) => Promise<T>;
}

type Options = Omit<Analysing, 'engine' | 'schema' | 'analysed'>;

/** Rejects with EngineError or CommandError if the engine is needed, and cannot be asked. */
export async function analyseFiles(
  { cache, keys, withEngine }: Analyses,
  files: readonly InspectedFile[],
  { loaded, ...options }: Options & { readonly loaded: LoadedFiles },
): Promise<readonly Finding[]> {
  const keyOf = ({ document }: InspectedFile): string => {
    const file = loaded.get(document.file);
    if (file === undefined) throw new Error(`${document.file} is not among the files that were loaded`);
    return keys.of(file);
  };
  const kept = await Promise.all(files.map((file) => cache.find(keyOf(file))));
  const ofSchema = await cache.find(keys.ofSchema);
  const missed = files.filter((_, index) => kept[index] === undefined);
  const { terminal } = options;
  if (cache.invalid() > 0)
    terminal.note(`warning: invalid entries of the analysis cache that were not used: ${cache.invalid()}`);
  if (missed.length === 0 && ofSchema !== undefined) {
    noteSkipped(new Map(ofSchema.skipped), terminal);
    return [ofSchema, ...kept].flatMap((each) => each?.findings ?? []);
  }
  return withEngine(async (engine, schema) => {
    noteSkipped(schema.skipped, terminal);
    await cache.keep(keys.ofSchema, { findings: schema.findings, skipped: [...schema.skipped] });
    const analysed = (file: InspectedFile, findings: readonly Finding[]): Promise<void> =>
      cache.keep(keyOf(file), { findings, skipped: [] });
    const found = (await engineFindings({ ...options, engine, schema, analysed }, missed)).values();
    await cache.prune();
    // In the order of the files, as without a cache.
    const all = kept.map((each) => each?.findings ?? found.next().value ?? []);
    return [...schema.findings, ...all.flat()];
  });
}
