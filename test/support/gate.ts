// A gate that queries wait at until the test opens it: a table that the engine reads over HTTP from this process. What has
// to happen while a query runs then does, however slow the machine is.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { DEFAULT_CONFINEMENT } from '../../src/service/engine/embedded/confinement/confinement.ts';
import { eventually } from './eventually.ts';

/** The confinement of an engine whose statements wait at gates. */
export const REACHING_GATES = {
  confinement: { ...DEFAULT_CONFINEMENT, network: true },
  sources: ['URL'],
};

export interface Gate {
  /** A table function of one row, with a column `passed`; reading it waits. */
  readonly table: string;
  /** Queries that have arrived since the start, those that have passed included. */
  readonly arrived: () => number;
  /** Resolves when so many have arrived. */
  readonly reached: (count: number) => Promise<void>;
  /** Lets pass those who wait and those who come later. */
  open(): void;
  /** Makes those who come later wait again. */
  shut(): void;
  /** Opens it for good, and frees its port. */
  close(): Promise<void>;
}

/** A gate that is shut. */
export async function startGate(): Promise<Gate> {
  const waiting = new Set<ServerResponse>();
  let isOpen = false;
  let count = 0;
  const pass = (response: ServerResponse): void => void response.end('1\n');
  const server = createServer((request, response) => {
    if (request.method !== 'GET') return void response.end(); // the engine first asks for the length
    count++;
    if (isOpen) return pass(response);
    waiting.add(response);
    response.once('close', () => waiting.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const open = (): void => {
    isOpen = true;
    for (const response of waiting) pass(response);
  };
  return {
    table: `url('http://127.0.0.1:${address.port}/', 'TSV', 'passed UInt8')`,
    arrived: () => count,
    reached: (least) => eventually(() => expect(count).toBeGreaterThanOrEqual(least)),
    open,
    shut: () => {
      isOpen = false;
    },
    close: async () => {
      open();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
