// Asks whether the service is alive, over and over, from a thread of its own: what the scenario itself does is not in the times.
import { once } from 'node:events';
import { startThread } from '../../src/service/threads/thread.ts';
import type { Context } from './scenario.ts';

export interface ProbeReport {
  /** The longest time until a response, in milliseconds. */
  readonly slowestMs: number;
  /** The longest time that the event loop worked until a response: it does not depend on what else the machine does. */
  readonly busiestMs: number;
  readonly asked: number;
  /** These had no response, or another one than 200. */
  readonly failed: number;
}

export interface ProbeOptions {
  readonly url: string;
  /** Of the service. */
  readonly pid: number;
  readonly everyMs: number;
}

/** Starts to ask; the returned function ends it. */
export async function startProbe(
  context: Pick<Context, 'defer'>,
  options: ProbeOptions,
): Promise<() => Promise<ProbeReport>> {
  const thread = startThread('./probe-program', import.meta.url, { workerData: options });
  context.defer(() => thread.terminate());
  await once(thread, 'online');
  return async () => {
    const reported = once(thread, 'message');
    thread.postMessage('end', []);
    const [report] = (await reported) as [ProbeReport]; // what the program sends last
    return report;
  };
}
