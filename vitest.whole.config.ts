// All test files, as `npm test` runs them: files of all kinds share their worker processes, so that each loads the service once, and
// files that wait run beside files that compute (`test/support/sequencer.ts`). Of those that run on both engines, half run on each.
import { ALL_FILES, BUILT, project, runOf } from './vitest.config.ts';

const env = { TEST_ENGINE_BY_FILE: 'true' };

export default runOf([project('all', { include: ALL_FILES }, { ...BUILT, env })]);
