// `rows_before_limit_at_least` in formats that have it: of the caller's LIMIT, not of the one that caps every result.
import { isSignificant, tokenize } from '../sql/lexer.ts';

const COUNTED =
  /^(?:JSON|JSONStrings|JSONCompact|JSONCompactStrings|JSONColumnsWithMetadata|XML|JSON\w*WithProgress)$/;

/** Whether results in the format report how many rows there were before a LIMIT. */
export function reportsRowsBefore(engine: string): boolean {
  return COUNTED.test(engine);
}

/**
 * The number of rows that a query's own LIMIT, at its end, allows; `none` if it has no LIMIT, `unknown` if it has another: before
 * a set operation, with ties, BY, or not a number.
 */
export function limitOf(sql: string): number | 'none' | 'unknown' {
  const tokens = tokenize(sql).filter(isSignificant);
  let depth = 0;
  const outer = tokens.flatMap(({ kind, start, end }) => {
    if (kind === '(' || kind === '[' || kind === '{') depth++;
    if (kind === ')' || kind === ']' || kind === '}') depth--;
    return depth === 0 ? [sql.slice(start, end).toUpperCase()] : [];
  });
  const at = outer.lastIndexOf('LIMIT');
  if (outer.some((word) => SET_OPERATIONS.has(word))) return 'unknown';
  if (at === -1) return outer.some((word) => word === 'FETCH' || word === 'OFFSET') ? 'unknown' : 'none';
  const [, first = '', second = ''] = CLAUSE.exec(outer.slice(at).join(' ')) ?? [];
  const rows = Number(second === '' ? first : second);
  return first === '' || !Number.isSafeInteger(rows) ? 'unknown' : rows;
}

const SET_OPERATIONS: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
const CLAUSE = /^LIMIT (\d{1,15})(?: , (\d{1,15})| OFFSET \d{1,15})?$/;

/** The statement without the LIMIT that caps it at `rows`; itself if it does not end in that. */
export function withoutCap(sql: string, rows: number): string {
  const cap = ` LIMIT ${rows}`;
  return sql.endsWith(`\n)${cap}`) ? sql.slice(0, -cap.length) : sql;
}

/** It is at the end of the body, after all data; what is read of that is enough for the statistics after it. */
const TAIL = 1000;

const REPORTED = [
  /,\s*"rows_before_limit_at_least": ?\d+(?![^]*"rows_before_limit_at_least")/,
  /\{"rows_before_limit_at_least":"?\d+"?\}\n(?![^]*"rows_before_limit_at_least")/,
  /\t<rows_before_limit_at_least>\d+<\/rows_before_limit_at_least>\n(?![^]*<rows_before_limit_at_least>)/,
];

/** A result without the number. */
export function withoutRowsBefore(bytes: Uint8Array): Uint8Array {
  const from = Math.max(0, bytes.length - TAIL);
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from).toString('latin1');
  const found = REPORTED.map((pattern) => pattern.exec(tail)).find((match) => match !== null);
  if (found === undefined || found === null) return bytes;
  const end = from + found.index;
  return Buffer.concat([bytes.subarray(0, end), bytes.subarray(end + found[0].length)]);
}
