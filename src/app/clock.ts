// The process's clocks, passed to everything that needs the time.
import type { Clock } from '../core/clock.ts';

export { after } from '../core/clock.ts';

export const clock: Clock = { epoch: () => Date.now(), monotonic: () => performance.now() };
