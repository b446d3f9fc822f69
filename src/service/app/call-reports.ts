// Connects the reports about finished calls: those for keys, and those for operators.
import { readCallCounts } from '../engine/calls-table.ts';
import type { CallRoutesOptions } from '../fronts/admin/calls.ts';
import type { Front } from '../fronts/server.ts';
import { addUsageRoute } from '../fronts/usage/routes.ts';
import { addWhyRoute } from '../fronts/why/routes.ts';
import { rejectOtherMethods } from '../http/other-methods.ts';
import { checkProblem } from '../request/engine-problems.ts';
import { usage } from '../request/usage.ts';
import { cacheAdvice } from '../request/why/cache-advice.ts';
import { why, whyForOperator, type WhyDeps } from '../request/why/why.ts';
import { clock } from './clock.ts';
import type { Parts } from './parts.ts';

function depsOf({ path, sandboxes, engine, calls }: Parts): WhyDeps {
  return { ...path, sandboxes, engine, recentCalls: calls.recent, clock };
}

export function whyFront(parts: Parts): Front {
  const deps = depsOf(parts);
  return (app) => addWhyRoute(app, { why: (request) => why(deps, request) }, rejectOtherMethods);
}

export function usageFront({ path, calls }: Parts): Front {
  const deps = { ...path, keyUsage: calls.usage, clock };
  return (app) =>
    addUsageRoute(
      app,
      { usage: (key, record, days) => usage(deps, { key, record, days }) },
      rejectOtherMethods,
    );
}

export function callsOf(parts: Parts): CallRoutesOptions {
  const deps = depsOf(parts);
  const { engine, settings, calls } = parts;
  return {
    why: (target, signal) => whyForOperator(deps, target, signal),
    counts: calls.counts,
    stored: settings.usage
      ? (minutes) =>
          readCallCounts(engine, minutes).catch((cause: unknown) => {
            throw checkProblem(cause);
          })
      : undefined,
    load: engine.load,
    advice: (counts) => cacheAdvice(parts.catalog.current().all, counts, deps.ran.repeats.read()),
    now: clock.epoch,
  };
}
