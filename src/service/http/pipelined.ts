// Responses to pipelined requests, which wait for others on their connection: Node does not close them with it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** By connection; one listener for all of them. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>();

/** Closes a response with its connection, also if it has not been its turn yet: what it waits for is cancelled then. */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return; // the first one
  const others = waiting.get(socket);
  const all = others ?? new Set<ServerResponse>();
  all.add(response);
  response.once('close', () => all.delete(response));
  if (others !== undefined) return;
  waiting.set(socket, all);
  socket.once('close', () => {
    for (const each of all) {
      if (each.socket !== null) continue; // Node has closed it
      each.destroy();
      each.emit('close');
    }
  });
}
