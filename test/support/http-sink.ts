// A server on the loopback interface that records the requests it gets, and answers as a test says.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SinkRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpSink {
  readonly url: string;
  readonly requests: SinkRequest[];
  /** The bodies as JSON. */
  readonly bodies: () => readonly Record<string, unknown>[];
  /** Responses of the next requests; after them, 204. `hang`: no response. */
  readonly answers: (
    | number
    | 'hang'
    | { readonly status: number; readonly headers: Record<string, string> }
  )[];
  close(): Promise<void>;
}

export async function openHttpSink(): Promise<HttpSink> {
  const requests: SinkRequest[] = [];
  const answers: HttpSink['answers'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])); // prettier-ignore
      requests.push({ path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() });
      const answer = answers.shift() ?? 204;
      if (answer === 'hang') return;
      if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, answer.headers).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    bodies: () => requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    answers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
