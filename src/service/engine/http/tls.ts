// Reads the PEM files for TLS.
import { readFile } from 'node:fs/promises';
import { EngineError } from '../engine.ts';
import type { Tls } from './client.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly ca: string | undefined;
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

/** Rejects with EngineError if a file cannot be read. */
export async function readTls({ ca, certificate }: TlsFiles): Promise<Tls | undefined> {
  if (ca === undefined && certificate === undefined) return undefined;
  return {
    ...(ca === undefined ? {} : { ca: await read(ca) }),
    ...(certificate === undefined
      ? {}
      : { certificate: { cert: await read(certificate.cert), key: await read(certificate.key) } }),
  };
}

function read(path: string): Promise<Buffer> {
  return readFile(path).catch((cause: Error) => {
    throw new EngineError('unavailable', `cannot read a TLS certificate or key: ${cause.message}`, {
      cause,
    });
  });
}
