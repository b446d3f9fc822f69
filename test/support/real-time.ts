// The timer and the monotonic clock of the process, for engines under test.
import { after, clock } from '../../src/service/app/clock.ts';

export const REAL_TIME = { after, now: clock.monotonic };
