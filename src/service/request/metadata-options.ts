// Whether a call asks for metadata: by the field `meta`, or as a preference.
import type { Endpoint } from '../endpoints/endpoint.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { Admitted } from './admit.ts';
import type { CallContent } from './call.ts';

const HINT = 'Only json has metadata: send format=json, or leave out meta';

/**
 * Returns whether the body gets metadata: as the field `meta` says, otherwise as the caller prefers; a parameter of that name is no such
 * field. Throws Problem `request.parameters_invalid` for another value of the field, and for formats that have no place for metadata.
 */
function wantsMetadata(
  { fields, format, metadata }: Pick<CallContent, 'fields' | 'format' | 'metadata'>,
  endpoint: Pick<Endpoint, 'parameters'>,
): boolean {
  const preferred = metadata === 'preferred' && format === 'json';
  if (metadata === undefined || endpoint.parameters['meta'] !== undefined) return preferred;
  const values = (fields.get('meta') ?? []).filter((value) => value !== '' && value !== null);
  if (values.length === 0) return preferred;
  const [value] = values;
  const isTrue = value === true || value === 'true';
  if (values.length > 1 || !(isTrue || value === false || value === 'false'))
    throw invalid('Expected true or false');
  if (isTrue && format !== 'json') throw invalid(HINT);
  return isTrue;
}

function invalid(message: string): Problem {
  return new Problem('request.parameters_invalid', { errors: [{ parameter: 'meta', message }] });
}

/** The metadata that a body gets. */
export interface MetadataOptions {
  /** It is true if the caller may see how much was read: this counts rows of other tenants. */
  readonly isReadShown: boolean;
  /** The rows are sent without metadata if these are not known. */
  readonly isPreferred: boolean;
}

/** Undefined: the body has none. Throws Problem as `wantsMetadata` does. */
export function metadataOptions({
  content,
  endpoint,
  principal,
  consumerQuery,
}: Pick<Admitted, 'content' | 'endpoint' | 'principal' | 'consumerQuery'>): MetadataOptions | undefined {
  if (!wantsMetadata(content, endpoint)) return undefined;
  return {
    isReadShown: consumerQuery === undefined && principal.locked.size === 0,
    isPreferred: content.metadata === 'preferred',
  };
}
