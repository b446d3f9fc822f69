// Connects the observers: log, metrics, traces, and the usage table.
import { randomUUID } from 'node:crypto';
import type { Settings } from '../config/settings.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { createCallsTable, insertCalls } from '../engine/calls-table.ts';
import { CLICKHOUSE_ROUTE } from '../fronts/clickhouse/routes.ts';
import { TINYBIRD_ROUTE } from '../fronts/tinybird/routes.ts';
import { QUERY_ROUTE } from '../fronts/server.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { NO_TRACING, type Tracing } from '../observe/tracing.ts';
import { createUsage, type Usage } from '../observe/usage.ts';
import { after, clock } from './clock.ts';
import { readVersion } from './version.ts';

export interface Observing {
  readonly observe: Observe;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Writes the usage rows that wait. */
  flush(): Promise<void>;
  /** Flushes buffered traces and usage rows. */
  close(): Promise<void>;
}

export interface ObservingOptions {
  readonly settings: Settings;
  readonly engine: Engine;
  readonly observe: Observe;
}

export async function openObserving({
  settings,
  engine,
  observe: log,
}: ObservingOptions): Promise<Observing> {
  const metrics = createMetrics({
    version: readVersion(),
    engine: engine.kind,
    node: process.versions.node,
  });
  const tracing = await openTracing(settings);
  const emit: Observe = (observation) => {
    metrics.observe(observation);
    tracing.observe(observation);
    log(observation);
  };
  const usage = await openUsage(settings, engine, emit);
  const observe: Observe =
    usage === undefined
      ? emit
      : (observation) => {
          emit(observation);
          usage.observe(observation);
        };
  const close = async (): Promise<void> => {
    await Promise.all([tracing.close(), usage?.close()]);
  };
  return { observe, metrics, tracing, flush: async () => usage?.flush(), close };
}

/** Imported only if enabled, because the libraries are large. */
async function openTracing({ traces }: Settings): Promise<Tracing> {
  if (traces === undefined) return NO_TRACING;
  const { createTracing } = await import('../observe/collector.ts');
  const instance = randomUUID();
  return createTracing({
    ...traces,
    version: readVersion(),
    instance,
    random: Math.random,
    now: clock.epoch,
  });
}

/** CANNOT_PARSE_TEXT, CANNOT_PARSE_ESCAPE_SEQUENCE, CANNOT_PARSE_QUOTED_STRING, CANNOT_PARSE_INPUT_ASSERTION_FAILED, CANNOT_PARSE_DATETIME, CANNOT_PARSE_NUMBER, INCORRECT_DATA. */
const UNREADABLE: ReadonlySet<number> = new Set([6, 25, 26, 27, 41, 72, 117]);

const OTHER_ROUTES: ReadonlySet<string> = new Set([CLICKHOUSE_ROUTE, TINYBIRD_ROUTE]);

/**
 * The embedded engine always has the table, because an endpoint reads it. A failure to create it is reported, and
 * creation is retried with each write.
 */
async function openUsage(settings: Settings, engine: Engine, observe: Observe): Promise<Usage | undefined> {
  if (!settings.usage && engine.kind !== 'embedded') return undefined;
  const makeTable = (): Promise<void> => createCallsTable(engine, settings.usageDays);
  let isMade = await makeTable().then(
    () => true,
    (cause: unknown) => {
      observe({ kind: 'usage.not_written', rows: 0, dropped: 0, cause });
      return false;
    },
  );
  if (!settings.usage) return undefined;
  return createUsage({
    write: async (lines) => {
      if (!isMade) await makeTable();
      isMade = true;
      await insertCalls(engine, lines);
    },
    isUnreadable: (cause) => cause instanceof EngineError && UNREADABLE.has(cause.engineCode ?? 0),
    isCounted: ({ route, endpoint }) =>
      route === QUERY_ROUTE.url || (OTHER_ROUTES.has(route) && endpoint !== undefined),
    now: clock.epoch,
    after,
    observe,
  });
}
