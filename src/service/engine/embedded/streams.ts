// Results that are read while their statements run, through a named pipe each.
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError, type Result } from '../engine.ts';
import { openNamedPipe, type NamedPipe } from './named-pipe.ts';
import { workInto, type Work } from './work.ts';

/** Runs a statement to its end, and returns the number of its rows. */
type Perform = (work: Work) => Promise<{ readonly rows: number }>;

export interface Streams {
  /** Starts a statement. Rejects with EngineError; failures of the statement reject the reading of its chunks. */
  readonly open: (work: Work, perform: Perform) => Promise<Result>;
  /** Ends all that are being read. */
  readonly endAll: () => void;
}

/** The folder of pipes is emptied: those of a process that was killed have no reader. `path` is the data folder. */
export async function openStreams(path: string): Promise<Streams> {
  const folder = join(path, 'streams');
  await rm(folder, { recursive: true, force: true });
  const running = new Set<AbortController>();
  return {
    open: async (work, perform) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const pipe = await openNamedPipe(join(folder, `${randomBytes(12).toString('hex')}.pipe`));
      return stream(work, perform, { pipe, running });
    },
    endAll: () => {
      for (const each of running)
        each.abort(new EngineError('unavailable', 'the data is opened again under other rules'));
    },
  };
}

interface Streaming {
  readonly pipe: NamedPipe;
  readonly running: Set<AbortController>;
}

function stream(work: Work, perform: Perform, { pipe, running }: Streaming): Result {
  const control = new AbortController();
  const signal = work.signal === undefined ? control.signal : AbortSignal.any([work.signal, control.signal]);
  let rows: number | undefined;
  running.add(control);
  const performed = perform({ ...workInto(work, pipe.path), signal }).then(
    async (result) => {
      rows = result.rows;
      await pipe.end();
    },
    async (cause: Error) => {
      await pipe.fail(cause);
      throw cause;
    },
  );
  performed.catch(ignore); // reading has it
  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* pipe.chunks;
      await performed;
    } finally {
      running.delete(control);
      control.abort(new EngineError('aborted', 'its reader has left')); // without effect if it has ended
      await pipe.fail();
    }
  };
  return { chunks: read(), queueMs: 0, streamedRows: () => rows };
}

function ignore(): void {}
