// The codes of changes of parameters.
import { behaviour, breaking, compatible, security, type ChangeKinds } from './change-kinds.ts';

export const PARAMETER_CHANGES = {
  'tenant.parameter_optional': security(
    'A parameter that restricts rows is now optional',
    'Calls without it were rejected. Now they run with the default or NULL, which may select the rows of others.',
  ),
  'tenant.default_changed': security(
    'A parameter that restricts rows has another default',
    'Calls without it get the rows that the new default selects, which may be those of others.',
  ),
  'tenant.values_widened': security(
    'A parameter that restricts rows accepts more values',
    'Calls can select rows that no accepted value selected before. Where the value is a pattern or is tested by a condition, it may select every row.',
  ),
  'tenant.type_changed': security(
    'A parameter that restricts rows has a type with more values',
    'A list, null or a pattern may select rows of others where one value did not.',
  ),
  'tenant.misspelling_ignored': security(
    'Unknown parameters are ignored, and one that restricts rows is optional',
    'A call that misspells the parameter is not restricted by it.',
  ),
  'parameter.added_required': breaking('A new required parameter', 'Calls without it are rejected.'),
  'parameter.added_optional': compatible('A new optional parameter', 'Calls without it work as before.'),
  'parameter.previously_ignored': behaviour(
    'A parameter that was ignored is now used',
    'Unknown parameters were ignored before: callers that already send it get different rows.',
  ),
  'parameter.removed': breaking(
    'A parameter was removed',
    'Calls that send it are rejected, or get rows as if it were not sent. Keys that lock it no longer cover the endpoint.',
  ),
  'parameter.now_required': breaking(
    'An optional parameter is now required',
    'Calls without it are rejected.',
  ),
  'parameter.now_optional': compatible(
    'A required parameter is now optional',
    'Calls that send it work as before. A value that a key locks is still used.',
  ),
  'parameter.rounding_changed': behaviour(
    'Relative times are rounded in another way',
    'Calls that send such times, or use a relative default, select other rows.',
  ),
  'parameter.default_changed': behaviour(
    'A default changed',
    'Calls without the parameter get different rows.',
  ),
  'parameter.type_widened': compatible('A wider parameter type', 'Every value that was accepted still is.'),
  'parameter.type_narrowed': breaking(
    'A narrower parameter type',
    'Values that were accepted may be rejected, or lose digits.',
  ),
  'parameter.type_changed': breaking(
    'A different parameter type',
    'Values that were accepted may be rejected, or mean something else.',
  ),
  'parameter.enum_widened': compatible('More values allowed', 'Every value that was accepted still is.'),
  'parameter.enum_narrowed': breaking('Fewer values allowed', 'Values that were accepted are rejected.'),
  'parameter.range_widened': compatible('A wider range', 'Every value that was accepted still is.'),
  'parameter.range_narrowed': breaking('A narrower range', 'Values that were accepted are rejected.'),
  'parameter.length_widened': compatible('More lengths allowed', 'Every value that was accepted still is.'),
  'parameter.length_narrowed': breaking('Fewer lengths allowed', 'Values that were accepted are rejected.'),
  'parameter.pattern_changed': breaking(
    'A pattern was added or changed',
    'Values that were accepted may be rejected; whether one regular expression matches everything that another matches is not checked.',
  ),
  'parameter.pattern_removed': compatible('A pattern was removed', 'Every value that was accepted still is.'),
  'parameter.format_added': breaking('A format is required', 'Values that were accepted may be rejected.'),
  'parameter.format_removed': compatible(
    'A format was removed',
    'Every value that was accepted still is; a malformed value is now rejected by the engine.',
  ),
  'unknown_parameters.rejected': breaking(
    'Unknown parameters are rejected',
    'Calls that send one, which had no effect until now, get 400.',
  ),
  'unknown_parameters.ignored': compatible(
    'Unknown parameters are ignored',
    'No call that worked fails. Misspelt parameters go unnoticed.',
  ),
} as const satisfies ChangeKinds;

export type ParameterCode = keyof typeof PARAMETER_CHANGES;
