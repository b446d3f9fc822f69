// `rows_before_limit_at_least` in formats that have it. The engine's number depends on how many rows it has read when a LIMIT stops it,
// and so on how the rows are stored among those of other tenants: the rows of the result are in its place.
import type { Node, NodeKind } from '../../../sql/clickhouse/tree/nodes.ts';
import { parseSavedText } from '../../../sql/clickhouse/tree/parse.ts';

const COUNTED =
  /^(?:JSON|JSONStrings|JSONCompact|JSONCompactStrings|JSONColumnsWithMetadata|XML|JSON\w*WithProgress)$/;

/** Returns whether results in the format report how many rows there were before a LIMIT. */
export function reportsRowsBefore(engine: string): boolean {
  return COUNTED.test(engine);
}

/** Returns whether a query limits its rows at its end, or a part of a set operation may. */
export function hasLimit(sql: string): boolean {
  const { root, fault } = parseSavedText(sql);
  return fault !== undefined || root.kind === 'union' || root.parts.some(limits);
}

const LIMITS: ReadonlySet<NodeKind> = new Set<NodeKind>(['top', 'limit', 'offset', 'fetch']);

/** DISTINCT ON is a LIMIT BY. */
function limits({ kind, parts }: Node): boolean {
  return LIMITS.has(kind) || (kind === 'distinct' && parts.length > 0);
}

/** It is at the end of the body, after all data; what is read of that is enough for the statistics after it. */
const TAIL = 1000;

const REPORTED = [
  /(,\s*"rows_before_limit_at_least": ?)\d+()(?![^]*"rows_before_limit_at_least")/,
  /(\{"rows_before_limit_at_least":"?)\d+("?\}\n)(?![^]*"rows_before_limit_at_least")/,
  /(\t<rows_before_limit_at_least>)\d+(<\/rows_before_limit_at_least>\n)(?![^]*<rows_before_limit_at_least>)/,
];

/** A result with this number in place of the engine's, or without one. */
export function withRowsBefore(bytes: Uint8Array, rows: number | undefined): Uint8Array {
  const from = Math.max(0, bytes.length - TAIL);
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from).toString('latin1');
  const found = REPORTED.map((pattern) => pattern.exec(tail)).find((match) => match !== null);
  if (found === undefined || found === null) return bytes;
  const [all, before = '', after = ''] = found;
  const start = from + found.index;
  const instead = rows === undefined ? '' : `${before}${rows}${after}`;
  return Buffer.concat([
    bytes.subarray(0, start),
    Buffer.from(instead, 'latin1'),
    bytes.subarray(start + all.length),
  ]);
}
