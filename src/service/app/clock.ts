// The process's clocks, passed to everything that needs the time.
import { after, createPatientAfter, epoch, monotonic, type Clock } from '../../sql/base/clock.ts';

export { after };

export const clock: Clock = { epoch, monotonic };

/** For waits for servers. */
export const patientAfter = createPatientAfter(after, monotonic);
