// The reasons for changes that endpoint files have, by the code of the change.
import type { EndpointFile } from '../../service/config/generated/endpoint.ts';

/** Keys of an endpoint file that hold reasons by code. */
export const KEYS = ['allow', 'allow_security'] as const;
export type Key = (typeof KEYS)[number];

/** The reasons of a file. */
export type Reasons = Pick<EndpointFile, Key>;

export const NO_REASONS: Reasons = {};

/** Of a document that may be invalid: only what has the right types. */
export function reasonsIn(value: object): Reasons {
  const given: Partial<Record<Key, unknown>> = value;
  const entries = KEYS.map((key) => [key, textsIn(given[key])]);
  return Object.fromEntries(entries) as Reasons; // built from the keys above
}

function textsIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string'));
}
