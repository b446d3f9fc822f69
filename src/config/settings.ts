// Settings of the process: a flag wins over the environment, the environment over millrace.yaml, that over the default.
import { readFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import type { Diagnostic } from '../core/diagnostic.ts';
import { parseBytes } from './bytes.ts';
import {
  clickhouseSettings,
  findHalfCertificate,
  type ClickHouseOptionalKey,
  type ClickHouseSettings,
} from './clickhouse-settings.ts';
import type { SettingsFile } from './generated/settings.ts';
import { createSchemaCheck, createValueCheck, readSchema, type SchemaFinding } from './schema.ts';
import { parseYaml, type YamlDocument } from './yaml-document.ts';

/** Effective settings. Sizes are bytes, times are seconds. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly endpoints: string;
  /** Undefined only where the command needs no keys. */
  readonly tokens: string | undefined;
  /** Undefined: no JSON Web Tokens are taken. */
  readonly jwt: JwtSettings | undefined;
  readonly data: string;
  readonly seeds: string;
  readonly headerPrefix: string;
  /** Origins that browsers may call from; undefined: none but the service's own. */
  readonly corsOrigins: readonly string[] | '*' | undefined;
  /** Undefined: files that hash columns are not served. */
  readonly piiHashKey: string | undefined;
  /** Undefined: the embedded engine. */
  readonly clickhouse: ClickHouseSettings | undefined;
  readonly connections: number;
  /** Connections that consumer queries may take: all of them together, and those of one key. */
  readonly shares: { readonly consumers: number; readonly perKey: number };
  readonly queue: number;
  readonly memory: number;
  readonly acceptSingleWall: boolean;
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
  /** Host names under which the admin listener may be asked, beside addresses and localhost. */
  readonly adminNames: readonly string[];
  readonly requestTimeout: number;
  readonly sendTimeout: number;
  readonly sendMemory: number;
  /** Addresses and networks of proxies that are believed. */
  readonly trustedProxies: readonly string[];
  /** Undefined: traces are sent nowhere. */
  readonly traces: TraceSettings | undefined;
  readonly usage: boolean;
  readonly usageDays: number;
  readonly drainTimeout: number;
  readonly logLevel: NonNullable<SettingsFile['log_level']>;
  /** All of this by the names of the settings file, for people: secrets masked, and where each value comes from. */
  readonly shown: Readonly<Record<string, ShownSetting>>;
}

export interface ShownSetting {
  readonly value: unknown;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
}

/** Whose JSON Web Tokens are taken, and how they are checked. */
export interface JwtSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  /** The claim that says what a token may do. */
  readonly claim: string;
  readonly skewSeconds: number;
}

/** Where traces go, and how many of them. */
export interface TraceSettings {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** From 0 to 1. */
  readonly ratio: number;
}

/** What a setting is called in the file; flags and environment variables are derived from it. */
export interface SettingName {
  readonly key: keyof SettingsFile;
  readonly flag: string;
  readonly env: string;
  readonly type: unknown;
  readonly description: string;
  readonly default: unknown;
  readonly isSecret: boolean;
}

export interface SettingsSources {
  /** By key; undefined where the flag was not given. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings file; a missing default file is no error, a missing named one is. */
  readonly file: { readonly path: string; readonly required: boolean };
}

/** Every setting, from `schemas/settings.schema.json`. */
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

/** Reads all sources; all findings of all of them, or the settings. */
export async function loadSettings(
  sources: SettingsSources,
): Promise<{ readonly settings: Settings } | { readonly diagnostics: readonly Diagnostic[] }> {
  const names = settingNames();
  const fromFile = await readSettingsFile(sources);
  const fromEnv = layer(names, (name) => ({ source: name.env, text: sources.env[name.env] }));
  const fromFlags = layer(names, (name) => ({ source: name.flag, text: sources.flags[name.key] }));
  const diagnostics = [...fromFile.diagnostics, ...fromEnv.diagnostics, ...fromFlags.diagnostics];
  const values = { ...fromFile.values, ...fromEnv.values, ...fromFlags.values };
  diagnostics.push(...findHalfJwt(values), ...findHalfCertificate(values));
  if (diagnostics.length > 0) return { diagnostics };
  const layers = { flag: fromFlags.values, environment: fromEnv.values, file: fromFile.values };
  return { settings: { ...resolve(values, names), shown: show(names, layers) } };
}

interface Layer {
  readonly values: SettingsFile;
  readonly diagnostics: readonly Diagnostic[];
}

async function readSettingsFile(sources: SettingsSources): Promise<Layer> {
  const { path, required } = sources.file;
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' && !required) return undefined;
    return cause;
  });
  if (text === undefined) return { values: {}, diagnostics: [] };
  if (typeof text !== 'string') {
    const hint = `The system says: ${text.message}`;
    return {
      values: {},
      diagnostics: [plainFinding(path, 'settings.unreadable', 'the settings file cannot be read', hint)],
    };
  }
  const parsed = parseYaml(path, text);
  if ('diagnostics' in parsed) return { values: {}, diagnostics: parsed.diagnostics };
  const missing: Diagnostic[] = [];
  const value = substitute(parsed.document.value ?? {}, (path, variable) => {
    const found = sources.env[variable];
    if (found === undefined) missing.push(missingVariable(parsed.document, path, variable));
    return found ?? '';
  });
  const diagnostics =
    missing.length > 0 ? missing : createSchemaCheck('settings')({ ...parsed.document, value });
  return { values: value as SettingsFile, diagnostics }; // used only when the schema check found nothing
}

function missingVariable(document: YamlDocument, path: readonly string[], variable: string): Diagnostic {
  return {
    file: document.file,
    ...document.locate(path),
    severity: 'error',
    code: 'settings.missing_variable',
    message: `the environment variable ${variable} is not set`,
    hint: `Set ${variable}, or write the value in place of \${${variable}}`,
  };
}

/** Replaces `${NAME}` in the texts of a flat mapping. */
function substitute(value: unknown, lookup: (path: readonly string[], variable: string) => string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    if (typeof item !== 'string') return [key, item];
    return [key, item.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => lookup([key], name))];
  });
  return Object.fromEntries(entries);
}

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
  if (sources.size === 0) return { values, diagnostics: [] }; // compiling the schema takes longer than the rest
  const findings = createValueCheck('settings')(values);
  return { values, diagnostics: findings.map((finding) => sourceFinding(finding, sources)) };
}

/** The value that a text stands for, by the setting's type; what does not fit stays a text, for the schema to refuse. */
function fromText({ type }: SettingName, text: string): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'number' && /^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function sourceFinding(finding: SchemaFinding, sources: ReadonlyMap<string, string>): Diagnostic {
  const source = sources.get(String(finding.path[0])) ?? 'settings';
  return plainFinding(source, finding.code, finding.message, finding.hint);
}

/** A finding about something that has no lines: a flag, a variable, a whole file. */
function plainFinding(file: string, code: string, message: string, hint?: string): Diagnostic {
  return {
    file,
    line: 0,
    column: 0,
    severity: 'error',
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
}

/** A URL may hold a password even where the setting is no secret. */
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

/** A bound above what it is a share of changes nothing, and is no mistake: connections follow the machine. */
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
  return {
    host: all.host,
    port: all.port,
    endpoints: all.endpoints,
    tokens: all.tokens,
    jwt: jwtSettings(all),
    data: all.data,
    seeds: all.seeds,
    headerPrefix: all.header_prefix,
    corsOrigins:
      all.cors_origins === undefined || all.cors_origins === '*'
        ? all.cors_origins
        : listOf(all.cors_origins),
    piiHashKey: all.pii_hash_key,
    clickhouse: clickhouseSettings(all),
    ...connectionsOf(all),
    queue: all.queue,
    memory: parseBytes(all.memory ?? Math.floor(totalmem() / 2)),
    acceptSingleWall: all.accept_single_wall,
    redisUrl: all.redis_url,
    redisTimeout: all.redis_timeout,
    cacheNamespace: all.cache_namespace,
    cacheKey: all.cache_key,
    rateLimitFailure: all.rate_limit_failure,
    cacheMemory: parseBytes(all.cache_memory),
    adminHost: all.admin_host,
    adminPort: all.admin_port,
    adminNames: [all.admin_host, ...listOf(all.admin_names)],
    requestTimeout: all.request_timeout,
    sendTimeout: all.send_timeout,
    sendMemory: parseBytes(all.send_memory),
    trustedProxies: listOf(all.trusted_proxies),
    traces: traceSettings(all),
    usage: all.usage,
    usageDays: all.usage_days,
    drainTimeout: all.drain_timeout,
    logLevel: all.log_level,
  };
}

const JWT_KEYS = ['jwt_issuer', 'jwt_audience', 'jwt_jwks_url'] as const;

/** Half of it would be a door that nobody meant to open, or to close. */
function findHalfJwt(values: SettingsFile): Diagnostic[] {
  const missing = JWT_KEYS.filter((key) => values[key] === undefined);
  if (missing.length === 0 || missing.length === JWT_KEYS.length) return [];
  const message = `tokens of an issuer need ${JWT_KEYS.join(', ')}; missing: ${missing.join(', ')}`;
  return [plainFinding('settings', 'settings.jwt_incomplete', message)];
}

function jwtSettings(all: SettingsFile): JwtSettings | undefined {
  const { jwt_issuer: issuer, jwt_audience: audience, jwt_jwks_url: jwksUrl } = all;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) return undefined;
  const { jwt_algorithms: algorithms = '', jwt_claim: claim = '', jwt_clock_skew: skewSeconds = 0 } = all;
  return { issuer, audience, jwksUrl, algorithms: algorithms.split(','), claim, skewSeconds };
}

function traceSettings(
  all: SettingsFile & Required<Pick<SettingsFile, 'trace_ratio'>>,
): TraceSettings | undefined {
  const { otlp_endpoint: endpoint, otlp_headers: headers, trace_ratio: ratio } = all;
  if (endpoint === undefined) return undefined;
  const pairs = listOf(headers).map((pair) => [pair.split('=', 1)[0], pair.slice(pair.indexOf('=') + 1)]);
  return { endpoint, headers: Object.fromEntries(pairs) as Record<string, string>, ratio }; // pairs of texts, made above
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(/, */);
}

type OptionalKey =
  | 'otlp_endpoint'
  | 'otlp_headers'
  | 'trusted_proxies'
  | 'admin_names'
  | 'redis_url'
  | 'cache_key'
  | 'tokens'
  | 'pii_hash_key'
  | 'cors_origins'
  | (typeof JWT_KEYS)[number]
  | ClickHouseOptionalKey
  | 'connections'
  | 'consumer_connections'
  | 'consumer_connections_per_key'
  | 'memory';
