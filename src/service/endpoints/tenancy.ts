// Which parameter separates the tenants of an endpoint: from its file, otherwise from the settings.
import type { EndpointFile, Tenancy as TenancyOptions } from '../config/generated/endpoint.ts';
import type { SettingsFile } from '../config/generated/settings.ts';

/** The setting `tenancy`, as in the settings file. */
export type TenancySetting = SettingsFile['tenancy'];

/** What confines an endpoint's queries. */
export interface Tenancy {
  readonly parameter: string;
  /** Columns that hold the tenant; undefined: any. */
  readonly columns: ReadonlySet<string> | undefined;
  /** Names of tables and dictionaries with the same rows for every tenant, without the database `default`. */
  readonly shared: ReadonlySet<string>;
  /** Returns whether a table or dictionary has the same rows for every tenant. */
  readonly isShared: (name: string) => boolean;
}

/** The tenancy of an endpoint; undefined if it has none, or if its parameter is not declared . */
export function tenancyOf(file: EndpointFile, setting: TenancySetting): Tenancy | undefined {
  const parameter = tenancyParameter(file.tenancy, setting);
  if (parameter === undefined || file.parameters?.[parameter] === undefined) return undefined;
  const standard: TenancyOptions = typeof setting === 'object' ? setting : {};
  const columns = file.tenancy?.columns ?? standard.columns;
  const named = [...Object.keys(standard.shared ?? {}), ...Object.keys(file.tenancy?.shared ?? {})];
  const shared = new Set(named.map(withoutDefault));
  return {
    parameter,
    columns: columns && new Set(columns),
    shared,
    isShared: (name) => shared.has(withoutDefault(name)),
  };
}

function withoutDefault(name: string): string {
  return name.replace(/^default\./, '');
}

/** The name of the parameter that separates tenants, declared or not; undefined if there is none. */
export function tenancyParameter(
  own: TenancyOptions | undefined,
  setting: TenancySetting,
): string | undefined {
  if (own?.none !== undefined) return undefined;
  return own?.parameter ?? (typeof setting === 'object' ? setting.parameter : setting);
}
