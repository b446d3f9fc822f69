// Asks the admin listener of a running service, for commands of operators.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../service/config/settings.ts';
import { ADMIN_FILE, type AdminAddress } from '../../service/loading/admin-file.ts';
import { CommandError } from './command-error.ts';
import { problemIn, serviceAddress } from './service-client.ts';

const TIMEOUT_MS = 60_000;

/** The base URL of the listener: as given, of the service that has the data folder, or by the settings. */
export async function adminUrl(
  given: string | undefined,
  { data, clickhouse, adminHost, adminPort }: Settings,
): Promise<string> {
  if (given !== undefined) return serviceAddress(given, undefined).url;
  const text =
    clickhouse === undefined ? await readFile(join(data, ADMIN_FILE), 'utf8').catch(noFile) : undefined;
  if (text !== undefined) return (JSON.parse(text) as AdminAddress).address; // written by the service
  const host = adminHost.includes(':') ? `[${adminHost}]` : adminHost;
  return `http://${host}:${adminPort}`;
}

function noFile(): undefined {
  return undefined;
}

/** Resolves to the JSON of a response. Rejects with CommandError for another status than 200. */
export async function askAdmin(
  base: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<unknown> {
  const url = `${base}${path}?${new URLSearchParams(query).toString()}`;
  return readJson(base, () => fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }));
}

const REMEDY = 'Start the service, or give another address: --help has the options';

/** Reads a response of a service as JSON. Throws CommandError. */
export async function readJson(base: string, send: () => Promise<Response>): Promise<unknown> {
  const { status, body } = await send()
    .then(async (response) => ({ status: response.status, body: Buffer.from(await response.arrayBuffer()) }))
    .catch((cause: unknown) => {
      const reason =
        cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
      throw new CommandError(`No service answers at ${base}: ${reason}`, { cause, details: [REMEDY] });
    });
  if (status === 200) return JSON.parse(body.toString());
  const { message = `status ${status}`, hint, code } = problemIn(body) ?? {};
  const details = [...(code === undefined ? [] : [code]), ...(hint === undefined ? [] : [hint])];
  throw new CommandError(message, { details });
}
