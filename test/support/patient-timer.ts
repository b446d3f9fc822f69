// A timer for engines under test whose waits are not what is tested: what the engine gives up after 0.7 s or more, such
// as a server that does not respond, it gives up much later, so that a busy machine is no fault.
import { after, type After } from '../../src/sql/base/clock.ts';

const FROM_MS = 700;
const TIMES = 20;

export const patientAfter: After = (ms, action) => after(ms < FROM_MS ? ms : ms * TIMES, action);
