// Finding codes about tenants, with their meanings and fixes.
import type { FindingKind } from './finding-kind.ts';

export const TENANCY_KINDS: Readonly<Record<string, FindingKind>> = {
  'tenancy.not_confined': {
    title: 'A query depends on rows of other tenants',
    help: 'Rows that the tenancy parameter does not select can change the result. Compare a column of the table with the parameter, by AND, before windows, aggregates and LIMIT, and in every branch of UNION; docs/secure/tenancy.md has the rules.',
  },
  'tenancy.not_analysed': {
    title: 'It cannot be determined which rows a query depends on',
    help: 'The message has the reason. The query is treated as one that depends on rows of other tenants.',
  },
  'tenancy.unknown_parameter': {
    title: 'The tenancy parameter is not declared',
    help: 'Declare the parameter, correct its name, or write tenancy: { none: the reason } if the endpoint has no tenants.',
  },
  'tenancy.undeclared': {
    title: 'An endpoint with a sandbox that does not say whether it has tenants',
    help: 'Consumers write queries over its tables, and nothing checks whose rows they read. Write tenancy: { parameter: … } with the parameter that separates tenants, or tenancy: { none: the reason } if there are none. The setting tenancy answers for all endpoints.',
  },
  'tenancy.parameter_missing': {
    title: 'A tenancy without a parameter',
    help: 'Name the parameter in the file or in the setting tenancy, or write tenancy: { none: the reason }.',
  },
  'tenancy.optional_parameter': {
    title: 'The tenancy parameter is optional',
    help: 'A call without it would run with NULL or a default tenant. Set required: true.',
  },
  'tenancy.contradiction': {
    title: 'tenancy.none together with other keys',
    help: 'Remove none, or the other keys.',
  },
  'tenancy.key_value_rejected': {
    title: 'A key is locked to a tenant that the endpoint rejects',
    help: 'The value does not have the type of the parameter, or its enum or pattern excludes it. The service does not start with such a tokens file, and does not load it.',
  },
  'tenancy.key_not_locked': {
    title: 'A key is not restricted to one tenant',
    help: 'The key does not lock the parameter that separates the tenants of the endpoint. Add the parameter to the key; if it may read the rows of every tenant, write the reason as all_tenants.',
  },
};
