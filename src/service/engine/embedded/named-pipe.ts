// A named pipe that the engine process writes a result to, and this process reads. The library of the engine gives results only whole,
// but writes to a file as it goes; a pipe is a file that holds up its writer until the reader has taken what was written.
import { execFile } from 'node:child_process';
import { close, constants, open } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { EngineError } from '../engine.ts';

const [run, openFile, closeFile] = [promisify(execFile), promisify(open), promisify(close)];
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

export interface NamedPipe {
  readonly path: string;
  /** What was written; ends when the writer has ended and `end` was called. To be read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The writer has ended: what is still in the pipe is read. */
  readonly end: () => Promise<void>;
  /** Nothing more is read: a writer that waits for the reader fails. `cause` is what reading rejects with. */
  readonly fail: (cause?: Error) => Promise<void>;
}

/** Creates a pipe that only this user may open. Rejects with EngineError. */
export async function openNamedPipe(path: string): Promise<NamedPipe> {
  await run('mkfifo', ['-m', '600', path]).catch((cause: unknown) => {
    throw new EngineError('unavailable', 'the system cannot create a named pipe (mkfifo)', { cause });
  });
  // Opened for reading first: a pipe without a reader cannot be opened for writing without waiting.
  const source = await openFile(path, O_RDONLY | O_NONBLOCK);
  const keeper = await openFile(path, O_WRONLY | O_NONBLOCK); // as long as it is open, the reader sees no end
  const reader = new Socket({ fd: source, readable: true, writable: false });
  reader.on('error', ignore); // the iteration has it, if there is one
  const closed = new Promise<void>((resolve) => reader.once('close', resolve));
  let isKept = true;
  const release = async (): Promise<void> => {
    if (!isKept) return;
    isKept = false;
    await closeFile(keeper);
  };
  return {
    path,
    chunks: reader,
    end: release,
    fail: async (cause) => {
      reader.destroy(cause);
      await Promise.all([closed, release()]);
      await rm(path, { force: true });
    },
  };
}

function ignore(): void {}
