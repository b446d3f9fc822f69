// How things stand when somebody looks: what runs, waits and is kept, for metrics.
import type { RedisLink } from '../cache/redis-link.ts';
import type { Engine } from '../engine/engine.ts';
import type { Outbox } from '../http/outbox.ts';
import type { Gauge } from '../observe/metrics.ts';
import type { Core } from './core.ts';

export interface GaugesOptions extends Pick<Core, 'bulkhead' | 'cache' | 'sandboxes'> {
  readonly engine: Engine;
  readonly link: RedisLink | undefined;
  readonly outbox: Outbox;
}

export function gaugesOf(options: GaugesOptions): readonly Gauge[] {
  const { engine, bulkhead, cache, sandboxes, link, outbox } = options;
  const { readThrough, warming } = cache;
  const gauges: Gauge[] = [
    {
      name: 'millrace_engine_statements',
      help: 'Statements in the engine, by state: running, or waiting for a connection.',
      label: 'state',
      read: () => Object.entries(engine.load()),
    },
    {
      name: 'millrace_endpoint_running',
      help: 'Runs of endpoints that limit their concurrency.',
      label: 'endpoint',
      read: () => bulkhead.loads().map(({ endpoint, running }) => [endpoint, running]),
    },
    {
      name: 'millrace_endpoint_waiting',
      help: 'Runs that wait for a place of their endpoint.',
      label: 'endpoint',
      read: () => bulkhead.loads().map(({ endpoint, waiting }) => [endpoint, waiting]),
    },
    {
      name: 'millrace_cache_entries',
      help: 'Answers kept in this process.',
      read: () => readThrough.size().entries,
    },
    {
      name: 'millrace_cache_bytes',
      help: 'Memory of the answers kept in this process.',
      read: () => readThrough.size().bytes,
    },
    {
      name: 'millrace_cache_flights',
      help: 'Runs in the air that callers wait for together.',
      read: () => readThrough.size().flights,
    },
    { name: 'millrace_warming_entries', help: 'Answers kept warm.', read: warming.size },
    {
      name: 'millrace_replies_waiting',
      help: 'Answers that callers have not taken yet.',
      read: () => outbox.size().answers,
    },
    {
      name: 'millrace_replies_waiting_bytes',
      help: 'Memory of the answers that callers have not taken yet.',
      read: () => outbox.size().bytes,
    },
    { ...SANDBOX_UP, read: () => Number(sandboxes.offBecause() === undefined) },
  ];
  const redis = { name: 'millrace_redis_up', help: 'Whether Redis answers: 0 while its breaker is open.' };
  return [
    ...gauges,
    ...(engine.memory === undefined ? [] : [{ ...ENGINE_MEMORY, read: engine.memory }]),
    ...(link === undefined ? [] : [{ ...redis, read: () => Number(!link.isAway()) }]),
  ];
}

const ENGINE_MEMORY = {
  name: 'millrace_engine_memory_bytes',
  help: 'Resident memory of the embedded engine’s process, at its last health check.',
};

const SANDBOX_UP = {
  name: 'millrace_sandbox_up',
  help: 'Whether consumer queries are accepted: 0 while an attack of the preflight gets through.',
};
