// The process's clocks, passed to everything that needs the time.
import { epoch, monotonic, type Clock } from '../core/clock.ts';

export { after } from '../core/clock.ts';

export const clock: Clock = { epoch, monotonic };
