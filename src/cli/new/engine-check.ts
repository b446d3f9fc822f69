// Whether the engine can run the query of a new endpoint file over the repository's tables.
import { createInspect } from '../../catalog/compile.ts';
import { checkOnEngine } from '../../catalog/engine-check.ts';
import type { Finding } from '../../core/finding.ts';
import type { Engine } from '../../engine/engine.ts';
import { ANY_KEY } from '../endpoint-files.ts';

/** A file as it was written, or printed. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** The errors of the file; none if the engine analyses its query. Rejects with EngineError. */
export async function errorsOnEngine(engine: Engine, { path, text }: NewFile): Promise<readonly Finding[]> {
  const inspect = createInspect({ piiHashKey: ANY_KEY, engineSources: 'any' });
  const { inspected, diagnostics } = inspect(path, text);
  const findings = inspected === undefined ? diagnostics : await checkOnEngine(engine, inspected, new Set());
  return findings.filter(({ severity }) => severity === 'error');
}
