// Starts a program of this package in a thread of its own, built or from source.
import { createRequire } from 'node:module';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { threadProgram } from './program-file.ts';

/** Starts the thread of a program beside the module that starts it: `./parser-program` and `import.meta.url`. */
export function startThread(
  name: string,
  from: string,
  options: Pick<WorkerOptions, 'resourceLimits' | 'workerData'> = {},
): Worker {
  const { file, isSource } = threadProgram(name, from);
  if (!isSource) return new Worker(file, options);
  // In a thread, tsx must be registered by its ES module.
  const tsx = createRequire(from).resolve('tsx/esm/api').replace(/cjs$/, 'mjs');
  const source = `import(${JSON.stringify(tsx)}).then(({ register }) => (register(), import(${JSON.stringify(file.href)})));`;
  return new Worker(source, { ...options, eval: true });
}

/**
 * What a thread sends next; undefined if it ends instead, also at its memory limit. The process does not wait for the thread
 * afterwards. Rejects with what the thread throws.
 */
export function nextMessage<Message>(thread: Worker): Promise<Message | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => (): void => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      thread.unref();
      end();
    };
    const onMessage = (message: Message): void => settle(() => resolve(message))();
    const onError = (error: Error & { readonly code?: string }): void =>
      settle(() =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' || error instanceof RangeError
          ? resolve(undefined)
          : reject(error),
      )();
    const onExit = settle(() => resolve(undefined));
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.ref();
  });
}
