// Connects the reports about finished calls: those for keys, and those for operators.
import { readCallCounts } from '../engine/calls-table.ts';
import type { CallRoutesOptions } from '../fronts/admin/calls.ts';
import type { Front } from '../fronts/server.ts';
import { addWhyRoute } from '../fronts/why/routes.ts';
import { rejectOtherMethods } from '../http/other-methods.ts';
import { checkProblem } from '../request/engine-problems.ts';
import { createRanStatements } from '../request/why/ran-statements.ts';
import { why, whyForOperator, type WhyDeps } from '../request/why/why.ts';
import { clock } from './clock.ts';
import type { Parts } from './parts.ts';

function depsOf({ path, sandboxes, engine, callHistory }: Parts): WhyDeps {
  const { ran = createRanStatements() } = path;
  return { ...path, ran, sandboxes, engine, recentCalls: callHistory.recent, clock };
}

export function whyFront(parts: Parts): Front {
  const deps = depsOf(parts);
  return (app) =>
    addWhyRoute(
      app,
      { why: (key, record, requestId) => why(deps, { key, record, requestId }) },
      rejectOtherMethods,
    );
}

export function callsOf(parts: Parts): CallRoutesOptions {
  const deps = depsOf(parts);
  const { engine, settings, callHistory } = parts;
  return {
    why: (target) => whyForOperator(deps, target),
    counts: callHistory.counts,
    stored: settings.usage
      ? (minutes) =>
          readCallCounts(engine, minutes).catch((cause: unknown) => {
            throw checkProblem(cause);
          })
      : undefined,
    load: engine.load,
    now: clock.epoch,
  };
}
