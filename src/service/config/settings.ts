// Process settings. Precedence: flags, environment variables, millrace.yaml, defaults.
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { Finding } from '../../sql/base/finding.ts';
import { parseBytes } from './bytes.ts';
import { availableMemory, defaultSizes } from './memory.ts';
import {
  clickhouseSettings,
  findHalfCertificate,
  type ClickHouseOptionalKey,
  type ClickHouseSettings,
} from './clickhouse-settings.ts';
import type { SettingsFile } from './generated/settings.ts';
import { createSchemaCheck, createValueCheck, readSchema, type SchemaFinding } from './schema.ts';
import { findHalfJwt, jwtSettings, type JwtOptionalKey, type JwtSettings } from './jwt-settings.ts';
import { allowedOrigins, findInvalidOrigins } from './origins.ts';
import { plainFinding } from './plain-finding.ts';
import { engineSources, findUnknownSources } from './engine-sources.ts';
import { fillFile, withoutValues } from './file-variables.ts';
import { findInvalidTraces, traceSettings, type TraceKey, type TraceSettings } from './trace-settings.ts';
import { findInvalidUrls, publicUrl } from './url-settings.ts';
import { parseYaml } from './yaml-document.ts';

/** Effective settings. Sizes are in bytes, times in seconds unless noted. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Whether the API listener serves ClickHouse's HTTP interface. */
  readonly clickhouseInterface: boolean;
  /** Of ClickHouse's HTTP interface; undefined: no listener of its own. */
  readonly clickhousePort: number | undefined;
  /** Whether the API listener serves MCP. */
  readonly mcp: boolean;
  readonly endpoints: string;
  /** The parameter that separates tenants, as in the settings file. */
  readonly tenancy: SettingsFile['tenancy'];
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
  readonly requestTimeout: number;
  readonly sendTimeout: number;
  readonly sendMemory: number;
  /** Open at once: in all, and of one key. */
  readonly liveStreams: { readonly total: number; readonly perKey: number };
  /** Addresses and networks of trusted proxies. */
  readonly trustedProxies: readonly string[];
  /** Undefined: traces are not exported. */
  readonly traces: TraceSettings | undefined;
  readonly usage: boolean;
  readonly usageDays: number;
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

/** All places that settings are read from, passed in by the command line. */
export interface SettingsSources {
  /** By key; undefined if the flag was not given. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The variables of `env` that the settings file may read; undefined: all. Where it is given, secrets are not used. */
  readonly variables?: readonly string[] | undefined;
  /** The settings file. A missing file is an error only if `required`. */
  readonly file: { readonly path: string; readonly required: boolean };
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

/** Reads all sources and returns the settings, or the findings of all sources. */
export async function loadSettings(
  sources: SettingsSources,
): Promise<{ readonly settings: Settings } | { readonly diagnostics: readonly Finding[] }> {
  const names = settingNames();
  const fromFile = await readSettingsFile(sources);
  const fromEnv = layer(names, (name) => ({ source: name.env, text: sources.env[name.env] }));
  const fromFlags = layer(names, (name) => ({ source: name.flag, text: sources.flags[name.key] }));
  const diagnostics = [...fromFile.diagnostics, ...fromEnv.diagnostics, ...fromFlags.diagnostics];
  const values = { ...fromFile.values, ...fromEnv.values, ...fromFlags.values };
  diagnostics.push(...findHalfJwt(values), ...findHalfCertificate(values), ...findUnknownSources(values));
  diagnostics.push(...findInvalidTraces(values));
  if (diagnostics.length === 0)
    diagnostics.push(...findInvalidUrls(values), ...findInvalidOrigins(values.cors_origins));
  if (diagnostics.length > 0) return { diagnostics };
  const layers = { flag: fromFlags.values, environment: fromEnv.values, file: fromFile.values };
  return { settings: { ...resolve({ ...fromFile.unread, ...values }, names), shown: show(names, layers) } };
}

interface Layer {
  readonly values: SettingsFile;
  /** Settings as written, with placeholders for variables that are not read: they are not checked. */
  readonly unread?: SettingsFile;
  readonly diagnostics: readonly Finding[];
}

async function readSettingsFile(sources: SettingsSources): Promise<Layer> {
  const { path, required } = sources.file;
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' && !required) return undefined;
    return cause;
  });
  if (text === undefined) return { values: {}, diagnostics: [] };
  if (typeof text !== 'string') {
    const hint = `System error: ${text.message}`;
    return {
      values: {},
      diagnostics: [plainFinding(path, 'settings.unreadable', 'the settings file cannot be read', hint)],
    };
  }
  const parsed = parseYaml(path, text);
  if ('diagnostics' in parsed) return { values: {}, diagnostics: parsed.diagnostics };
  const { document } = parsed;
  const filled = fillFile(document, {
    env: sources.env,
    named: sources.variables,
    isUnused: (key) => UNUSED_IN_CHECKS.has(key) || settingNames().some((n) => n.key === key && n.isSecret),
  });
  const { value, unread, findings } = filled;
  const check = createSchemaCheck('settings');
  const diagnostics =
    findings.length > 0 ? findings : withoutValues(check({ ...document, value }), document, filled);
  return { values: value as SettingsFile, unread, diagnostics }; // used only if the schema check had no findings
}

/** Besides secrets, these settings are of no use to a command that opens no connection. */
const UNUSED_IN_CHECKS: ReadonlySet<string> = new Set([
  'clickhouse_url',
  'clickhouse_user',
  'clickhouse_consumer_user',
]);

function layer(
  names: readonly SettingName[],
  read: (name: SettingName) => { source: string; text: string | undefined },
): Layer {
  const values: Record<string, unknown> = {};
  const sources = new Map<string, string>();
  for (const name of names) {
    const { source, text } = read(name);
    if (text === undefined || (text === '' && name.default !== '')) continue;
    sources.set(name.key, source);
    values[name.key] = fromText(name, text);
  }
  if (sources.size === 0) return { values, diagnostics: [] }; // compiling the schema is the slowest part
  const findings = createValueCheck('settings')(values);
  return { values, diagnostics: findings.map((finding) => sourceFinding(finding, sources)) };
}

/** The value of a string by the setting's type; invalid input stays a string, which the schema then rejects. */
function fromText({ type }: SettingName, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'number' && /^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function sourceFinding(finding: SchemaFinding, sources: ReadonlyMap<string, string>): Finding {
  const source = sources.get(String(finding.path[0])) ?? 'settings';
  return plainFinding(source, finding.code, finding.message, finding.hint);
}

/** Masks secrets, and also passwords in URLs, since other settings may contain them. */
function show(
  names: readonly SettingName[],
  layers: Readonly<Record<Exclude<ShownSetting['source'], 'default'>, SettingsFile>>,
): Settings['shown'] {
  const shown = names.map(({ key, isSecret, default: standard }): [string, ShownSetting] => {
    for (const source of ['flag', 'environment', 'file'] as const) {
      const value = layers[source][key];
      if (value !== undefined) return [key, { value: isSecret ? MASK : withoutPassword(value), source }];
    }
    return [key, { value: standard ?? null, source: 'default' }];
  });
  return Object.fromEntries(shown);
}

const MASK = '***';

function withoutPassword(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(:\/\/[^/@\s]*:)[^/@\s]*@/g, `$1${MASK}@`) : value;
}

/** Shares above the number of connections are clamped and not reported, because that number depends on the machine. */
function connectionsOf(given: SettingsFile): Pick<Settings, 'connections' | 'shares'> {
  const connections = given.connections ?? Math.max(3, availableParallelism() + 1);
  const consumers = Math.min(given.consumer_connections ?? Math.max(1, connections - 1), connections);
  const perKey = Math.min(given.consumer_connections_per_key ?? Math.ceil(consumers / 2), consumers);
  return { connections, shares: { consumers, perKey } };
}

function resolve(given: SettingsFile, names: readonly SettingName[]): Omit<Settings, 'shown'> {
  const defaults = Object.fromEntries(
    names.filter((n) => n.default !== undefined).map((n) => [n.key, n.default]),
  );
  const all = { ...defaults, ...given } as SettingsFile & Required<Omit<SettingsFile, OptionalKey>>; // every other key has a default in the schema
  const sizes = defaultSizes(availableMemory());
  return {
    host: all.host,
    port: all.port,
    clickhouseInterface: all.clickhouse_interface,
    clickhousePort: all.clickhouse_port,
    mcp: all.mcp,
    endpoints: all.endpoints,
    tenancy: all.tenancy,
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
    requestTimeout: all.request_timeout,
    sendTimeout: all.send_timeout,
    sendMemory: parseBytes(all.send_memory ?? sizes.sendMemory),
    liveStreams: { total: all.live_streams, perKey: all.live_streams_per_key },
    trustedProxies: listOf(all.trusted_proxies),
    traces: traceSettings(all),
    usage: all.usage,
    usageDays: all.usage_days,
    shutdownDelay: all.shutdown_delay,
    drainTimeout: all.drain_timeout,
    logLevel: all.log_level,
    logRequestRatio: all.log_request_ratio,
  };
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(/, */);
}

type OptionalKey =
  | 'clickhouse_port'
  | 'tenancy'
  | TraceKey
  | 'trusted_proxies'
  | 'admin_names'
  | 'contact'
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
