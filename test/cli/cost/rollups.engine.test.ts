// Calls that compute groups by time from many rows: those that deserve a rollup have a finding with its file, and others have none.
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { costsOf } from '../../../src/cli/commands/cost/costs-of.ts';
import { readRollupsOf } from '../../../src/service/endpoints/rollups/read-rollups.ts';
import { readPlanted, stageOf, STAGE_DEPS, type Planted } from './planted.ts';

/** Returns the texts of the files of the rollups that are proposed for each query. */
async function rollupsFor(
  folder: string,
  planted: readonly Planted[],
  declared: string,
): Promise<readonly (readonly string[])[]> {
  const { files, made } = await stageOf(folder, planted);
  const rollups = readRollupsOf('x.rollup.yaml', declared).rollups ?? [];
  const chosen = { files, rollups, cases: made.cases };
  const { changes } = await costsOf(chosen, { ...made, made }, STAGE_DEPS);
  return planted.map((_, index) =>
    changes.flatMap(({ file, code, hint = '' }) =>
      file === `q${index}.yaml` && code === 'cost.rollup' ? [hint] : [],
    ),
  );
}

/** Queries are served by these already. */
const DECLARED = {
  shipping: `rollups: [{ name: routes, from: ship.scans, time: { column: at, every: 1d }, dimensions: [worker], measures: ['max(parcel)'] }]`,
  sensors: `rollups: [{ name: traces, from: iot.readings, time: { column: ts, every: 1m }, dimensions: [device], measures: ['max(quality)'] }]`,
};

test.each(['shipping', 'sensors'] as const)(
  'the calls of %s that deserve a rollup have its file, and the others have none',
  async (folder) => {
    const planted = parse(readPlanted(folder, 'rollups.yaml')) as readonly Planted[];
    const found = await rollupsFor(folder, planted, DECLARED[folder]);
    const wrong = planted.flatMap(({ name, writes }, index) => {
      const texts = found[index] ?? [];
      const isRight =
        writes === undefined ? texts.length === 0 : texts.length === 1 && texts[0]?.includes(writes) === true;
      return isRight ? [] : [[name, writes, texts]];
    });
    expect(wrong).toEqual([]);
  },
  120_000,
);
