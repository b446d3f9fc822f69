// The short form of every fault scenario, against the built service; `npm run faults` runs the long ones.
import { expect, test } from 'vitest';
import { runScenario } from '../../faults/run-scenario.ts';
import { SCENARIOS } from '../../faults/scenarios.ts';

const SEED = 20;

test.concurrent.each(SCENARIOS)('$name: $pass', { timeout: 900_000 }, async (scenario) => {
  const result = await runScenario(scenario, {
    seed: SEED,
    isShort: true,
    minutes: 0.1,
    note: () => undefined,
  });
  const failed = result.checks.filter(({ passed, dependsOnMachine }) => !passed && !dependsOnMachine);
  expect({ failed, failure: result.failure }).toEqual({ failed: [], failure: undefined });
  expect(result.checks.length).toBeGreaterThan(0);
});
