// Corrects the end of a result that the engine wrote: how many rows there are, and how many were read.
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';
import { reportsInLines } from './rows-read.ts';
import { joined } from '../transform/parts.ts';
import type { Pause } from '../transform/pause.ts';

/** What follows the data of a result has fewer bytes. */
const TAIL = 4096;

interface Written {
  readonly format: EngineFormat;
  readonly written: Uint8Array;
  readonly pause: Pause;
}

/** Returns the result with its end changed, or all of it if the format reports progress in between; it is copied in parts. */
export async function withTail(
  { format, written, pause }: Written,
  change: (end: Uint8Array) => Uint8Array,
): Promise<Uint8Array> {
  const from = reportsInLines(format) ? 0 : Math.max(0, written.length - TAIL);
  const end = written.subarray(from);
  const changed = change(end);
  if (changed === end) return written;
  return from === 0 ? changed : joined([written.subarray(0, from), changed], pause);
}
