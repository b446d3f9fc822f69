// Rules about versions, deprecation and rollout in one file.
import type { Rule } from './rule.ts';

export const VERSION_RULES: Readonly<Record<string, Rule>> = {
  'version.without_number': function* ({ file }) {
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
  'version.parameter_reserved': function* ({ file }) {
    if (file.version === undefined || file.parameters?.['version'] === undefined) return;
    yield {
      path: ['parameters', 'version'],
      onKey: true,
      message: 'version selects the version of this endpoint, so it cannot be a parameter',
      hint: 'Choose another name for the parameter',
    };
  },
  'deprecated.sunset_before_since': function* ({ file: { deprecated } }) {
    const { since, sunset } = deprecated ?? {};
    if (since === undefined || sunset === undefined || sunset >= since) return;
    yield {
      path: ['deprecated', 'sunset'],
      message: `the endpoint would be gone on ${sunset}, before it is deprecated on ${since}`,
      hint: 'Write a later sunset, or an earlier since',
    };
  },
};
