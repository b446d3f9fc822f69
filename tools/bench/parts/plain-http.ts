// The lower bound for Node: node:http sending one prepared Buffer. Prints its address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const body = Buffer.alloc(30_000, 'y');
const fields = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': String(body.length) };
const server = createServer((_request, response) => response.writeHead(200, fields).end(body));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on a port
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
