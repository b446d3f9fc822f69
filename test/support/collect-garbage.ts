// Collects garbage, for what Node.js holds weakly.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const ALL_THE_TIME = `import v8 from 'node:v8'; import vm from 'node:vm';
v8.setFlagsFromString('--expose-gc'); setInterval(vm.runInNewContext('gc'), 20).unref();`;

/** The value of NODE_OPTIONS with which another process does so all the time. */
export const COLLECTING = `--import data:text/javascript,${encodeURIComponent(ALL_THE_TIME)}`;

/** In this process. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
