// Checks of the parameter that separates the tenants of an endpoint.
import type { Codes, PathFinding } from '../../sql/base/finding.ts';
import { tenancyParameter, type TenancySetting } from '../../service/endpoints/tenancy.ts';
import type { EndpointFile } from '../../service/config/generated/endpoint.ts';
import { didYouMean, nearest } from '../../sql/base/nearest.ts';

export const TENANCY_CODES: Codes = {
  'tenancy.parameter_missing': {
    title: 'A tenancy without a parameter',
    help: 'Name the parameter in the file or in the setting tenancy, or write tenancy: { none: the reason }.',
  },
  'tenancy.undeclared': {
    title: 'An endpoint with a sandbox that does not say whether it has tenants',
    help: 'Consumers write queries over its tables, and nothing checks whose rows they read. Write tenancy: { parameter: … } with the parameter that separates tenants, or tenancy: { none: the reason } if there are none. The setting tenancy answers for all endpoints.',
  },
  'tenancy.unknown_parameter': {
    title: 'The tenancy parameter is not declared',
    help: 'Declare the parameter, correct its name, or write tenancy: { none: the reason } if the endpoint has no tenants.',
  },
  'tenancy.optional_parameter': {
    title: 'The tenancy parameter is optional',
    help: 'A call without it would run with NULL or a default tenant. Set required: true.',
  },
  'cache.public_tenants': {
    title: 'Responses of tenants may not be stored by shared caches',
    help: 'Remove cache.public. If the data is open, the endpoint has no tenants: write tenancy: { none: the reason }.',
  },
};

/** Findings about the tenancy of a file, which need no engine. */
export function* tenancyFindings(file: EndpointFile, setting: TenancySetting): Iterable<PathFinding> {
  const { tenancy, parameters = {} } = file;
  const name = tenancyParameter(tenancy, setting);
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
