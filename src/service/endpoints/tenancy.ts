// Which parameter separates the tenants of an endpoint: from its file, otherwise from the settings.
import type { EndpointFile, Tenancy as TenancyOptions } from '../config/generated/endpoint.ts';
import type { SettingsFile } from '../config/generated/settings.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';
import type { RuleFinding } from './analysis.ts';

/** The setting `tenancy`, as in the settings file. */
export type TenancySetting = SettingsFile['tenancy'];

/** What confines an endpoint's queries. */
export interface Tenancy {
  readonly parameter: string;
  /** Columns that hold the tenant; undefined: any. */
  readonly columns: ReadonlySet<string> | undefined;
  /** Names of tables and dictionaries with the same rows for every tenant, without the database `default`. */
  readonly shared: ReadonlySet<string>;
  /** Whether a table or dictionary has the same rows for every tenant. */
  readonly isShared: (name: string) => boolean;
}

/** The tenancy of an endpoint; undefined if it has none, or if its parameter is not declared (see `tenancyFindings`). */
export function tenancyOf(file: EndpointFile, setting: TenancySetting): Tenancy | undefined {
  const parameter = parameterOf(file.tenancy, setting);
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

function parameterOf(own: TenancyOptions | undefined, setting: TenancySetting): string | undefined {
  if (own?.none !== undefined) return undefined;
  return own?.parameter ?? (typeof setting === 'object' ? setting.parameter : setting);
}

/** Findings about the tenancy of a file, which need no engine. */
export function* tenancyFindings(file: EndpointFile, setting: TenancySetting): Iterable<RuleFinding> {
  const { tenancy, parameters = {} } = file;
  const name = parameterOf(tenancy, setting);
  if (tenancy !== undefined && tenancy.none === undefined && name === undefined) {
    yield {
      code: 'tenancy.parameter_missing',
      path: ['tenancy'],
      onKey: true,
      message: 'tenancy does not name a parameter, and there is no setting tenancy',
      hint: 'Write tenancy: { parameter: … }, or tenancy: { none: the reason }',
    };
  }
  if (tenancy === undefined && name === undefined && file.sandbox?.enabled === true) {
    yield {
      code: 'tenancy.undeclared',
      severity: 'warning',
      path: ['sandbox'],
      onKey: true,
      message: 'consumers query these tables, and nothing says whose rows they may read',
      hint: `Write tenancy: { parameter: ${likelyParameter(parameters)} }, or tenancy: { none: the reason why there are no tenants }`,
    };
  }
  if (name === undefined) return;
  const path = tenancy?.parameter === undefined ? ['name'] : ['tenancy', 'parameter'];
  const spec = parameters[name];
  if (spec === undefined) {
    yield {
      code: 'tenancy.unknown_parameter',
      path,
      message: `the endpoint has no parameter ${name}, which separates tenants`,
      hint:
        didYouMean(nearest(name, Object.keys(parameters))) ??
        `Declare ${name} under parameters, or write tenancy: { none: the reason }`,
    };
  } else if (spec.required !== true) {
    yield {
      code: 'tenancy.optional_parameter',
      path: ['parameters', name],
      onKey: true,
      message: `${name} separates tenants, but calls without it are accepted`,
      hint: `Add required: true${spec.default === undefined ? '' : ', and remove default'}`,
    };
  }
  if (typeof file.cache === 'object' && file.cache.public === true) {
    yield {
      code: 'cache.public_tenants',
      path: ['cache', 'public'],
      onKey: true,
      message: `shared caches may not store responses of tenants, which ${name} separates`,
      hint: 'Remove public, or write tenancy: { none: the reason } if the data is open',
    };
  }
}

/** The only required parameter, which is probably the tenant; otherwise an ellipsis. */
function likelyParameter(parameters: NonNullable<EndpointFile['parameters']>): string {
  const required = Object.entries(parameters).filter(([, { required: isRequired }]) => isRequired === true);
  return required.length === 1 ? (required[0]?.[0] ?? '…') : '…';
}

/** Keys beside `none`, which excludes them. */
export function contradictions({ tenancy }: EndpointFile): readonly string[] {
  if (tenancy?.none === undefined) return [];
  return Object.keys(tenancy).filter((key) => key !== 'none');
}
