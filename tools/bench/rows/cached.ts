// Cached responses: the service compared with servers that only send bytes.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load, MANY, type Context, type RowSource, type Target } from '../context.ts';
import { atLeast, type Contender } from '../figures.ts';
import { HIT, cachedResponse } from './cached-response.ts';

export const cached: RowSource = {
  name: 'cached response, 30 KB',
  prepare: async (context) => {
    const endpoints = await cachedResponse(context);
    const bare = await startSender(context, 'bare-fastify.ts');
    const plain = await startSender(context, 'plain-http.ts');
    const nginx = await startNginx(context, plain);
    const memory = await context.serve({ endpoints, data: await context.folder('memory') });
    const redis = await serveOverRedis(context, endpoints);
    const measured = (name: string, { url, headers }: Omit<Target, 'process'>): Contender => ({
      name,
      measure: () => load({ url, headers }, MANY, context.seconds),
    });
    const hit = ({ url, ...target }: Target) => ({ ...target, url: `${url}${HIT}` });
    // A cache directive excludes a request from the fast path; this one does not change the response.
    const ordinary = { ...hit(memory), headers: { ...memory.headers, 'Cache-Control': 'max-age=86400' } };
    const compressed = { ...hit(memory), headers: { ...memory.headers, 'Accept-Encoding': 'br' } };
    return {
      contenders: [
        measured('bare Fastify, prepared Buffer', { url: bare, headers: {} }),
        measured('node:http, prepared Buffer', { url: plain, headers: {} }),
        ...(nginx === undefined ? [] : [measured('nginx proxy_cache', { url: nginx, headers: {} })]),
        { ...measured('service, hit in memory', hit(memory)), bar: atLeast(0.7) },
        measured('service, hit in memory, without the fast path', ordinary),
        measured('service, hit in memory, compressed', compressed),
        ...(redis === undefined
          ? []
          : [{ ...measured('service, hit in Redis', hit(redis)), bar: atLeast(0.4) }]),
      ],
    };
  },
};

async function startSender(context: Context, script: string): Promise<string> {
  const [address = ''] = await context.start(script, []).says(/^http\S+/);
  return address;
}

/** Undefined if nginx is not installed. */
async function startNginx(context: Context, upstream: string): Promise<string | undefined> {
  if (spawnSync('nginx', ['-v']).status !== 0) return undefined;
  const folder = await context.folder('nginx');
  const port = freePort(1);
  const user = process.getuid?.() === 0 ? 'user root;' : ''; // workers of a root nginx could not read the folder
  const config = `daemon off; ${user} worker_processes 1; pid ${folder}/pid; error_log ${folder}/error;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000;
  proxy_cache_path ${folder}/cache keys_zone=answers:10m; proxy_temp_path ${folder}/proxy; client_body_temp_path ${folder}/body;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; proxy_cache answers; proxy_cache_valid 200 1h; } }
}
`;
  await writeFile(join(folder, 'nginx.conf'), config);
  context.start('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error')]);
  return `http://127.0.0.1:${port}/`;
}

/** Opens a service with almost no memory cache of its own, so that it reads from Redis; undefined if Redis is not installed. */
async function serveOverRedis(context: Context, endpoints: string): Promise<Target | undefined> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return undefined;
  const port = freePort(0);
  context.start('redis-server', [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ]);
  const env = { REDIS_URL: `redis://127.0.0.1:${port}`, MILLRACE_CACHE_MEMORY: '1KiB' };
  return context.serve({ endpoints, data: await context.folder('redis'), env });
}

/** Probably unused: derived from the process id. */
function freePort(index: number): number {
  return 20_000 + ((process.pid * 2 + index) % 20_000);
}
