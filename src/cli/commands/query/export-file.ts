// `millrace query --export FILE`: the whole result of an endpoint as a file, made by a running service.
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { CommandError } from '../../kit/command-error.ts';
import { membersIn, type ServiceAddress } from '../../kit/service-client.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { fieldsOf, formOf, type QueryOptions } from './options.ts';
import { rejectionIn } from './problem-error.ts';

const FORMATS: Readonly<Record<string, string>> = {
  '.parquet': 'parquet',
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.arrow': 'arrow',
};

const LOOK_MS = 500;

export interface ExportFile {
  readonly file: string;
  /** Cancels the export. */
  readonly signal: AbortSignal;
}

/** The format that the name of a file means. Throws CommandError (exit 2). */
function exportFormat(file: string): string {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format !== undefined) return format;
  throw new CommandError(`--export "${file}": end the name in ${Object.keys(FORMATS).join(', ')}`, {
    exitCode: 2,
  });
}

/** Asks for an export, waits for it, and downloads it. Rejects with CommandError; the export is removed from the service. */
export async function exportFile(
  address: ServiceAddress,
  asked: Pick<QueryOptions, 'endpoint' | 'parameters' | 'sql' | 'lql'>,
  { file, signal }: ExportFile,
  terminal: Terminal,
): Promise<void> {
  const format = exportFormat(file);
  const form = formOf(new Map([...fieldsOf(asked), ['format', [format]]]));
  const url = `${address.url}/api/endpoints/query/${encodeURIComponent(asked.endpoint)}/exports`;
  const created = await send(address, url, { method: 'POST', body: form, signal });
  const path = String(membersIn(Buffer.from(await created.arrayBuffer()))['id']);
  const own = `${url}/${path}`;
  try {
    const { rows, bytes } = await finished(address, own, signal, terminal);
    const result = await send(address, `${own}/result`, { signal });
    const part = `${file}.part`;
    if (result.body === null) throw new CommandError(`${address.url} sent no file`);
    await pipeline(Readable.fromWeb(result.body), createWriteStream(part, { mode: 0o600 }), { signal }).catch(
      async (cause: unknown) => {
        await rm(part, { force: true });
        throw cause;
      },
    );
    await rename(part, file);
    terminal.clear();
    terminal.note(`${file}: ${rows} rows, ${bytes} bytes`);
  } finally {
    await send(address, own, { method: 'DELETE' }).catch(() => undefined); // it is removed after a while
  }
}

/** Waits for the end of an export, and shows how far it is. */
async function finished(
  address: ServiceAddress,
  url: string,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<{ readonly rows: number; readonly bytes: number }> {
  for (;;) {
    const body = Buffer.from(await (await send(address, url, { signal })).arrayBuffer());
    const { state, rows, bytes, error } = membersIn(body);
    if (state === 'finished') return { rows: Number(rows), bytes: Number(bytes) };
    if (state !== 'waiting' && state !== 'running') {
      terminal.clear();
      throw rejectionIn(
        { status: 422, headers: new Headers(), body: Buffer.from(JSON.stringify(error ?? {})) },
        address.url,
      );
    }
    terminal.progress(`${state}: ${Number(rows)} rows, ${Math.round(Number(bytes) / 2 ** 20)} MiB`);
    await setTimeout(LOOK_MS, undefined, { signal });
  }
}

/** A successful response. Rejects with CommandError. */
async function send(address: ServiceAddress, url: string, init: RequestInit): Promise<Response> {
  const headers = address.key === undefined ? {} : { 'X-API-KEY': address.key };
  const response = await fetch(url, { ...init, headers, redirect: 'error' }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(`No response from ${address.url}: ${reason}`, { cause });
  });
  if (response.ok) return response;
  const body = Buffer.from(await response.arrayBuffer());
  throw rejectionIn({ status: response.status, headers: response.headers, body }, address.url);
}
