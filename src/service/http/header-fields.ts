// Reads header fields with bounds: how much of a field is parsed, and which request ids are accepted.

/** Characters of one field. Longer fields are not parsed; each reader documents the consequence. */
export const MAX_FIELD_LENGTH = 500;

/** False for a missing field, too. */
export function isReadable(field: string | undefined): field is string {
  return field !== undefined && field.length <= MAX_FIELD_LENGTH;
}

/**
 * The request id, used in responses, the log and the engine's query log: the client's if it is a plain token, otherwise
 * a new one.
 */
export function requestIdOf(field: string | string[] | undefined, newId: () => string): string {
  return typeof field === 'string' && /^[\w.:-]{1,64}$/.test(field) ? field : newId();
}
