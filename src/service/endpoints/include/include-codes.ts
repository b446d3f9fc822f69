// The finding codes of what files include, with their meaning and fix.
import type { Codes } from '../../../sql/base/finding.ts';

export const INCLUDE_CODES: Codes = {
  'include.source': {
    title: 'An include names no file, or two',
    help: 'Write from: with the name of a shared file, or endpoint: with that of an endpoint.',
  },
  'include.missing': {
    title: 'An included file does not exist or cannot be read',
    help: 'Included files are in the same folder: from: NAME is NAME.shared.yaml, endpoint: NAME is NAME.yaml. The endpoint is compiled again when the file appears; until then, its last good version is served.',
  },
  'include.cycle': {
    title: 'A file includes itself',
    help: 'The message has the files in between. Move the tables that both need to a file of their own.',
  },
  'include.too_deep': {
    title: 'Files are included over too many levels',
    help: 'At most 8 files can be between a table and the endpoint that includes it.',
  },
  'include.too_large': {
    title: 'A file includes too much SQL',
    help: 'The SQL of all included tables is limited to 1 MiB. Name the tables that the endpoint needs instead of all.',
  },
  'include.broken': {
    title: 'An included file has errors in its query',
    help: 'They are reported in that file. Until they are corrected, the last good version of the endpoint is served.',
  },
  'include.unknown_table': {
    title: 'The included file has no such table',
    help: 'Tables of a shared file are the keys under tables; those of an endpoint are the tables of its WITH clause, and those that it includes.',
  },
  'include.duplicate_table': {
    title: 'Two tables of one name',
    help: 'All tables of a query are in one WITH clause, whose names are unique without regard to case. Rename one of them.',
  },
  'include.captured': {
    title: 'A named expression would change an included table',
    help: 'A named expression of a WITH clause applies to the whole query, also to included tables that use its name for something else. Rename the expression.',
  },
  'include.query_form': {
    title: 'Tables cannot be included in a query of this form',
    help: 'Included tables are put into the WITH clause at the start of the query. Write SELECT * FROM (…) around a query in parentheses; write recursive tables without include.',
  },
  'include.not_an_endpoint': {
    title: 'A shared file has no result',
    help: 'result: is for endpoints. Of a shared file, name the tables.',
  },
  'include.not_shared': {
    title: 'Policies of another endpoint',
    help: 'Policies are included from shared files, so that a change of one endpoint does not silently change another.',
  },
  'include.settings': {
    title: 'The result of a query with SETTINGS',
    help: 'A SETTINGS clause is for a whole query and cannot be part of an included table.',
  },
  'include.unknown_policy': {
    title: 'The included file has no such policy',
    help: 'Policies of a shared file are the keys under policies.',
  },
  'include.duplicate_policy': {
    title: 'A policy from two places',
    help: 'A policy is either written in the endpoint file or included from one shared file, as a whole. sandbox.functions is included into a sandbox that the endpoint file has.',
  },
  'include.unknown_parameter': {
    title: 'A value for a parameter that the included file does not declare',
    help: 'Under parameters of an include, the keys are parameters of the included file, and the values are @name of this file or constants.',
  },
  'include.parameter_type': {
    title: 'A parameter with another type than in the included file',
    help: 'A parameter that is passed on, or declared in both files, has the same type in both. A constant must be a valid value of the parameter.',
  },
  'include.parameter_conflict': {
    title: 'Two included files declare one parameter differently',
    help: 'Declare the parameter in the file that includes them; its declaration then counts.',
  },
  'lint.policy_not_included': {
    title: 'Included tables without the policy of their file',
    help: 'The included file redacts personal data, separates tenants or has a budget, and this endpoint has not. Policies are never included silently: add policies: [pii], or write pii in this file; pii: { redact: false } and tenancy: { none: \u2026 } are decisions as well, and a budget of the endpoint itself.',
  },
};
