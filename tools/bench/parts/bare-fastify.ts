// The reference for responses: Fastify sending one prepared Buffer of the given size. Prints its port.
import fastify from 'fastify';

const bytes = Number(process.argv[2] ?? 30_000);
const row = `${JSON.stringify({ id: 'x'.repeat(36), timestamp: '2024-01-01T00:00:00Z', event_message: 'y'.repeat(200) })},`;
const rows = row.repeat(Math.max(1, Math.round(bytes / row.length))).slice(0, -1);
const body = Buffer.from(`{"result":[${rows}]}`);
const app = fastify();
app.get('/*', (_request, reply) =>
  reply.header('Content-Type', 'application/json; charset=utf-8').send(body),
);
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${address}\n`);
