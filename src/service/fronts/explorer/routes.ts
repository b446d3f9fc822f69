// Serves the explorer: the page at `/` and its files, built by `npm run build` and read into memory once.
import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { packagePath } from '../../config/package-files.ts';
import { matchesTag } from '../../http/entity-tag.ts';

const FOLDER = packagePath('dist/explorer');
const PAGE = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * No inline code, no external resources, no frames; the page connects only to its own service
 * (https://www.w3.org/TR/CSP3/).
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface PageFile {
  /** Relative to the folder, with `/` as the separator. */
  readonly path: string;
  readonly body: Buffer;
  /** Weak: the same for every coding. */
  readonly etag: string;
}

type RejectOtherMethods = (app: FastifyInstance, url: string, allowed: readonly HTTPMethods[]) => void;

/** Adds `/` and the page's files; adds nothing if they are not built. `rejectOtherMethods` answers other methods. */
export function addExplorer(app: FastifyInstance, rejectOtherMethods: RejectOtherMethods): void {
  void app.register(async (scope) => {
    for (const file of await readFiles(FOLDER)) {
      const url = file.path === PAGE ? '/' : `/${file.path}`;
      scope.get(url, (request, reply) => send(request, reply, file));
      rejectOtherMethods(scope, url, ['GET']);
    }
  });
}

async function readFiles(folder: string): Promise<readonly PageFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && extname(entry.name) in TYPES);
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name);
      const body = await readFile(file);
      const etag = `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
      return { path: relative(folder, file).replaceAll(sep, '/'), body, etag };
    }),
  );
}

function send(request: FastifyRequest, reply: FastifyReply, { path, body, etag }: PageFile): FastifyReply {
  const isPage = path === PAGE;
  reply.headers({
    'Cache-Control': isPage ? 'no-cache' : 'public, max-age=31536000, immutable', // other file names contain a content hash
    ETag: etag,
    ...(isPage ? { 'Content-Security-Policy': POLICY } : {}),
  });
  reply.fixedTag = etag;
  if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.header('Content-Type', TYPES[extname(path)]).send(body);
}
