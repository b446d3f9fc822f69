// Findings of the engine about endpoint files: several files at once, each within its own time.
import { locateFinding } from '../../../service/config/locate-finding.ts';
import { engineFindingsOf, type EngineInput } from '../../checks/engine/engine-checks.ts';
import { readKnown } from '../../checks/engine/known.ts';
import { type InspectedFile } from '../../../service/endpoints/compile.ts';
import { isTooCostly, NOT_ANALYSED, notAnalysed } from '../../../service/endpoints/not-analysed.ts';
import { monotonic } from '../../../sql/base/clock.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError, isAway, type Engine } from '../../../service/engine/engine.ts';
import { explainBroken } from '../../schema/broken.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import { count } from '../../findings/findings.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { boundEngine, BOUNDS, boundWork, type BoundedEngine } from './bounded-engine.ts';

/** Files that are analysed at once: the engine has several connections. */
const AT_ONCE = 4;

export interface Analysing extends Pick<EngineInput, 'engine' | 'tenancy' | 'openTestRuntime'> {
  readonly schema: LoadedSchema;
  readonly terminal: Terminal;
  /** Called with the findings about a file if another analysis would find the same. */
  readonly analysed?: (file: InspectedFile, findings: readonly Finding[]) => void;
  /** Analyses that ran out of time run again alone, bounded by the processor time of the engine if that is known. */
  readonly isPatient?: boolean;
}

/** The analyses of all files have this in common. */
type Common = Omit<EngineInput, 'engine' | 'file'> & Pick<Analysing, 'schema'>;

/**
 * Findings about each file, in their order; one whose analysis fails has a finding instead. Rejects with EngineError if the engine is
 * lost.
 */
export async function engineFindings(
  { engine, schema, terminal, tenancy, openTestRuntime, analysed, isPatient = false }: Analysing,
  files: readonly InspectedFile[],
): Promise<readonly (readonly Finding[])[]> {
  const known: Common = { schema, tenancy, openTestRuntime, ...(await readKnown(engine)) };
  const found = files.map((): readonly Finding[] => []);
  const waiting = files.entries();
  const interrupted: (readonly [index: number, file: InspectedFile])[] = [];
  const work = async (): Promise<void> => {
    const bounded = boundEngine(engine, BOUNDS, monotonic);
    for (const [index, file] of waiting) {
      terminal.progress(`Analysing ${index + 1} of ${count(files.length, 'endpoint')}`);
      const findings = await analyse(bounded, file, known).catch(awayOnly);
      if (findings instanceof EngineError) interrupted.push([index, file]);
      else found[index] = findings;
      if (bounded.isSettled()) analysed?.(file, found[index] ?? []);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // One of them may have ended the engine's process: by itself, it is known which.
  const again = [...interrupted, ...(isPatient ? waitedFor(files, found) : [])];
  const { processor } = engine;
  const bounded =
    isPatient && processor !== undefined
      ? boundWork(engine, processor, BOUNDS)
      : boundEngine(engine, BOUNDS, monotonic);
  for (const [index, file] of again) {
    const analyseAlone = async (): Promise<readonly Finding[] | EngineError> => {
      await ready(engine);
      return analyse(bounded, file, known).catch(awayOnly);
    };
    const first = await analyseAlone();
    // The file before may have ended the process, which is noticed later.
    const findings = first instanceof EngineError ? await analyseAlone() : first;
    found[index] = findings instanceof EngineError ? [givenUp(file, findings)] : findings;
  }
  terminal.progress('');
  await (again.length > 0 ? ready(engine) : undefined);
  return found;
}

/** The files whose analysis the engine did not finish. */
function waitedFor(
  files: readonly InspectedFile[],
  found: readonly (readonly Finding[])[],
): readonly (readonly [index: number, file: InspectedFile])[] {
  const isUnfinished = (index: number): boolean =>
    found[index]?.some(({ code }) => code === NOT_ANALYSED) === true;
  return [...files.entries()].filter(([index]) => isUnfinished(index));
}

/** Findings about one file. Rejects with EngineError if the engine ended meanwhile. */
async function analyse(
  { engine, begin }: BoundedEngine,
  file: InspectedFile,
  { schema, ...known }: Common,
): Promise<readonly Finding[]> {
  begin();
  try {
    return await engineFindingsOf({ ...known, engine, file }, (each) => explainBroken(each, schema));
  } catch (cause) {
    if (cause instanceof EngineError && isTooCostly(cause)) return [givenUp(file, cause)];
    throw cause;
  }
}

function givenUp(file: InspectedFile, cause: EngineError): Finding {
  const { outline, query } = file.candidate.endpoint;
  const whole = {
    start: outline.elements.length > 0 ? outline.withStart : outline.mainStart,
    end: query.length,
  };
  return locateFinding(file.document, notAnalysed(file, cause, whole));
}

/** The error of a statement that no engine ran to its end; throws any other. */
function awayOnly(cause: unknown): EngineError {
  if (cause instanceof EngineError && isAway(cause)) return cause;
  throw cause;
}

const [ATTEMPTS, PAUSE_MS] = [150, 200];

/** Waits until the engine answers: its process may be replaced. Rejects with EngineError. */
async function ready(engine: Engine): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const failure = await engine.ping().then(() => undefined, awayOnly);
    if (failure === undefined) return;
    if (attempt === ATTEMPTS) throw failure;
    await new Promise<void>((resolve) => void REAL_TIME.after(PAUSE_MS, resolve));
  }
}
