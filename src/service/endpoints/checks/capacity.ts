// Checks of what calls may cost: limits, workloads, caching and warming.
import { didYouMean } from '../../../sql/base/nearest.ts';
import type { FileChecks } from './check.ts';

export const CAPACITY_CHECKS: FileChecks = {
  'warming.without_cache': {
    title: 'Warming without a cache',
    help: 'Add cache, or remove warming.',
    *check({ file }) {
      if (file.warming === undefined || typeof file.cache === 'object') return;
      yield {
        path: ['warming'],
        onKey: true,
        message: 'warming refreshes cached responses, but this endpoint has no cache',
        hint: 'Add cache: { ttl: … }, or remove warming',
      };
    },
  },
  'warming.slower_than_ttl': {
    title: 'The warming interval is longer than the TTL',
    help: 'Set warming.every to at most cache.ttl.',
    *check({ file }) {
      if (file.warming === undefined || typeof file.cache !== 'object') return;
      if (file.warming.every <= file.cache.ttl) return;
      yield {
        path: ['warming', 'every'],
        message: `responses expire after ${file.cache.ttl} s, before warming runs at ${file.warming.every} s`,
        hint: `Set it to at most ${file.cache.ttl}`,
      };
    },
  },
  'cache.refresh_over_ttl': {
    title: 'min_refresh is longer than ttl',
    help: 'Set it to at most cache.ttl.',
    *check({ file }) {
      if (typeof file.cache !== 'object' || (file.cache.min_refresh ?? 0) <= file.cache.ttl) return;
      yield {
        path: ['cache', 'min_refresh'],
        message: `min_refresh is longer than ttl (${file.cache.ttl} s)`,
        hint: `Set it to at most ${file.cache.ttl}`,
      };
    },
  },
  'cache.check_without_until': {
    title: 'cache.check without until: data',
    help: 'Add until: data, or remove check.',
    *check({ file }) {
      if (typeof file.cache !== 'object' || file.cache.check === undefined || file.cache.until !== undefined)
        return;
      yield {
        path: ['cache', 'check'],
        onKey: true,
        message: 'check is how often data is checked for changes, which needs until: data',
        hint: 'Add until: data, or remove check',
      };
    },
  },
  'cache.check_over_ttl': {
    title: 'check is longer than ttl',
    help: 'Set it to at most cache.ttl.',
    *check({ file }) {
      if (typeof file.cache !== 'object' || (file.cache.check ?? 0) <= file.cache.ttl) return;
      yield {
        path: ['cache', 'check'],
        message: `check is longer than ttl (${file.cache.ttl} s)`,
        hint: `Set it to at most ${file.cache.ttl}`,
      };
    },
  },
  'limits.queue_without_concurrency': {
    title: 'A queue without concurrency',
    help: 'limits.queue is how many calls may wait for a run of the endpoint when limits.concurrency bounds its runs; without that, no call waits.',
    severity: 'warning',
    *check({ file }) {
      if (file.limits?.queue === undefined || file.limits.concurrency !== undefined) return;
      yield {
        path: ['limits', 'queue'],
        onKey: true,
        message: 'queue is how many calls may wait for a run when concurrency is set, and it is not',
        hint: 'Add concurrency: …, or remove queue',
      };
    },
  },
  'reservation.without_workloads': {
    title: 'A reservation without workloads',
    help: 'List the workloads that callers may request.',
    *check({ file }) {
      if (file.reservation?.enabled !== true || (file.reservation.workloads ?? []).length > 0) return;
      yield {
        path: ['reservation'],
        onKey: true,
        message: 'reservation is enabled, but no workload is listed',
        hint: 'Add workloads: [name, …]',
      };
    },
  },
  'reservation.warming_unlisted': {
    title: 'A misspelled workload of warming',
    help: 'reservation.warming is almost the name of one of the workloads, and ClickHouse ignores a workload that does not exist.',
    severity: 'warning',
    *check({ file }, { guess: nearest }) {
      const { warming, workloads = [] } = file.reservation ?? {};
      if (warming === undefined || workloads.includes(warming)) return;
      const hint = didYouMean(nearest(warming, workloads));
      if (hint === undefined) return; // a workload that callers may not choose
      yield {
        path: ['reservation', 'warming'],
        message: `the workload ${warming} of warming is not among workloads`,
        hint,
      };
    },
  },
};
