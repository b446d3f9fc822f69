// Loads a file through the service that has the data folder open: sends it to the admin listener.
import { request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { ADMIN_FILE, type AdminAddress } from '../../../service/loading/admin-file.ts';
import type { LoadRequest } from '../../../service/loading/load.ts';
import type { LoadEvent } from '../../../service/loading/load-event.ts';
import { join } from 'node:path';
import { CommandError } from '../../kit/command-error.ts';

/** How to reach the service that has the data folder. Rejects with CommandError if the process is none. */
export async function adminOf(dataFolder: string, owner: number): Promise<AdminAddress> {
  const text = await readFile(join(dataFolder, ADMIN_FILE), 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as AdminAddress; // written by the service
  throw new CommandError(
    `The data folder ${dataFolder} is in use by process ${owner}, which is not a service that loads rows; wait until it ends, or stop it`,
  );
}

/** Yields the events of the service. Rejects with CommandError if it cannot be reached or does not accept the request. */
export async function* loadThroughService(
  { address, key }: AdminAddress,
  { bytes, table, name, format, keepsGoodRows, again }: LoadRequest,
): AsyncGenerator<LoadEvent> {
  const query = { table, name, format, rejects: String(keepsGoodRows), again: String(again) };
  const url = new URL(`/load?${new URLSearchParams(query).toString()}`, address);
  const call = request(url, { method: 'POST', headers: { Authorization: `Bearer ${key}` } });
  const body = Readable.from(bytes);
  let failure: unknown;
  body.on('error', (cause) => {
    failure = cause; // of the file; the service undoes what it has when the connection ends
    call.destroy();
  });
  try {
    const answered = new Promise<Readable & { readonly statusCode?: number | undefined }>(
      (resolve, reject) => {
        call.once('response', resolve).on('error', reject);
      },
    );
    body.pipe(call);
    const response = await answered;
    if (response.statusCode !== 200) throw await rejected(response);
    for await (const line of linesOf(response)) {
      const event = JSON.parse(line) as LoadEvent; // a line of the service
      yield event;
      if (ENDS.has(event.kind)) return;
    }
    throw new Error('the response ended before the load did');
  } catch (cause) {
    if (failure !== undefined) throw failure;
    if (cause instanceof CommandError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(
      `The service at ${address} does not answer: ${reason}. The next millrace load says whether the file is in`,
      { cause },
    );
  } finally {
    body.destroy();
    call.destroy();
  }
}

const ENDS: ReadonlySet<LoadEvent['kind']> = new Set(['loaded', 'already_loaded', 'failed']);

async function* linesOf(response: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const MAX_PROBLEM = 100_000;

async function rejected(
  response: Readable & { readonly statusCode?: number | undefined },
): Promise<CommandError> {
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > MAX_PROBLEM) break;
  }
  return new CommandError(`The service answered ${response.statusCode}: ${detailOf(text)}`);
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === 'string' ? detail : 'no detail';
  } catch {
    return 'no problem document';
  }
}
