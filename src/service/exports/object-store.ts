// An object store that speaks the protocol of Amazon S3: exports are uploaded from their files, in parts.
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { S3Settings } from '../config/export-settings.ts';
import { contentTypeOf } from '../formats/formats.ts';
import { Problem } from '../../sql/base/problem.ts';
import { EXTENSIONS, fileNameOf, type ExportRecord } from './record.ts';

/** Positions of bytes, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface ObjectStore {
  /** Uploads a file, or leaves nothing. Throws Problem `export.not_stored`, and the reason of the signal. */
  readonly upload: (record: ExportRecord, path: string, signal: AbortSignal) => Promise<void>;
  /** Throws Problem `export.not_stored`. */
  readonly read: (record: ExportRecord, range: ByteRange) => Promise<Readable>;
  readonly remove: (record: ExportRecord) => Promise<void>;
  readonly close: () => void;
}

/** Memory of an upload: this many parts of this many bytes. Of 10,000 parts at most, larger files have larger ones. */
const PARTS = 2;
const PART_BYTES = 8 * 2 ** 20;
const MOST_PARTS = 10_000;

/** Loads the library, which is large, only for a service with a bucket. */
export async function openObjectStore(settings: S3Settings): Promise<ObjectStore> {
  const [{ S3Client, GetObjectCommand, DeleteObjectCommand }, { Upload }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
  ]);
  const client = new S3Client(clientOptions(settings));
  const at = (record: ExportRecord): { readonly Bucket: string; readonly Key: string } => ({
    Bucket: settings.bucket,
    Key: objectName(settings.object, record),
  });
  return {
    upload: async (record, path, signal) => {
      const partSize = Math.max(PART_BYTES, Math.ceil(record.bytes / MOST_PARTS));
      const params = {
        ...at(record),
        Body: createReadStream(path),
        ContentType: contentTypeOf(record.format),
        ContentDisposition: `attachment; filename="${fileNameOf(record)}"`,
      };
      const upload = new Upload({ client, params, queueSize: PARTS, partSize });
      const abort = (): void => void upload.abort();
      signal.throwIfAborted();
      signal.addEventListener('abort', abort);
      try {
        await upload.done();
      } catch (cause) {
        signal.throwIfAborted();
        throw notStored(cause);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    read: async (record, { start, end }) => {
      const request = new GetObjectCommand({ ...at(record), Range: `bytes=${start}-${end}` });
      const { Body } = await client.send(request).catch((cause: unknown) => {
        throw notStored(cause);
      });
      if (!(Body instanceof Readable)) throw notStored(new Error('the object has no body'));
      return Body;
    },
    remove: async (record) => {
      await client.send(new DeleteObjectCommand(at(record)));
    },
    close: () => client.destroy(),
  };
}

function notStored(cause: unknown): Problem {
  return new Problem('export.not_stored', { cause });
}

/** Other stores than Amazon's have buckets as paths, and may not know its newer checksums. */
function clientOptions({ url, region, key, secret }: S3Settings): S3ClientConfig {
  const own = {
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
  return {
    region,
    ...(url === undefined ? {} : { endpoint: url, ...own }),
    ...(key === undefined || secret === undefined
      ? {}
      : { credentials: { accessKeyId: key, secretAccessKey: secret } }),
  };
}

/** The name of an object: the template, filled in. Values have no characters that mean something in it. */
function objectName(template: string, { id, endpoint, created, format }: ExportRecord): string {
  const values: Readonly<Record<string, string>> = {
    id,
    endpoint: endpoint.replaceAll(/[^\w.@-]/g, '_'),
    date: new Date(created).toISOString().slice(0, 10),
    format: EXTENSIONS[format],
  };
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
