// The custom settings through which row policies on a server learn whose rows a consumer query may read.
import { quoteString } from '../sql/literal.ts';
import { EngineError } from './engine.ts';
import type { ParameterValue, RowPolicyContext, Settings } from './engine.ts';

/** The prefix is the one that ClickHouse's configuration file allows (`custom_settings_prefixes`). */
export const ENDPOINT_SETTING = 'SQL_millrace_endpoint';

/** Throws EngineError 'rejected' for a name that is not a plain identifier. */
export function parameterSetting(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return `SQL_millrace_param_${name}`;
  throw new EngineError('rejected', `not a parameter name: ${JSON.stringify(name)}`, { isForeign: true });
}

/**
 * The settings of one request. A value is `'=<hexadecimal UTF-8>'`: a release that takes the value of a custom setting
 * literally and one that parses it as a literal then agree, and nothing needs escapes. NULL is `''`, which no policy
 * lets pass.
 */
export function rowPolicySettings({ endpoint, values }: RowPolicyContext): Settings {
  const ofParameters = Object.entries(values).map(([name, value]) => [parameterSetting(name), encode(value)]);
  return { [ENDPOINT_SETTING]: encode(endpoint), ...Object.fromEntries(ofParameters) };
}

function encode(value: ParameterValue): string {
  return value === null ? "''" : `'=${Buffer.from(value).toString('hex').toUpperCase()}'`;
}

/** SQL that is true if the setting has a value. A setting that the server does not know is an error. */
export function isGiven(setting: string): string {
  return `position(getSetting(${quoteString(setting)}), '=') > 0`;
}

/** SQL for the setting's value, a String; constant within a query, so that indexes are used. */
export function settingValue(setting: string): string {
  return `unhex(extract(getSetting(${quoteString(setting)}), '=([0-9A-F]*)'))`;
}
