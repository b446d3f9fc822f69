// Reads the settings from flags, environment variables and millrace.yaml, in this precedence.
import { readFile } from 'node:fs/promises';
import type { Finding, PathFinding } from '../../sql/base/finding.ts';
import type { SettingsFile } from './generated/settings.ts';
import { createSchemaCheck, createValueCheck } from './schema.ts';
import { plainFinding } from './plain-finding.ts';
import { fillFile, withoutValues } from './file-variables.ts';
import { parseYaml } from './yaml-document.ts';
import { fillChannels } from './channel-settings.ts';
import { resolve } from './effective-settings.ts';
import { findConflicts, findUnusable } from './setting-faults.ts';
import { type Settings, type ShownSetting, type SettingName, settingNames } from './settings.ts';

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
  diagnostics.push(...findConflicts(values));
  if (diagnostics.length === 0) diagnostics.push(...findUnusable(values));
  const isService = sources.variables === undefined; // a command that checks files opens no channel
  const channels = isService ? fillChannels(values.channels, sources.env) : undefined;
  diagnostics.push(...(channels?.diagnostics ?? []));
  if (diagnostics.length > 0) return { diagnostics };
  const layers = { flag: fromFlags.values, environment: fromEnv.values, file: fromFile.values };
  const given = { ...fromFile.unread, ...values, ...(channels?.filled && { channels: channels.filled }) };
  return { settings: { ...resolve(given, names), shown: show(names, layers) } };
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

function sourceFinding(finding: PathFinding, sources: ReadonlyMap<string, string>): Finding {
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
