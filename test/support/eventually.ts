// Polling until something holds, for events that nothing announces.
import { setTimeout } from 'node:timers/promises';

/** How long a slow machine may take; a test that passes never waits for it. */
const CEILING_MS = 240_000;
const LEAST_MS = 25;

/** Resolves with the result of the first `attempt` that neither throws nor rejects; rejects as the last one did. */
export async function eventually<Value>(attempt: () => Value | Promise<Value>): Promise<Value> {
  const end = performance.now() + CEILING_MS;
  for (;;) {
    const started = performance.now();
    try {
      return await attempt();
    } catch (cause) {
      if (performance.now() >= end) throw cause;
    }
    // Attempts that take long leave half of the time to what they wait for.
    await setTimeout(Math.max(LEAST_MS, performance.now() - started));
  }
}
