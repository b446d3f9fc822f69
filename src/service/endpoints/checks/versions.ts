// Checks of versions, deprecation and rollout in one file.
import type { FileChecks } from './check.ts';

export const VERSION_CHECKS: FileChecks = {
  'version.without_number': {
    title: 'default or rollout without a version',
    help: 'Both are about several versions of a name: add version, or remove them.',
    *check({ file }) {
      if (file.version !== undefined) return;
      for (const key of ['default', 'rollout'] as const) {
        if (file[key] === undefined) continue;
        yield {
          path: [key],
          onKey: true,
          message: `${key} is for an endpoint with versions, and this file has none`,
          hint: `Add version: 1, or remove ${key}`,
        };
      }
    },
  },
  'version.parameter_reserved': {
    title: 'A parameter called version in an endpoint with versions',
    help: 'Callers choose the version with the field version, so it cannot be a parameter there. Rename the parameter.',
    *check({ file }) {
      if (file.version === undefined || file.parameters?.['version'] === undefined) return;
      yield {
        path: ['parameters', 'version'],
        onKey: true,
        message: 'version selects the version of this endpoint, so it cannot be a parameter',
        hint: 'Choose another name for the parameter',
      };
    },
  },
  'deprecated.sunset_before_since': {
    title: 'The sunset is before the deprecation',
    help: 'sunset is the day from which the endpoint may be gone; since is the day from which it is deprecated.',
    *check({ file: { deprecated } }) {
      const { since, sunset } = deprecated ?? {};
      if (since === undefined || sunset === undefined || sunset >= since) return;
      yield {
        path: ['deprecated', 'sunset'],
        message: `the endpoint would be gone on ${sunset}, before it is deprecated on ${since}`,
        hint: 'Write a later sunset, or an earlier since',
      };
    },
  },
};
