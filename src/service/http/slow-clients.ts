// Slow clients: bounds how many response bytes wait to be sent, and for how long.
import type { ServerResponse } from 'node:http';
import type { After } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';

export interface SlowClientsOptions {
  /** Seconds within which the client must read the response. */
  readonly seconds: number;
  /** Total bytes of unsent responses; above it, the one waiting longest is cut off. */
  readonly bytes: number;
  readonly after: After;
  readonly observe: Observe;
}

export interface SlowClients {
  /** Watches a response that is written completely, if the network has not accepted all of it yet. */
  watch(response: ServerResponse, body: Uint8Array): void;
  readonly size: () => { readonly answers: number; readonly bytes: number };
}

interface Waiting {
  cut(reason: 'slow' | 'full'): void;
}

/** A body shared by several waiting clients counts once: cached responses are shared. */
export function createSlowClients({
  seconds,
  bytes: limit,
  after,
  observe,
}: SlowClientsOptions): SlowClients {
  const waiting = new Set<Waiting>(); // oldest first
  const holders = new Map<Uint8Array, number>();
  let bytes = 0;

  const hold = (body: Uint8Array): void => {
    const count = holders.get(body) ?? 0;
    holders.set(body, count + 1);
    if (count === 0) bytes += body.byteLength;
  };
  const release = (body: Uint8Array): void => {
    const count = holders.get(body) ?? 0;
    if (count > 1) return void holders.set(body, count - 1);
    holders.delete(body);
    bytes -= body.byteLength;
  };

  return {
    watch: (response, body) => {
      const { socket } = response;
      if (socket === null || socket.destroyed || socket.writableLength === 0) return;
      const leave = (): void => {
        if (!waiting.delete(entry)) return;
        cancel();
        release(body);
      };
      const entry: Waiting = {
        cut: (reason) => {
          leave();
          observe({ kind: 'response.cut_off', reason, bytes: body.byteLength });
          socket.destroy();
        },
      };
      const cancel = after(seconds * 1000, () => entry.cut('slow'));
      waiting.add(entry);
      hold(body);
      response.once('close', leave);
      for (const each of waiting) {
        if (bytes <= limit) return;
        each.cut('full');
      }
    },
    size: () => ({ answers: waiting.size, bytes }),
  };
}
