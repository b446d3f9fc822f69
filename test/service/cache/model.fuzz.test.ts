// Properties of the read-through cache, on virtual time.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PROPERTIES } from './model.ts';
import { runs } from '../../support/runs.ts';

test.each(PROPERTIES)('$why', async ({ property }) => {
  await expect(fc.assert(property, { seed: 5, numRuns: runs(50, 100) })).resolves.toBeUndefined();
});
