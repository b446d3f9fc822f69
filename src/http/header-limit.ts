// Bounds how much of a header field is parsed: enough for lists of preferences and conditions.

/** Characters of one field. Longer fields are not parsed; each reader documents the consequence. */
export const MAX_FIELD_LENGTH = 500;

/** False for a missing field, too. */
export function isReadable(field: string | undefined): field is string {
  return field !== undefined && field.length <= MAX_FIELD_LENGTH;
}
