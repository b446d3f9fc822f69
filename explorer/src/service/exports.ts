// Makes exports (docs/call/exports.md): all rows of a request as a file.
import { CallFailure, unreachable, type Problem } from './problem.ts';

export interface ExportProgress {
  readonly state: string;
  readonly rows: number;
  readonly bytes: number;
}

export interface ExportOptions {
  /** Cancels the export. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

interface ExportState extends ExportProgress {
  readonly id: string;
  readonly error: Omit<Problem, 'requestId'> | null;
}

/** How the requests of one export are sent. All reject with CallFailure. */
export interface ExportRequests {
  readonly create: () => Promise<Response>;
  /** Sends a request for the export, or for a path below it. */
  readonly send: (path: string, init?: { method?: string; signal?: AbortSignal }) => Promise<Response>;
}

const LOOK_MS = 500;

/** The file. It is removed from the service, whatever happens. Rejects with CallFailure, and with AbortError if cancelled. */
export async function makeExport(
  { create, send }: ExportRequests,
  { signal, onProgress }: ExportOptions,
): Promise<Blob> {
  // Without the signal: an export is cancelled by its id, which the response has.
  const { id } = await stateIn(await create());
  try {
    for (;;) {
      signal.throwIfAborted();
      const { error, ...progress } = await stateIn(await send(id, { signal }));
      onProgress(progress);
      if (progress.state === 'finished')
        return await (await send(`${id}/result`, { signal })).blob().catch(unreachable);
      if (error !== null) throw new CallFailure({ ...error, errors: error.errors ?? [], requestId: '' });
      await pause(signal);
    }
  } finally {
    await send(id, { method: 'DELETE' }).catch(() => undefined); // the service removes it after a while
  }
}

async function stateIn(response: Response): Promise<ExportState> {
  return (await response.json().catch(unreachable)) as ExportState; // the service's own document
}

/** Ends at once if the signal aborts. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_MS);
    signal.addEventListener('abort', end);
  });
}
