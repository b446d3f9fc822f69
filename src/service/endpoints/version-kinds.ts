// The finding codes of versions, deprecation and rollout, with their meaning and fix.
import type { FindingKind } from './finding-kind.ts';

export const VERSION_KINDS: Readonly<Record<string, FindingKind>> = {
  'version.duplicate': {
    title: 'Two files are the same version of an endpoint',
    help: 'Each version of a name has a number of its own. The file that is named first is served.',
  },
  'version.missing': {
    title: 'A file without a version beside versions of the same name',
    help: 'If several files have one name, each has a version. The file that was served first stays in service.',
  },
  'version.two_defaults': {
    title: 'Two default versions of one endpoint',
    help: 'Only one version may have default: true. The file that is named first stays the default; the other keeps its last good version.',
  },
  'version.without_number': {
    title: 'default or rollout without a version',
    help: 'Both are about several versions of a name: add version, or remove them.',
  },
  'version.parameter_reserved': {
    title: 'A parameter called version in an endpoint with versions',
    help: 'Callers choose the version with the field version, so it cannot be a parameter there. Rename the parameter.',
  },
  'version.rate_ignored': {
    title: 'A rate limit or budget that does not apply',
    help: 'The calls of all versions of a name are counted together, so that switching versions raises no limit, and the rate and the budget of the default version apply.',
  },
  'deprecated.sunset_before_since': {
    title: 'The sunset is before the deprecation',
    help: 'sunset is the day from which the endpoint may be gone; since is the day from which it is deprecated.',
  },
  'deprecated.successor_unknown': {
    title: 'The successor does not exist',
    help: 'deprecated.successor names what to call instead: the number of another version, or another endpoint. It is a warning, since the other file may be served elsewhere.',
  },
  'rollout.without_previous': {
    title: 'A rollout without a version before',
    help: 'rollout compares a version with the one before it, and there is none with a lower number.',
  },
};
