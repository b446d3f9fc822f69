// Opens live calls over the request path.
import { setImmediate } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import { createLive, type Live } from '../fronts/live/live.ts';
import { planAt } from '../request/plan.ts';
import { read } from '../request/read.ts';
import { patientAfter } from './clock.ts';
import type { OpenRequestPath } from './request-path.ts';

export function openLive(
  { liveStreams: limits, sendTimeout, sendMemory: memory, connections }: Settings,
  path: OpenRequestPath,
): Live {
  const { clock, observe, failures, watches } = path;
  return createLive({
    clock,
    observe,
    failures,
    watchOf: watches.live,
    read: (plan) => read(path, plan),
    planAt: (plan, time) => planAt(path, plan, time),
    after: patientAfter,
    random: Math.random,
    limits,
    sendTimeout,
    memory,
    connections,
    pause: setImmediate,
  });
}
