// Test files as `npm test` runs all of them: files of all kinds share their worker processes, so that each loads the service once, and
// files that wait run beside files that compute (`test/support/sequencer.ts`). Of those that run on both engines, half run on each.
import { ALL_FILES, BUILT, project, runOf } from './vitest.config.ts';

/** Which files run on ClickHouse's HTTP interface: `half` of those whose responses depend on the engine, the `other` half, or `none`. */
const env = { TEST_ON_HTTP: process.env['TEST_ON_HTTP'] ?? 'half' };

export default runOf([project('all', { include: ALL_FILES }, { ...BUILT, env })]);
