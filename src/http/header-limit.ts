// How much of a header field is read: what lists of preferences and conditions need, and no more.

/** Characters of one field. Longer ones are not parsed; what that means is said where each is read. */
export const MAX_FIELD_LENGTH = 500;

/** False for a field that is not there, too. */
export function isReadable(field: string | undefined): field is string {
  return field !== undefined && field.length <= MAX_FIELD_LENGTH;
}
