// The rows of a statement that runs in spare capacity.
import { EngineError, isAway, type Engine, type Statement } from '../../engine/engine.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';

export interface SpareRun {
  readonly signal: AbortSignal;
  readonly lane: string;
  /** It identifies the statement in a server's logs. */
  readonly comment: Readonly<Record<string, string | number | undefined>>;
}

/** Larger results are not compared. */
const MAX_BYTES = 4 * 2 ** 20;

/** Rows in JSONEachRow; undefined if there are too many. Rejects with EngineError. */
export async function spareRows(
  engine: Engine,
  statement: Statement,
  { signal, lane, comment }: SpareRun,
): Promise<Uint8Array | undefined> {
  const { chunks } = await engine.run(statement, {
    format: formatOf(statement),
    signal,
    isPatient: true,
    lane,
    comment: JSON.stringify(comment),
  });
  return readUpTo(chunks, MAX_BYTES);
}

/** Returns whether a failure says nothing of the statement: it was ended, or the engine is unavailable. */
export function isDropped(error: unknown): boolean {
  return error instanceof EngineError && (isAway(error) || error.failure === 'aborted');
}

/** Rows as in responses, except that numbers that are not finite differ from NULL. */
function formatOf({ int64 }: Pick<Statement, 'int64'>): EngineFormat {
  const quoted = int64 === 'string' ? '1' : '0';
  return {
    engine: 'JSONEachRow',
    settings: {
      output_format_json_escape_forward_slashes: '0',
      output_format_json_quote_64bit_integers: quoted,
      output_format_json_quote_decimals: quoted,
      output_format_json_quote_denormals: '1',
      output_format_json_validate_utf8: '1',
      max_threads: '1', // leaves the other cores to calls
    },
  };
}

/** All bytes; undefined if there are more than `max`. */
async function readUpTo(chunks: AsyncIterable<Uint8Array>, max: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > max) return undefined;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
