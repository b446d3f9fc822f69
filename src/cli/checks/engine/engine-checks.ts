// The checks that need an engine which has the tables: each looks at one file.
import { locateFinding } from '../../../service/config/locate-finding.ts';
import type { CheckEntry } from '../../../service/endpoints/checks/check.ts';
import { type InspectedFile } from '../../../service/endpoints/compile.ts';
import { NOT_ANALYSED } from '../../../service/endpoints/not-analysed.ts';
import type { TenancySetting } from '../../../service/endpoints/tenancy.ts';
import type { Finding, PathFinding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { AMBIGUOUS_CODES, findAmbiguous } from './ambiguous-columns.ts';
import { checkOnEngine } from './engine-check.ts';
import { ENGINE_CODES } from './engine-codes.ts';
import { EXAMPLE_QUERY_CODES, findRejectedQueries, type OpenTestRuntime } from './example-queries.ts';
import { findRejectedFixtures, FIXTURE_CODES } from './fixture-values.ts';
import { findUnknownNames, NAME_CODES } from './known-names.ts';
import { findUnknownSettings, SETTING_CODES } from './known-settings.ts';
import type { KnownOnEngine } from './known.ts';
import { checkModels, MODEL_CODES } from './model-check.ts';
import { findUnequalSets, SET_COLUMN_CODES } from './set-columns.ts';
import { checkPlans } from './plan-check.ts';
import { findSourceFault } from './source-check.ts';
import { findUnbounded, TIME_BOUND_CODES } from './time-bound.ts';
import { findTimeNumbers, TIME_NUMBER_CODES } from './time-numbers.ts';
import { findUnwatched, WATCH_CODES } from './watch-check.ts';
import { findWideIntegers, INTEGER_CODES } from './wide-integers.ts';

export interface EngineInput extends KnownOnEngine {
  readonly engine: Engine;
  readonly file: InspectedFile;
  readonly tenancy: TenancySetting;
  readonly openTestRuntime: OpenTestRuntime;
}

interface EngineCheck extends CheckEntry<'engine', PathFinding, EngineInput> {
  /**
   * It relies on an engine that accepts the saved query, or on an analysis that has found nothing at all; on neither by default.
   */
  readonly after?: 'accepted' | 'flawless';
}

export const ENGINE_CHECKS: readonly EngineCheck[] = [
  { needs: 'engine', codes: ENGINE_CODES },
  {
    needs: 'engine',
    codes: TIME_BOUND_CODES,
    after: 'flawless',
    check: ({ file, timeColumns }) => findUnbounded(file.analysis, timeColumns),
  },
  {
    needs: 'engine',
    codes: TIME_NUMBER_CODES,
    check: ({ file, tables }) => findTimeNumbers(file.analysis, tables.columns),
  },
  {
    needs: 'engine',
    codes: AMBIGUOUS_CODES,
    after: 'flawless',
    check: ({ file, tables }) => findAmbiguous(file.analysis, tables.columns),
  },
  {
    needs: 'engine',
    codes: SET_COLUMN_CODES,
    check: ({ file, tables }) => findUnequalSets(file.analysis, tables.columns),
  },
  {
    needs: 'engine',
    codes: MODEL_CODES,
    after: 'accepted',
    check: ({ engine, file, tenancy }) => checkModels(engine, file, tenancy),
  },
  {
    needs: 'engine',
    codes: WATCH_CODES,
    after: 'accepted',
    check: ({ engine, file }) => findUnwatched(engine, file),
  },
  {
    needs: 'engine',
    codes: {}, // pii.source_not_redacted, which is also a check of the file
    after: 'accepted',
    check: ({ engine, file }) => findSourceFault(engine, file),
  },
  {
    needs: 'engine',
    codes: INTEGER_CODES,
    after: 'flawless',
    check: ({ engine, file, wide }) => findWideIntegers(engine, file, wide),
  },
  {
    needs: 'engine',
    codes: SETTING_CODES,
    check: ({ file, settingNames }) => findUnknownSettings(file.analysis, settingNames),
  },
  {
    needs: 'engine',
    codes: NAME_CODES,
    check: ({ engine, file, tables }) => findUnknownNames(engine, file, tables.columns),
  },
  {
    needs: 'engine',
    codes: FIXTURE_CODES,
    check: ({ engine, file, tables }) => findRejectedFixtures(engine, file, tables.columns),
  },
  {
    needs: 'engine',
    codes: EXAMPLE_QUERY_CODES,
    after: 'accepted',
    check: ({ engine, file, openTestRuntime }) => findRejectedQueries(engine, file, openTestRuntime),
  },
];

/** Returns what the engine finds in a file; `explain` may improve what its analysis reports. Rejects with EngineError. */
export async function engineFindingsOf(
  input: EngineInput,
  explain: (failure: Finding) => Finding,
): Promise<readonly Finding[]> {
  const { engine, file, tables } = input;
  const ofAnalysis = await checkOnEngine(engine, file, tables);
  const found = ofAnalysis.length > 0 ? ofAnalysis : await checkPlans(engine, file, tables);
  const failures = found.map(explain);
  if (failures.some(({ code }) => code === NOT_ANALYSED)) return failures;
  const isBroken = failures.some(({ severity, code }) => severity === 'error' && code.startsWith('engine.'));
  const isHeld = { accepted: !isBroken, flawless: failures.length === 0 };
  const all = [...failures];
  for (const { check, after } of ENGINE_CHECKS) {
    if (check === undefined || (after !== undefined && !isHeld[after])) continue;
    for (const finding of await check(input)) all.push(locateFinding(file.document, finding));
  }
  return all;
}
