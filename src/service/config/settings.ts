// Process settings: their names, and those that take effect.
import type { ChannelSettings } from './channel-settings.ts';
import type { ClickHouseSettings } from './clickhouse-settings.ts';
import type { ExportSettings } from './export-settings.ts';
import type { SettingsFile } from './generated/settings.ts';
import { readSchema } from './schema-file.ts';
import type { JwtSettings } from './jwt-settings.ts';
import type { TinybirdSettings } from './tinybird-settings.ts';
import type { TraceSettings } from './trace-settings.ts';

/** Effective settings. Sizes are in bytes, times in seconds unless noted. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** It is true if the API listener serves ClickHouse's HTTP interface. */
  readonly clickhouseInterface: boolean;
  /** Of ClickHouse's HTTP interface; undefined: no listener of its own. */
  readonly clickhousePort: number | undefined;
  readonly tinybird: TinybirdSettings;
  /** It is true if the API listener serves MCP. */
  readonly mcp: boolean;
  readonly endpoints: string;
  /** The parameter that separates tenants, as in the settings file. */
  readonly tenancy: SettingsFile['tenancy'];
  /** Commands that estimate calls use it, as it is in the settings file. */
  readonly budget: SettingsFile['budget'];
  /** Undefined only for commands that need no keys. */
  readonly tokens: string | undefined;
  /** Undefined: JSON Web Tokens are not accepted. */
  readonly jwt: JwtSettings | undefined;
  /** Without a slash at its end; undefined: as a request or its proxy says. */
  readonly publicUrl: string | undefined;
  readonly data: string;
  readonly seeds: string;
  /** What SQL may reach outside of the embedded engine's data folder. */
  readonly engineSources: readonly string[];
  readonly headerPrefix: string;
  /** Allowed CORS origins, as browsers write them; undefined: only the service's own. */
  readonly corsOrigins: readonly string[] | '*' | undefined;
  /** Undefined: endpoint files that hash columns are not served. */
  readonly piiHashKey: string | undefined;
  /** Undefined: the embedded engine. */
  readonly clickhouse: ClickHouseSettings | undefined;
  readonly connections: number;
  /** Connections available to consumer queries: in total, and per key. */
  readonly shares: { readonly consumers: number; readonly perKey: number };
  readonly queue: number;
  readonly memory: number;
  /** Of the embedded engine's process. */
  readonly engineConfinement: {
    readonly mode: NonNullable<SettingsFile['engine_confinement']>;
    /** Absolute paths that it may read besides its own. */
    readonly files: readonly string[];
  };
  readonly acceptSingleLayer: boolean;
  readonly redisUrl: string | undefined;
  /** Milliseconds. */
  readonly redisTimeout: number;
  readonly cacheNamespace: string;
  /** Undefined: derived; see `cache-key.ts`. */
  readonly cacheKey: string | undefined;
  readonly rateLimitFailure: NonNullable<SettingsFile['rate_limit_failure']>;
  readonly cacheMemory: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** Host names accepted by the admin listener, besides IP addresses and localhost. */
  readonly adminNames: readonly string[];
  /** An e-mail address or URL of the operator. */
  readonly contact: string | undefined;
  /** Watches send messages to these, by name. */
  readonly channels: ReadonlyMap<string, ChannelSettings>;
  readonly requestTimeout: number;
  readonly sendTimeout: number;
  readonly sendMemory: number;
  /** Open at once: in all, and of one key. */
  readonly liveStreams: { readonly total: number; readonly perKey: number };
  readonly exports: ExportSettings;
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** Undefined: traces are not exported. */
  readonly traces: TraceSettings | undefined;
  readonly usage: boolean;
  readonly usageDays: number;
  /** It is true if queries read rollups. */
  readonly rollups: boolean;
  readonly shutdownDelay: number;
  readonly drainTimeout: number;
  readonly logLevel: NonNullable<SettingsFile['log_level']>;
  /** Of requests with a status below 400. */
  readonly logRequestRatio: number;
  /**
   * All settings by their names in the settings file, for display: secrets are masked, and each value has its source.
   */
  readonly shown: Readonly<Record<string, ShownSetting>>;
}

/** A setting as `/config` shows it: secrets are masked. */
export interface ShownSetting {
  readonly value: unknown;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
}

/** The name of a setting in the file, with the flag and environment variable derived from it. */
export interface SettingName {
  readonly key: keyof SettingsFile;
  readonly flag: string;
  readonly env: string;
  readonly type: unknown;
  readonly description: string;
  readonly default: unknown;
  readonly isSecret: boolean;
}

/** All settings, from `schemas/settings.schema.json`. */
export function settingNames(): readonly SettingName[] {
  const properties = readSchema('settings')['properties'] as Record<
    keyof SettingsFile,
    Record<string, unknown>
  >; // our own schema
  return Object.entries(properties).map(([key, property]) => ({
    key: key as keyof SettingsFile, // keys of the object that the type was generated from
    flag: `--${key.replaceAll('_', '-')}`,
    env: String(property['x-env']),
    type: property['type'],
    description: String(property['description']),
    default: property['default'],
    isSecret: property['x-secret'] === true,
  }));
}
