// The numbers of rows and bytes read, which some formats report: they count rows of other tenants, in the same granules, and the sizes
// of values that are redacted.
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';

const IN_TAIL = /^(?:JSON|JSONStrings|JSONCompact|JSONCompactStrings|JSONColumnsWithMetadata|XML)$/;
const IN_LINES = /WithProgress$/;
/** They follow all data. */
const TAIL = 1000;

/** Returns whether a result in the format reports what was read between its rows, not only at its end. */
export function reportsInLines({ engine }: Pick<EngineFormat, 'engine'>): boolean {
  return IN_LINES.test(engine);
}

/** A result of so many rows, or its end, that reports these as read, and no bytes. */
export function withoutRowsRead(
  { engine, settings }: EngineFormat,
  bytes: Uint8Array,
  rows: number,
): Uint8Array {
  // Without statistics, columns of these names would be the last.
  const hasStatistics = settings['output_format_write_statistics'] !== '0';
  if (IN_TAIL.test(engine)) return hasStatistics ? inTail(bytes, rows) : bytes;
  return reportsInLines({ engine }) ? inLines(bytes, rows) : bytes;
}

function inTail(bytes: Uint8Array, rows: number): Uint8Array {
  const from = Math.max(0, bytes.length - TAIL);
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset + from, bytes.length - from).toString('latin1');
  const changed = tail
    .replace(/("rows_read": ?|<rows_read>)\d+(?![^]*rows_read["<>]+:? ?\d)/, `$1${rows}`)
    .replace(/("bytes_read": ?|<bytes_read>)\d+(?![^]*bytes_read["<>]+:? ?\d)/, '$10');
  return changed === tail ? bytes : Buffer.concat([bytes.subarray(0, from), Buffer.from(changed, 'latin1')]);
}

const PROGRESS = Buffer.from('{"progress":');

/**
 * How many lines of progress there are, and where, depends on what is read and on time: one is kept, at the end. Values have no line feeds
 * in these formats.
 */
function inLines(bytes: Uint8Array, rows: number): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const kept: Buffer[] = [];
  let progress = '{"progress":{"read_rows":"0","read_bytes":"0","total_rows_to_read":"0"}}\n';
  for (let start = 0; start < buffer.length;) {
    const found = buffer.indexOf(0x0a, start);
    const end = found === -1 ? buffer.length : found + 1;
    const line = buffer.subarray(start, end);
    start = end;
    if (line.subarray(0, PROGRESS.length).equals(PROGRESS)) progress = line.toString();
    else kept.push(line);
  }
  const last = progress
    .replaceAll(/"(read_rows|total_rows_to_read|result_rows)":"\d+"/g, `"$1":"${rows}"`)
    .replaceAll(/"(read_bytes|result_bytes)":"\d+"/g, '"$1":"0"');
  return Buffer.concat([...kept, Buffer.from(last)]);
}
