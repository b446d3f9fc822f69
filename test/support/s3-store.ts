// An object store for tests: s3rver in this process, behind a server that fails requests as a test says.
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { S3Settings } from '../../src/service/config/export-settings.ts';

/** What becomes of a request; undefined: it is answered. */
type Fail = (request: IncomingMessage) => 'reset' | number | undefined;

export interface S3Store {
  readonly settings: S3Settings;
  /** Paths of the objects that are whole. */
  readonly objects: () => Promise<readonly string[]>;
  /** Uploads that have begun and not ended. */
  readonly uploads: () => Promise<number>;
  readonly failWith: (fail: Fail) => void;
  readonly close: () => Promise<void>;
}

const BUCKET = 'exports';

export async function startS3Store(): Promise<S3Store> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-s3-'));
  const store = new S3rver({ directory, silent: true, configureBuckets: [{ name: BUCKET }] });
  await store.configureBuckets();
  const answer = store.callback();
  let fail: Fail = () => undefined;
  /** s3rver has no AbortMultipartUpload. */
  const abort = async (upload: string, response: ServerResponse): Promise<void> => {
    const uploads = (await names()).filter((name) => name.endsWith(`/${upload}`));
    for (const name of uploads) await rm(join(directory, BUCKET, name), { recursive: true });
    response.writeHead(204).end();
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const failure = fail(request);
    const upload = request.method === 'DELETE' ? /uploadId=(\w+)/.exec(request.url ?? '')?.[1] : undefined;
    if (failure === undefined && upload !== undefined) return void abort(upload, response);
    if (failure === undefined) return void answer(request, response);
    if (failure === 'reset') return void request.socket.destroy();
    request.resume();
    request.once('end', () => response.writeHead(failure).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const names = async (): Promise<string[]> =>
    (await readdir(join(directory, BUCKET), { recursive: true })).map((name) => name.replaceAll('\\', '/'));
  return {
    settings: {
      bucket: BUCKET,
      url: `http://127.0.0.1:${address.port}`,
      region: 'us-east-1',
      object: '{endpoint}/{date}/{id}.{format}',
      key: 'S3RVER',
      secret: 'S3RVER',
    },
    objects: async () =>
      (await names()).flatMap((name) => /^(.*)\._S3rver_object$/.exec(name)?.[1] ?? []).toSorted(),
    uploads: async () => (await names()).filter((name) => /\._S3rver_uploads\/[^/]+$/.test(name)).length,
    failWith: (next) => {
      fail = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
