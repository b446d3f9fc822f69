// Extracts positions and names from the engine's error messages.

/** A failure as the engine reports it; `engineCode` is ClickHouse's error code. */
export interface EngineMessage {
  readonly engineCode: number | undefined;
  readonly message: string;
}

/**
 * The offset (UTF-16 code units) in `sql` of “position N” in a message; the engine counts bytes from 1. Undefined if the
 * message contains no position.
 */
export function enginePosition(message: string, sql: string): number | undefined {
  const position = /\bposition (\d+)\b/.exec(message)?.[1];
  if (position === undefined) return undefined;
  return Buffer.from(sql)
    .subarray(0, Math.max(0, Number(position) - 1))
    .toString('utf8').length;
}

const QUOTED = [
  /`([^`]{1,200})`/g,
  /'([^']{1,200})'/g,
  /\bfunction ([A-Za-z_][A-Za-z0-9_]*)/gi,
  /\b(?:alias|Database|database) ([A-Za-z_][A-Za-z0-9_]*)/g,
  /\bCannot parse (?:uuid|IPv4|IPv6) ([^:\s]{1,200})/g,
];

/** The table of `table.*` or `table.COLUMNS(…)`, which the engine prints as in a query. */
const MATCHER = /^[^`']*\bQualified matcher ((?:(?:`[^`]{1,200}`|\w{1,200})\.){1,20})(?:\*|COLUMNS\()/;

/** Names and values quoted in a message, in order: `a`, 'b', function c, FUNCTION d(…), alias e. */
export function quotedNames(message: string): string[] {
  // Messages about the left side of IN name the function before the relevant name.
  const table = /is a table expression '([^']+)'/.exec(message)?.[1];
  if (table !== undefined) return [table];
  const matcher = MATCHER.exec(message)?.[1];
  if (matcher !== undefined) return [matcher.slice(0, -1).replaceAll('`', '')];
  const matches = QUOTED.flatMap((pattern) => Array.from(message.matchAll(pattern)));
  return matches.toSorted((a, b) => a.index - b.index).map(([, name]) => name ?? '');
}

/**
 * The query, or the name of the WITH element, that a message reports as its scope, as the engine prints it. The name of the error, which
 * clients cut off, may follow.
 */
export function scopeOf(message: string): string | undefined {
  return /\bin (?:scope|query) +((?:(?:SELECT|WITH) .*?)|(?:`[^`]+`|\w+))\.?(?: \([A-Z_]+\)|\s*$)/is.exec(
    message,
  )?.[1];
}
