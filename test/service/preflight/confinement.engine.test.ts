// The layers of the engine process's confinement, in the checks of readiness, in a metric and in the report of `doctor`.
import { expect, test } from 'vitest';
import { confinementChecks, confinementGauge } from '../../../src/service/app/confinement-checks.ts';
import type { Confinement, Layer } from '../../../src/service/engine/embedded/confinement/confinement.ts';
import { checkConfinement } from '../../../src/service/preflight/confinement.ts';
import { openTestEngine } from '../../support/test-engine.ts';

const LANDLOCK: Layer = { name: 'landlock' };
const SECCOMP: Layer = { name: 'seccomp' };
const NO_LANDLOCK: Layer = { name: 'landlock', missing: 'the kernel does not have it' };

test.each([
  {
    mode: 'preferred',
    layers: [LANDLOCK, SECCOMP],
    states: ['ok', 'ok'],
    values: [1, 1],
    outcomes: ['held', 'held'],
  },
  {
    mode: 'preferred',
    layers: [NO_LANDLOCK, SECCOMP],
    states: ['degraded', 'ok'],
    values: [0, 1],
    outcomes: ['advice', 'held'],
  },
  { mode: 'off', layers: [], states: ['off', 'off'], values: [0, 0], outcomes: ['advice'] },
] as const)('$mode, $layers', async ({ mode, layers, states, values, outcomes }) => {
  const confinement: Confinement = { mode, network: false, layers };
  const { checks, causes } = confinementChecks(confinement);
  expect([checks.landlock, checks.seccomp]).toEqual(states);
  expect(causes.landlock).toBe(layers.find(({ name }) => name === 'landlock')?.missing);
  expect(confinementGauge(confinement)).toEqual([
    ['landlock', values[0]],
    ['seccomp', values[1]],
  ]);
  const engine = await openTestEngine();
  try {
    const findings = checkConfinement({ ...engine, confinement: () => confinement });
    expect(findings.map(({ outcome }) => outcome)).toEqual(outcomes);
  } finally {
    await engine.close(0);
  }
});

test('an engine without a process of its own has none', () => {
  expect(confinementChecks(undefined)).toEqual({ checks: {}, causes: {} });
});
