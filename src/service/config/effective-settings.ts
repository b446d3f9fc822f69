// The settings that take effect: the given ones, defaults, and what follows from them.
import { availableParallelism } from 'node:os';
import { parseBytes } from './bytes.ts';
import { availableMemory, defaultSizes } from './memory.ts';
import { channelSettings } from './channel-settings.ts';
import { clickhouseSettings, type ClickHouseOptionalKey } from './clickhouse-settings.ts';
import { exportSettings, type ExportOptionalKey } from './export-settings.ts';
import type { SettingsFile } from './generated/settings.ts';
import { jwtSettings, type JwtOptionalKey } from './jwt-settings.ts';
import { allowedOrigins } from './origins.ts';
import { engineSources } from './engine-sources.ts';
import { tinybirdSettings, type TinybirdOptionalKey } from './tinybird-settings.ts';
import { traceSettings, type TraceKey } from './trace-settings.ts';
import { publicUrl } from './url-settings.ts';
import type { Settings, SettingName } from './settings.ts';

/** Shares above the number of connections are clamped and not reported, because that number depends on the machine. */
function connectionsOf(given: SettingsFile): Pick<Settings, 'connections' | 'shares'> {
  const connections = given.connections ?? Math.max(3, availableParallelism() + 1);
  const consumers = Math.min(given.consumer_connections ?? Math.max(1, connections - 1), connections);
  const perKey = Math.min(given.consumer_connections_per_key ?? Math.ceil(consumers / 2), consumers);
  return { connections, shares: { consumers, perKey } };
}

export function resolve(given: SettingsFile, names: readonly SettingName[]): Omit<Settings, 'shown'> {
  const defaults = Object.fromEntries(
    names.filter((n) => n.default !== undefined).map((n) => [n.key, n.default]),
  );
  const all = { ...defaults, ...given } as AllSettings; // every other key has a default in the schema
  const sizes = defaultSizes(availableMemory());
  return {
    ...interfacesOf(all),
    endpoints: all.endpoints,
    tenancy: all.tenancy,
    budget: all.budget,
    tokens: all.tokens,
    jwt: jwtSettings(all),
    publicUrl: publicUrl(all.public_url),
    data: all.data,
    seeds: all.seeds,
    engineSources: engineSources(all.engine_sources),
    headerPrefix: all.header_prefix,
    corsOrigins: allowedOrigins(all.cors_origins),
    piiHashKey: all.pii_hash_key,
    clickhouse: clickhouseSettings(all),
    ...connectionsOf(all),
    queue: all.queue,
    memory: parseBytes(all.memory ?? sizes.memory),
    engineConfinement: {
      mode: all.engine_confinement,
      files: listOf(all.engine_files),
    },
    acceptSingleLayer: all.accept_single_layer,
    redisUrl: all.redis_url,
    redisTimeout: all.redis_timeout,
    cacheNamespace: all.cache_namespace,
    cacheKey: all.cache_key,
    rateLimitFailure: all.rate_limit_failure,
    cacheMemory: parseBytes(all.cache_memory ?? sizes.cacheMemory),
    adminHost: all.admin_host,
    adminPort: all.admin_port,
    adminNames: [all.admin_host, ...listOf(all.admin_names)],
    contact: all.contact,
    channels: channelSettings(all.channels),
    requestTimeout: all.request_timeout,
    sendTimeout: all.send_timeout,
    sendMemory: parseBytes(all.send_memory ?? sizes.sendMemory),
    liveStreams: { total: all.live_streams, perKey: all.live_streams_per_key },
    exports: exportSettings(all),
    trustedProxies: listOf(all.trusted_proxies),
    traces: traceSettings(all),
    usage: all.usage,
    usageDays: all.usage_days,
    rollups: all.rollups,
    shutdownDelay: all.shutdown_delay,
    drainTimeout: all.drain_timeout,
    logLevel: all.log_level,
    logRequestRatio: all.log_request_ratio,
  };
}

/** Where the service listens, and for which protocols. */
function interfacesOf(
  all: AllSettings,
): Pick<Settings, 'host' | 'port' | 'clickhouseInterface' | 'clickhousePort' | 'tinybird' | 'mcp'> {
  return {
    host: all.host,
    port: all.port,
    clickhouseInterface: all.clickhouse_interface,
    clickhousePort: all.clickhouse_port,
    tinybird: tinybirdSettings(all),
    mcp: all.mcp,
  };
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(/, */);
}

type AllSettings = SettingsFile & Required<Omit<SettingsFile, OptionalKey>>;

type OptionalKey =
  | 'clickhouse_port'
  | TinybirdOptionalKey
  | 'tenancy'
  | 'budget'
  | TraceKey
  | ExportOptionalKey
  | 'trusted_proxies'
  | 'admin_names'
  | 'contact'
  | 'channels'
  | 'redis_url'
  | 'cache_key'
  | 'tokens'
  | 'pii_hash_key'
  | 'cors_origins'
  | JwtOptionalKey
  | 'public_url'
  | ClickHouseOptionalKey
  | 'connections'
  | 'consumer_connections'
  | 'consumer_connections_per_key'
  | 'engine_files'
  | 'memory'
  | 'cache_memory'
  | 'send_memory';
