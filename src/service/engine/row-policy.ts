// How row policies learn whose rows a consumer query may read: settings that carry the endpoint and its parameters.
import { quoteString } from '../../sql/clickhouse/literal.ts';
import { EngineError } from './engine.ts';
import type { ParameterValue, RowPolicyContext, Settings } from './engine.ts';

/** SQL over what a request carries; constant within a query, so that indexes are used. Names are those of parameters. */
export interface PolicyCarrier {
  /** The endpoint's reference, a String. */
  readonly endpoint: string;
  /** True if the parameter has a value. */
  isGiven(parameter: string): string;
  /** The parameter's value, a String. */
  value(parameter: string): string;
}

/** This SQL over `system.row_policies` is true for the policies that apply to the user who asks. */
export const POLICY_APPLIES =
  '((apply_to_all AND NOT has(apply_to_except, currentUser())) OR hasAny(apply_to_list, arrayPushBack(enabledRoles(), currentUser())))';

/** The prefix is the one that ClickHouse's configuration file allows (`custom_settings_prefixes`). */
export const ENDPOINT_SETTING = 'SQL_millrace_endpoint';

/** Throws EngineError 'rejected' for a name that is not a plain identifier. */
export function parameterSetting(name: string): string {
  return `SQL_millrace_param_${plain(name)}`;
}

/** On a server, each parameter has a setting of its own. A setting that the server does not know is an error. */
export const SERVER_CARRIER: PolicyCarrier = {
  endpoint: settingValue(ENDPOINT_SETTING),
  isGiven: (parameter) => `position(getSetting(${quoteString(parameterSetting(parameter))}), '=') > 0`,
  value: (parameter) => settingValue(parameterSetting(parameter)),
};

function settingValue(setting: string): string {
  return `unhex(extract(getSetting(${quoteString(setting)}), '=([0-9A-F]*)'))`;
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
  return value === null ? "''" : `'=${hex(value)}'`;
}

/**
 * The embedded engine knows no settings of ours: one of its own, which nothing else uses there, carries all
 * (`format_schema`, for formats that read a schema file).
 */
export const CONTEXT_SETTING = 'format_schema';
const CONTEXT = `getSetting('${CONTEXT_SETTING}')`;
/** No parameter has this name. */
const ENDPOINT_NAME = '@';

export const EMBEDDED_CARRIER: PolicyCarrier = {
  endpoint: contextValue(ENDPOINT_NAME),
  isGiven: (parameter) => `position(${CONTEXT}, ${quoteString(`;${plain(parameter)}=`)}) > 0`,
  value: (parameter) => contextValue(plain(parameter)),
};

function contextValue(name: string): string {
  return `unhex(extract(${CONTEXT}, ${quoteString(`;${name}=([0-9A-F]*);`)}))`;
}

/** The value of CONTEXT_SETTING: `;name=<hexadecimal UTF-8>;` for each value that is not NULL. */
export function contextText({ endpoint, values }: RowPolicyContext): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [`;${plain(name)}=${hex(value)};`],
  );
  return [`;${ENDPOINT_NAME}=${hex(endpoint)};`, ...given].join('');
}

function hex(value: string): string {
  return Buffer.from(value).toString('hex').toUpperCase();
}

function plain(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return name;
  throw new EngineError('rejected', `not a parameter name: ${JSON.stringify(name)}`, { isForeign: true });
}
