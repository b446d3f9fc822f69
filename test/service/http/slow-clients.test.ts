// Responses waiting for slow clients: shared bodies are counted once, and above the limit the oldest are cut off.
import { createServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Observation } from '../../../src/sql/base/observation.ts';
import { createSlowClients, type SlowClients } from '../../../src/service/http/slow-clients.ts';

const MB = 2 ** 20;
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

interface Bench {
  readonly outbox: SlowClients;
  readonly observed: Observation[];
  /** A caller who takes nothing of a body. */
  readonly stall: (body: Buffer) => Promise<{ readonly response: ServerResponse; readonly socket: Socket }>;
}

async function bench(bytes: number): Promise<Bench> {
  const observed: Observation[] = [];
  const observe = (each: Observation): void => void observed.push(each);
  const after = (): (() => void) => () => undefined; // no time passes
  const outbox = createSlowClients({ seconds: 1, bytes, after, observe });
  const waiting: ((response: ServerResponse) => void)[] = [];
  const server = createServer((_request, response) => waiting.shift()?.(response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    outbox,
    observed,
    stall: async (body) => {
      const asked = new Promise<ServerResponse>((resolve) => waiting.push(resolve));
      const socket = connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .pause();
      closing.push(() => socket.destroy());
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const response = await asked;
      response.end(body);
      outbox.watch(response, body);
      return { response, socket };
    },
  };
}

test('a shared body is counted once, however many clients wait for it', async () => {
  const { outbox, stall } = await bench(1000 * MB);
  const body = Buffer.alloc(20 * MB);
  const callers = [await stall(body), await stall(body), await stall(Buffer.alloc(21 * MB))];
  expect(outbox.size()).toEqual({ answers: 3, bytes: 41 * MB });
  for (const { response } of callers) {
    response.socket?.destroy();
    await new Promise((closed) => response.once('close', closed));
  }
  expect(outbox.size()).toEqual({ answers: 0, bytes: 0 });
});

test('above the limit the oldest are cut off until the rest fits', async () => {
  const { outbox, observed, stall } = await bench(50 * MB);
  const sizes = [20, 21, 22].map((each) => each * MB);
  for (const size of sizes) await stall(Buffer.alloc(size));
  expect(observed).toEqual([{ kind: 'response.cut_off', reason: 'full', bytes: 20 * MB }]);
  expect(outbox.size()).toEqual({ answers: 2, bytes: 43 * MB });
});

test('a response already handed to the network is not tracked', async () => {
  const { outbox, stall } = await bench(1);
  await stall(Buffer.from('short'));
  expect(outbox.size()).toEqual({ answers: 0, bytes: 0 });
});
