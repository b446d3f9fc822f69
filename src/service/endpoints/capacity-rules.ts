// Rules about limits, workloads and functions of consumer queries.
import { didYouMean } from '../../sql/base/nearest.ts';
import { canonicalName } from '../../guard/sandbox/functions/aliases.ts';
import { uncheckedBy } from '../../guard/sandbox/functions/policy.ts';
import { LOOKUPS } from '../../sql/clickhouse/table-references.ts';
import type { Rule } from './rule.ts';

export const CAPACITY_RULES: Readonly<Record<string, Rule>> = {
  'limits.queue_without_concurrency': function* ({ file }) {
    if (file.limits?.queue === undefined || file.limits.concurrency !== undefined) return;
    yield {
      severity: 'warning',
      path: ['limits', 'queue'],
      onKey: true,
      message: 'queue is how many calls may wait for a run when concurrency is set, and it is not',
      hint: 'Add concurrency: …, or remove queue',
    };
  },
  'reservation.warming_unlisted': function* ({ file }, { guess: nearest }) {
    const { warming, workloads = [] } = file.reservation ?? {};
    if (warming === undefined || workloads.includes(warming)) return;
    const hint = didYouMean(nearest(warming, workloads));
    if (hint === undefined) return; // a workload that callers may not choose
    yield {
      severity: 'warning',
      path: ['reservation', 'warming'],
      message: `the workload ${warming} of warming is not among workloads`,
      hint,
    };
  },
  'sandbox.function_reads': function* ({ file }) {
    if (file.sandbox?.enabled !== true) return;
    for (const [index, name] of (file.sandbox.functions?.allow ?? []).entries()) {
      if (uncheckedBy(name) !== undefined) continue; // an error of its own
      if (!LOOKUPS.test(canonicalName(name.toLowerCase())) && !LOOKUPS.test(name)) continue;
      yield {
        severity: 'warning',
        path: ['sandbox', 'functions', 'allow', index],
        message: `with ${name}, consumer queries read dictionaries and Join tables, which no condition of this file restricts`,
        hint: 'Call it in the WITH clause, and give consumers the result as a column',
      };
    }
  },
};
