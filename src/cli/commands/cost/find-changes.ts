// Finds changes of endpoint files and tables with which the calls of examples read at most half, and proves each on made tables.
import type { InspectedFile } from '../../../service/endpoints/compile.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import type { Finding } from '../../../sql/base/finding.ts';
import { openVariedTables, type VariedTables } from '../../cost/changes/varied-tables.ts';
import { DIFFERENT, verifyChanges, type VerifiedChange } from '../../cost/changes/verify.ts';
import type { Statistics } from '../../cost/statistics.ts';
import { REAL_TIME } from '../../kit/real-time.ts';
import { adviceOf, changeFinding } from './change-finding.ts';
import type { EstimatingDeps } from './estimate-cases.ts';
import { comparedIn, withFixtureTables, type MadeTables } from './fixture-tables.ts';
import { fixtureContent, outcomeKey, type OutcomeStore } from './outcome-store.ts';
import { proposeChanges, type ChangedExample } from './propose-changes.ts';
import { createIsUnserved, type ServingRollups } from './unserved.ts';

type FindingDeps = EstimatingDeps &
  Parameters<typeof withFixtureTables>[1] & {
    /** Keeps what was proven; undefined: nothing is kept. */
    readonly outcomes?: OutcomeStore | undefined;
  };

/** So many examples of a file are tried. */
const MOST_CALLS = 3;

export interface ChangingFiles {
  readonly files: readonly InspectedFile[];
  /** If it is undefined, no rollups are proposed. */
  readonly rollups?: ServingRollups;
}

/** Resolves to warnings, each at its place in a file. Rejects with CommandError if the schema cannot be read. */
export async function findChanges(
  { files, rollups }: ChangingFiles,
  made: MadeTables,
  deps: FindingDeps,
): Promise<readonly Finding[]> {
  return withFixtureTables(made, deps, async (engine, scale) => {
    const varied = await openVariedTables(engine, scale);
    const candidates = files.map(({ candidate }) => candidate);
    const runtime = await deps.openTestRuntime({ engine, candidates });
    try {
      const isUnserved = await createIsUnserved(engine, rollups);
      const all: ChangedExample[] = [];
      for (const file of new Set(made.cases.map((each) => each.file))) {
        const cases = made.cases.filter((each) => each.file === file).slice(0, MOST_CALLS);
        const found = await proposeChanges({ file, cases }, varied, runtime.pathAt);
        all.push(...found.filter(isUnserved));
      }
      const knownOutcomes = await rememberOutcomes(engine, varied, { ...deps, sizes: made.statistics });
      const outcomes = new Map<ChangedExample, VerifiedChange>();
      for (const some of batchesOf(all)) {
        deps.terminal.progress(`Changes: ${outcomes.size} of ${all.length}`);
        const verified = await knownOutcomes(some);
        for (const [at, candidate] of some.entries()) outcomes.set(candidate, verified[at]);
      }
      return provenFindings(all, outcomes);
    } finally {
      deps.terminal.progress('');
      await runtime.close();
    }
  });
}

/** So many calls are made with the same tables, which have what all of them compare with. */
const AT_ONCE = 60;

/** A rollup is tried with tables of its own. */
function batchesOf(all: readonly ChangedExample[]): readonly (readonly ChangedExample[])[] {
  const plain = all.filter(({ call }) => call.rollup === undefined);
  const batches: (readonly ChangedExample[])[] = [];
  for (let at = 0; at < plain.length; at += AT_ONCE) batches.push(plain.slice(at, at + AT_ONCE));
  return [...batches, ...all.filter(({ call }) => call.rollup !== undefined).map((each) => [each])];
}

/** Returns what verifies changes, unless their outcomes are known. The tables still have the rows of fixtures. */
async function rememberOutcomes(
  engine: Engine,
  varied: VariedTables,
  { outcomes: store, sizes }: Pick<FindingDeps, 'outcomes'> & { readonly sizes: Statistics },
): Promise<(candidates: readonly ChangedExample[]) => Promise<readonly VerifiedChange[]>> {
  const tables = store === undefined ? [] : await fixtureContent(engine, varied.tables.keys());
  return async (candidates) => {
    const texts = comparedIn(candidates.map((each) => each.example));
    const calls = candidates.map(({ call }) => call);
    const key = outcomeKey({ calls, texts, newest: varied.newest, sizes, tables });
    const known = await store?.find(key, calls.length);
    if (known !== undefined) return known;
    const outcomes = await verifyChanges({ engine, after: REAL_TIME.after }, varied.fillWith(texts), calls);
    await store?.keep(key, outcomes);
    return outcomes;
  };
}

/** Returns a finding for each change that saves something for a call, and is the same for all. */
function provenFindings(
  all: readonly ChangedExample[],
  outcomes: ReadonlyMap<ChangedExample, VerifiedChange>,
): readonly Finding[] {
  const places = new Map<string, { isSame: boolean; finding: Finding | undefined }>();
  for (const candidate of all) {
    const outcome = outcomes.get(candidate);
    const saving = outcome === DIFFERENT ? undefined : outcome;
    const finding = changeFinding(candidate, saving);
    const key = [finding.file, finding.line, finding.column, finding.code, adviceOf(candidate)].join('\n');
    const place = places.get(key) ?? { isSame: true, finding: undefined };
    place.isSame &&= outcome !== DIFFERENT;
    if (saving !== undefined) place.finding ??= finding;
    places.set(key, place);
  }
  const proven = [...places.values()].flatMap(({ isSame, finding }) => (isSame ? (finding ?? []) : []));
  // A query that can be written better may need no rollup then.
  const changed = new Set(proven.filter(isOfQuery).map(({ file }) => file));
  return proven.filter((finding) => isOfQuery(finding) || !changed.has(finding.file));
}

function isOfQuery({ code }: Finding): boolean {
  return code !== 'cost.rollup';
}
