// Runs work that no caller waits for in spare capacity of the engine: one piece after the other, if the engine is idle enough. Work ends
// early if callers need the engine.
import type { After } from '../../../sql/base/clock.ts';
import { EngineError, isAway, type Engine, type Statement } from '../../engine/engine.ts';
import type { EngineFormat } from '../../formats/clickhouse-formats.ts';

export interface SpareDeps {
  readonly engine: Pick<Engine, 'load' | 'run'>;
  /** The engine runs this many statements at once. */
  readonly connections: number;
  readonly after: After;
}

export interface SpareWork {
  /** It never rejects. The signal is aborted if callers need the engine. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** It is called instead if other work is running, or the engine is busy for too long. */
  readonly drop: () => void;
}

export interface Spare {
  /** It returns at once and never throws. */
  readonly offer: (work: SpareWork) => void;
  /** It resolves to rows in JSONEachRow, or to undefined if there are too many. It rejects with EngineError. */
  readonly rows: (statement: Statement, run: SpareRun) => Promise<Uint8Array | undefined>;
}

/** Work waits for this long after the response, so that sending it comes first, and then as long again until the engine is idle enough. */
const WAIT_MS = 50;
const MAX_WAITS = 40;
/** The engine is idle enough if at most this share of its connections is in use; work ends early if more than half are. */
const IDLE_SHARE = 1 / 4;
const BUSY_SHARE = 1 / 2;

/** Work that is offered while other work waits or runs is dropped. */
export function createSpare(deps: SpareDeps): Spare {
  let isTaken = false;
  const begin = (work: SpareWork, waits: number): void => {
    deps.after(WAIT_MS, () => {
      if (!isIdle(deps)) {
        if (waits < MAX_WAITS) return begin(work, waits + 1);
        isTaken = false;
        return work.drop();
      }
      const end = new AbortController();
      const stopWatching = watchLoad(deps, () =>
        end.abort(new EngineError('aborted', 'the service is busy')),
      );
      void work.run(end.signal).finally(() => {
        stopWatching();
        isTaken = false;
      });
    });
  };
  return {
    offer: (work) => {
      if (isTaken) return work.drop();
      isTaken = true;
      begin(work, 0);
    },
    rows: (statement, run) => readRowsOf(deps.engine, statement, run),
  };
}

function isIdle({ engine, connections }: SpareDeps): boolean {
  const { running, waiting } = engine.load();
  return waiting === 0 && running <= (connections - 1) * IDLE_SHARE;
}

const WATCH_MS = 20;

/** Calls `onBusy` once if callers need the engine. */
function watchLoad({ engine, connections, after }: SpareDeps, onBusy: () => void): () => void {
  let cancel: (() => void) | undefined;
  const look = (): void => {
    const { running, waiting } = engine.load();
    if (waiting > 0 || running > Math.max(1, connections * BUSY_SHARE)) return onBusy();
    cancel = after(WATCH_MS, look);
  };
  look();
  return () => cancel?.();
}

export interface SpareRun {
  readonly signal: AbortSignal;
  readonly lane: string;
  /** It identifies the statement in a server's logs. */
  readonly comment: Readonly<Record<string, string | number | undefined>>;
}

/** Larger results are not compared. */
const MAX_BYTES = 4 * 2 ** 20;

async function readRowsOf(
  engine: Pick<Engine, 'run'>,
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

/** Returns the format of responses, except that numbers that are not finite differ from NULL. */
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

/** Resolves to all bytes, or to undefined if there are more than `max`. */
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
