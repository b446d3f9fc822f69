// All tests, as `npm test` runs them: files of all kinds share their worker processes, so that each loads the service once,
// and files that wait run beside files that compute (`test/support/sequencer.ts`).
import { ALL_FILES, BUILT, HTTP, project, runOf } from './vitest.config.ts';

export default runOf([project('embedded', { include: ALL_FILES }, BUILT), HTTP]);
