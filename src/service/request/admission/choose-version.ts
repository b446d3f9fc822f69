// The field `version` of a call: another version of the endpoint that its path names.
import type { Endpoint } from '../../endpoints/endpoint.ts';
import { Problem } from '../../../sql/base/problem.ts';
import type { CallContent } from '../call.ts';

export interface NamedEndpoint {
  /** The endpoint of the path. */
  readonly named: Endpoint;
  /** As the path has it. */
  readonly nameOrId: string;
  /** The versions that the key may call. */
  readonly versions: readonly Endpoint[];
}

/**
 * The version that the call asks for; that of the path without the field, or if the endpoint has no versions, where `version` is a
 * parameter like any other. Throws Problem `request.parameters_invalid`, which names only versions that the key may call.
 */
export function chooseVersion(
  fields: CallContent['fields'],
  { named, nameOrId, versions }: NamedEndpoint,
): Endpoint {
  if (named.version === undefined) return named;
  const sent = (fields.get('version') ?? []).filter((value) => value !== '' && value !== null);
  const [value, second] = sent;
  if (value === undefined) return named;
  const text = typeof value === 'number' ? String(value) : value;
  const chosen = versions.find(({ version }) => String(version) === text);
  const isFixed = nameOrId !== named.name;
  if (second === undefined && chosen !== undefined && (!isFixed || chosen === named)) return chosen;
  throw new Problem('request.parameters_invalid', {
    errors: [{ parameter: 'version', message: messageOf(isFixed ? [named] : versions) }],
  });
}

function messageOf(versions: readonly Endpoint[]): string {
  const numbers = versions.map(({ version }) => version).join(', ');
  return versions.length === 1 ? `Expected ${numbers}, or none` : `Expected one of the versions ${numbers}`;
}
