// Time for commands: unlike that of the service, its timer keeps the process alive.
import { setTimeout } from 'node:timers';
import type { After } from '../core/clock.ts';

const after: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
};

export const REAL_TIME = { epoch: (): number => Date.now(), after };
