// Gauges for metrics: current numbers of running, waiting and cached items.
import { WRITE_PATIENCE, type RedisLink } from '../cache/redis-link.ts';
import type { Finding } from '../../sql/base/finding.ts';
import type { Engine, HostState } from '../engine/engine.ts';
import type { Exports } from '../exports/exports.ts';
import type { SlowClients } from '../http/slow-clients.ts';
import type { Gauge } from '../observe/metrics.ts';
import { confinementGauge } from './confinement-checks.ts';
import type { Watcher } from '../watches/watcher.ts';
import type { Core } from './core.ts';
import { exportGauges } from './export-gauges.ts';
import { dataGauges } from './data-checks.ts';

export interface GaugesOptions extends Pick<
  Core,
  'bulkhead' | 'cache' | 'catalog' | 'sandboxes' | 'live' | 'rollups'
> {
  readonly engine: Engine;
  readonly link: RedisLink | undefined;
  readonly exports: Pick<Exports, 'size'>;
  readonly slowClients: SlowClients;
  readonly droppedLines: () => number;
  readonly watcher: Pick<Watcher, 'isLeading'>;
}

export function gaugesOf(options: GaugesOptions): readonly Gauge[] {
  const { bulkhead, cache, sandboxes, link, slowClients, live, catalog } = options;
  const { readThrough, warming } = cache;
  const gauges: Gauge[] = [
    ...engineGauges(options.engine),
    {
      name: 'millrace_endpoint_running',
      help: 'Running queries of endpoints with a concurrency limit.',
      label: 'endpoint',
      read: () => bulkhead.loads().map(({ endpoint, running }) => [endpoint, running]),
    },
    {
      name: 'millrace_endpoint_waiting',
      help: 'Queries waiting because their endpoint is at its concurrency limit.',
      label: 'endpoint',
      read: () => bulkhead.loads().map(({ endpoint, waiting }) => [endpoint, waiting]),
    },
    {
      name: 'millrace_cache_entries',
      help: 'Responses cached in this process.',
      read: () => readThrough.size().entries,
    },
    {
      name: 'millrace_cache_bytes',
      help: 'Memory of the responses cached in this process, in bytes.',
      read: () => readThrough.size().bytes,
    },
    {
      name: 'millrace_cache_in_flight',
      help: 'In-flight queries in this process; concurrent requests for one share it.',
      read: () => readThrough.size().flights,
    },
    { name: 'millrace_warming_entries', help: 'Cache entries kept warm.', read: warming.size },
    ...sendingGauges(slowClients),
    ...liveGauges(live),
    ...exportGauges(options.exports),
    {
      name: 'millrace_watches_leading',
      help: 'Whether this process looks at watches and sends their messages: 1 in one of all replicas, if there are watches.',
      read: () => Number(options.watcher.isLeading()),
    },
    {
      name: 'millrace_rollup_in_use',
      help: 'Whether queries read a rollup that the files declare: 0 if it is not filled, or is known to differ from its rows.',
      label: 'rollup',
      read: () => options.rollups.all().map(({ name, inUse }) => [name, Number(inUse !== undefined)]),
    },
    { ...DROPPED_LINES, read: options.droppedLines },
    { ...FILES_REJECTED, read: () => rejectedFiles(catalog.diagnostics()) },
    { ...SANDBOX_UP, read: () => Number(sandboxes.offBecause() === undefined) },
  ];
  return [...gauges, ...redisGauges(link)];
}

/** Each scrape has Redis checked, without waiting: a service that has no calls learns of a fault too. */
function redisGauges(link: RedisLink | undefined): readonly Gauge[] {
  if (link === undefined) return [];
  const read = (): number => {
    void link.run(({ client }) => client.ping(), undefined, WRITE_PATIENCE);
    return Number(!link.isUnavailable());
  };
  return [
    {
      name: 'millrace_redis_up',
      help: 'Whether Redis is reachable, as known before this scrape, which has it checked again: 0 while its circuit breaker is open.',
      read,
    },
  ];
}

function engineGauges(engine: Engine): readonly Gauge[] {
  const { hosts } = engine;
  const up = {
    name: 'millrace_engine_up',
    help: 'Whether queries can run: 0 while the embedded engine’s process is being replaced, or no ClickHouse host answers.',
    read: () => Number(engine.isUp()),
  };
  const statements = {
    name: 'millrace_engine_statements',
    help: 'Statements in the engine, by state: running, or waiting for a connection.',
    label: 'state',
    read: () => Object.entries(engine.load()),
  };
  const hostUp = {
    name: 'millrace_engine_host_up',
    help: 'Whether the ClickHouse host answers, as known before this scrape, which has it checked again: 1 or 0.',
    label: 'host',
  };
  return [
    ...(hosts === undefined ? [] : [{ ...hostUp, read: () => hosts().map(hostEntry) }]),
    up,
    statements,
    ...confinementGauges(engine),
    ...dataGauges(engine),
    ...(engine.memory === undefined ? [] : [{ ...ENGINE_MEMORY, read: engine.memory }]),
  ];
}

const hostEntry = ({ name, isUp }: HostState): readonly [string, number] => [name, Number(isUp)];

function confinementGauges({ confinement }: Engine): readonly Gauge[] {
  if (confinement === undefined) return [];
  return [
    {
      name: 'millrace_engine_confinement',
      help: 'Layers that confine the embedded engine’s process: 1 in force, 0 not.',
      label: 'layer',
      read: () => confinementGauge(confinement()),
    },
  ];
}

/** Of responses that are being sent. */
function sendingGauges(slowClients: SlowClients): readonly Gauge[] {
  return [
    {
      name: 'millrace_responses_waiting',
      help: 'Responses not yet read by their clients.',
      read: () => slowClients.size().answers,
    },
    {
      name: 'millrace_replies_waiting_bytes',
      help: 'Memory of the responses not yet read by their clients, in bytes.',
      read: () => slowClients.size().bytes,
    },
  ];
}

/** Of live calls. */
function liveGauges({ size }: GaugesOptions['live']): readonly Gauge[] {
  return [
    {
      name: 'millrace_live_streams',
      help: 'Open streams of live calls.',
      read: () => size().streams,
    },
    {
      name: 'millrace_live_questions',
      help: 'Questions that are followed by live calls; all streams of one share its checks and queries.',
      read: () => size().topics,
    },
    {
      name: 'millrace_live_bytes',
      help: 'Memory of the events of live calls, known or being sent, in bytes.',
      read: () => size().bytes,
    },
  ];
}

const FILES_REJECTED = {
  name: 'millrace_catalog_files_rejected',
  help: 'Endpoint files whose newest version is invalid: their last good version is served, or none.',
};

function rejectedFiles(diagnostics: readonly Finding[]): number {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return new Set(errors.map(({ file }) => file)).size;
}

const ENGINE_MEMORY = {
  name: 'millrace_engine_memory_bytes',
  help: 'Resident memory of the embedded engine’s process in bytes, at its last health check.',
};

const DROPPED_LINES = {
  name: 'millrace_log_lines_dropped_total',
  help: 'Lines of the log that were dropped: its reader is too slow or has gone, or the disk is full.',
  isCounter: true,
};

const SANDBOX_UP = {
  name: 'millrace_sandbox_up',
  help: 'Whether consumer queries are accepted: 0 if the sandbox self-test failed.',
};
