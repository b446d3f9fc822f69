// Time zones as ClickHouse names them.

const OFFSET = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?$/;

/** A time zone by its name or its offset; undefined if there is none. */
export function zoneOf(name: string): string | undefined {
  const [, sign, hours = '', minutes = '00'] = OFFSET.exec(name) ?? [];
  if (sign === undefined) return isKnown(name) ? name : undefined;
  if (Number(hours) > 14) return undefined;
  // Etc/GMT would have the opposite sign, and whole hours only.
  return Number(hours) + Number(minutes) === 0
    ? 'UTC'
    : `Fixed/UTC${sign}${hours.padStart(2, '0')}:${minutes}:00`;
}

/** Whether a zone of that name exists; those of the runtime are those of the engine. */
function isKnown(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false; // a RangeError: there is no such zone
  }
}
