// Calls whose answer is followed.
import type { Endpoint } from '../endpoints/endpoint.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { CallContent, LiveRequest } from './call.ts';

/** How a call asks to be followed; undefined: it does not. Throws Problem if the endpoint has no live calls, and for what they do not have. */
export function readLive(
  { live, fields }: Pick<CallContent, 'live' | 'fields'>,
  endpoint: Pick<Endpoint, 'name' | 'live' | 'parameters'>,
): LiveRequest | undefined {
  if (live === undefined) return undefined;
  if (endpoint.live === undefined) {
    if (live.isOptional) return undefined;
    if (live.by === 'accept')
      throw new Problem('format.not_acceptable', {
        detail: `${endpoint.name} has no live calls`,
        hint: 'Send another Accept header. Live calls need live: { every: 2 } in the file of the endpoint.',
      });
    if (endpoint.parameters['live'] !== undefined) return undefined;
    throw new Problem('live.unavailable', { detail: `${endpoint.name} has no live calls` });
  }
  for (const name of ['cursor', 'meta'])
    if (fields.has(name) && endpoint.parameters[name] === undefined) {
      const message = 'Live calls do not have it';
      throw new Problem('request.parameters_invalid', { errors: [{ parameter: name, message }] });
    }
  return live;
}
