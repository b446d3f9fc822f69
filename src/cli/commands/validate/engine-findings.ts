// Findings of the engine about endpoint files: several files at once, each within its own time.
import { findAmbiguous } from '../../../service/endpoints/ambiguous-columns.ts';
import { checkOnEngine } from '../../../service/endpoints/engine-check.ts';
import { checkModels } from '../../../service/endpoints/model-check.ts';
import { findRejectedFixtures } from '../../../service/loading/fixture-values.ts';
import { findUnknownNames } from '../../../service/endpoints/known-names.ts';
import { readTables, type TablesOnEngine } from '../../../service/endpoints/tables-on-engine.ts';
import { findUnknownSettings, readSettingNames } from '../../../service/endpoints/known-settings.ts';
import { toDiagnostic, type InspectedFile } from '../../../service/endpoints/compile.ts';
import { isTooCostly, NOT_ANALYSED, notAnalysed } from '../../../service/endpoints/not-analysed.ts';
import { findUnwatched } from '../../../service/endpoints/watch-check.ts';
import { findSourceFault } from '../../../service/endpoints/source-check.ts';
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';
import { findTimeNumbers } from '../../../service/endpoints/time-numbers.ts';
import { findUnbounded, readTimeColumns } from '../../../service/endpoints/time-bound.ts';
import { findWideIntegers, readWideColumns } from '../../../service/endpoints/wide-integers.ts';
import { monotonic } from '../../../sql/base/clock.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { EngineError, isAway, type Engine } from '../../../service/engine/engine.ts';
import { explainBroken } from '../../schema/broken.ts';
import type { LoadedSchema } from '../../schema/load-schema.ts';
import type { OpenTestRuntime } from '../../kit/dependencies.ts';
import { count } from '../../findings/findings.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { boundEngine, BOUNDS, type BoundedEngine } from './bounded-engine.ts';
import { findRejectedQueries } from './example-queries.ts';

/** Files that are analysed at once: the engine has several connections. */
const AT_ONCE = 4;

export interface Analysing {
  readonly engine: Engine;
  readonly schema: LoadedSchema;
  readonly terminal: Terminal;
  readonly openTestRuntime: OpenTestRuntime;
  readonly tenancy: TenancySetting;
  /** Called with the findings about a file if another analysis would find the same. */
  readonly analysed?: (file: InspectedFile, findings: readonly Finding[]) => void;
}

/** What the analyses of all files need to know of the tables. */
interface KnownTables extends Pick<Analysing, 'schema' | 'tenancy' | 'openTestRuntime'> {
  readonly tables: TablesOnEngine;
  readonly timeColumns: Awaited<ReturnType<typeof readTimeColumns>>;
  readonly wide: Awaited<ReturnType<typeof readWideColumns>>;
  readonly settingNames: Awaited<ReturnType<typeof readSettingNames>>;
}

/**
 * Findings about each file, in their order; one whose analysis fails has a finding instead. Rejects with EngineError if the engine is
 * lost.
 */
export async function engineFindings(
  { engine, schema, terminal, tenancy, openTestRuntime, analysed }: Analysing,
  files: readonly InspectedFile[],
): Promise<readonly (readonly Finding[])[]> {
  const known: KnownTables = {
    schema,
    tenancy,
    openTestRuntime,
    timeColumns: await readTimeColumns(engine),
    wide: await readWideColumns(engine),
    settingNames: await readSettingNames(engine),
    tables: await readTables(engine),
  };
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
  const bounded = boundEngine(engine, BOUNDS, monotonic);
  for (const [index, file] of interrupted) {
    await ready(engine);
    const findings = await analyse(bounded, file, known).catch(awayOnly);
    found[index] = findings instanceof EngineError ? [givenUp(file, findings)] : findings;
  }
  terminal.progress('');
  await (interrupted.length > 0 ? ready(engine) : undefined);
  return found;
}

/** Findings about one file. Rejects with EngineError if the engine ended meanwhile. */
async function analyse(
  { engine, begin }: BoundedEngine,
  file: InspectedFile,
  known: KnownTables,
): Promise<readonly Finding[]> {
  begin();
  try {
    return await analysed(engine, file, known);
  } catch (cause) {
    if (cause instanceof EngineError && isTooCostly(cause)) return [givenUp(file, cause)];
    throw cause;
  }
}

async function analysed(
  engine: Engine,
  file: InspectedFile,
  { schema, tenancy, openTestRuntime, tables, timeColumns, wide, settingNames }: KnownTables,
): Promise<readonly Finding[]> {
  const failures = (await checkOnEngine(engine, file, tables)).map((each) => explainBroken(each, schema));
  if (failures.some(({ code }) => code === NOT_ANALYSED)) return failures;
  const isBroken = failures.some(isOfQuery);
  const more = [
    ...(failures.length > 0 ? [] : findUnbounded(file.analysis, timeColumns)),
    ...findTimeNumbers(file.analysis, tables.columns),
    ...(failures.length > 0 ? [] : findAmbiguous(file.analysis, tables.columns)),
    ...(isBroken ? [] : await checkModels(engine, file, tenancy)),
    ...(isBroken ? [] : await findUnwatched(engine, file)),
    ...(isBroken ? [] : await findSourceFault(engine, file)),
    ...(failures.length > 0 ? [] : await findWideIntegers(engine, file, wide)),
    ...findUnknownSettings(file.analysis, settingNames),
    ...(await findUnknownNames(engine, file, tables.columns)),
    ...(await findRejectedFixtures(engine, file, tables.columns)),
  ];
  const ofExamples = isBroken ? [] : await findRejectedQueries(engine, [file], openTestRuntime);
  return [...failures, ...more.map((finding) => toDiagnostic(file.document, finding)), ...ofExamples];
}

function givenUp(file: InspectedFile, cause: EngineError): Finding {
  const { outline, query } = file.candidate.endpoint;
  const whole = {
    start: outline.elements.length > 0 ? outline.withStart : outline.mainStart,
    end: query.length,
  };
  return toDiagnostic(file.document, notAnalysed(file, cause, whole));
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

/** An error in the saved query, which consumer queries read. */
function isOfQuery({ severity, code }: Finding): boolean {
  return severity === 'error' && code.startsWith('engine.');
}
