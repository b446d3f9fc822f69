// Time for commands: unlike that of the service, its timer keeps the process alive.
import { setTimeout } from 'node:timers';
import { leadsOutside } from '../../service/config/leads-outside.ts';
import type { After } from '../../sql/base/clock.ts';

const after: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
};

export const REAL_TIME = { epoch: (): number => Date.now(), after };

/** For loading endpoint files: links that lead out of the folder are findings. */
export const LOADING = { ...REAL_TIME, leadsOutside };
