// The codes of changes of versions, deprecation and rollout.
import { behaviour, breaking, compatible, cost, type ChangeKind } from './change-kinds.ts';

/** By code; a part of the table in `changes.ts`. */
export const VERSION_CHANGES = {
  'endpoint.sunset': compatible(
    'An endpoint was removed after its sunset',
    'Its callers get 404, as `deprecated.sunset` has announced.',
  ),
  'version.default_changed': breaking(
    'Callers who name no version get another one',
    'Its parameters and columns may differ: compare the files, or let a shadow run compare the rows. Write `default: true` in the old version to keep it.',
  ),
  'version.numbered': compatible(
    'An endpoint without versions became a version',
    'Its name still finds it, as long as it is the default version. A parameter called version is now the version.',
  ),
  'version.changed': breaking(
    'A version has another number, or none',
    'Calls that name the old number get 400 or 404, or another version.',
  ),
  'deprecated.added': behaviour(
    'The endpoint, or this version, is deprecated',
    'Responses, documentation and types say so. Calls still work.',
  ),
  'deprecated.removed': compatible('It is no longer deprecated', 'Responses do not say so any more.'),
  'deprecated.sunset_earlier': breaking(
    'The sunset is earlier',
    'Callers have less time than they were promised.',
  ),
  'deprecated.sunset_later': compatible('The sunset is later, or was removed', 'Callers have more time.'),
  'deprecated.changed': compatible(
    'The deprecation has another date, successor or reason',
    'Calls work as before.',
  ),
  'rollout.raised': cost(
    'More calls of the version before are compared with this one',
    'Each comparison runs both versions, in spare capacity.',
  ),
  'rollout.lowered': compatible('Fewer calls are compared', 'Differences are found later.'),
  'rollout.tolerance_changed': compatible(
    'Numbers are compared with another tolerance',
    'More or fewer differences are reported. Callers notice nothing.',
  ),
} as const satisfies Readonly<Record<string, ChangeKind>>;
