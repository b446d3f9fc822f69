// Findings about files: those of files that are as they were come from the analysis cache, and the engine is opened only for the others.
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { noteSkipped } from '../../kit/schema-options.ts';
import { engineFindings, type Analysing } from '../validate/engine-findings.ts';
import type { AnalysisCache } from './cache.ts';
import { recordOfSchema } from './pack.ts';
import type { SoundFile } from './sound-files.ts';

export interface Analyses {
  readonly cache: AnalysisCache;
  /** Provides an engine that has the tables. */
  readonly withEngine: <T>(use: (engine: Engine, schema: LoadedSchema) => Promise<T>) => Promise<T>;
}

type Options = Omit<Analysing, 'engine' | 'schema' | 'analysed'>;

/** Findings of the engine. Rejects with EngineError or CommandError if it is needed, and cannot be asked. */
export async function analyseFiles(
  { cache, withEngine }: Analyses,
  files: readonly SoundFile[],
  options: Options,
): Promise<readonly Finding[]> {
  const kept = files.map(({ loaded }) => cache.find(loaded)?.ofEngine);
  const [ofSchema] = cache.schemas();
  const missed = files.filter((_, index) => kept[index] === undefined);
  const { terminal } = options;
  if (missed.length === 0 && ofSchema !== undefined) {
    noteSkipped(new Map(ofSchema.skipped), terminal);
    return [...ofSchema.findings, ...kept.flatMap((each) => each ?? [])];
  }
  return withEngine(async (engine, schema) => {
    noteSkipped(schema.skipped, terminal);
    cache.keepSchemas([recordOfSchema(schema)]);
    const loadedAs = new Map(missed.map(({ loaded, inspected }) => [inspected, loaded]));
    const analysed = (file: InspectedFile, findings: readonly Finding[]): void => {
      const loaded = loadedAs.get(file);
      if (loaded?.candidate !== undefined) cache.keep(loaded, { ofEngine: findings });
    };
    const asked = missed.flatMap(({ inspected }) => inspected ?? []);
    const found = (await engineFindings({ ...options, engine, schema, analysed }, asked)).values();
    // In the order of the files, as without a cache.
    const all = kept.map((each) => each ?? found.next().value ?? []);
    return [...schema.findings, ...all.flat()];
  });
}
