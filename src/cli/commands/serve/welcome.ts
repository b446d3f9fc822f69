// Prints what development mode shows when the service has started.
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import { hashKeyNote } from '../../kit/hash-key.ts';
import type { Terminal } from '../../kit/terminal.ts';
import type { RunningService } from '../../kit/dependencies.ts';
import type { ServeOptions } from './requirements.ts';

const SAMPLES =
  'These are sample endpoints, since there is no endpoints folder here. To create your own, run: millrace init, then restart.';

export function welcome(
  service: RunningService,
  { key, hasSamples, settings }: Pick<ServeOptions, 'hasSamples' | 'settings'> & { readonly key: string },
  { print, paint }: Terminal,
): void {
  print('');
  print(
    `Millrace is listening on ${paint('bold', service.address)} with a temporary key for this run: ${paint('bold', key)}`,
  );
  print(`Explorer: ${paint('bold', `${service.address}/#key=${key}`)}`);
  const clickhouse =
    service.clickhouse ?? (settings.clickhouseInterface ? `${service.address}/clickhouse` : '');
  if (clickhouse !== '')
    print(`ClickHouse clients: ${paint('bold', clickhouse)}, with the key as the password`);
  const tinybird = service.tinybird ?? (settings.tinybird.isServed ? `${service.address}/tinybird` : '');
  if (tinybird !== '') print(`Clients of Tinybird: ${paint('bold', tinybird)}, with the key as the token`);
  if (settings.mcp)
    print(`Agents (MCP): ${paint('bold', `${service.address}/mcp`)}, with the key in X-API-KEY`);
  print('');
  const { endpoints } = service.catalog.current();
  for (const endpoint of endpoints.slice(0, MAX_CALLS)) {
    print(paint('dim', `# ${(endpoint.description || endpoint.name).trim().replaceAll('\n', ' ')}`));
    print(`curl -H ${shellQuote(`X-API-KEY: ${key}`)} ${shellQuote(exampleUrl(service.address, endpoint))}`);
    print('');
  }
  if (endpoints.length > MAX_CALLS) {
    print(`… and ${endpoints.length - MAX_CALLS} more endpoints, with calls of each, in the explorer`);
    print('');
  }
  print(
    hasSamples
      ? SAMPLES
      : 'Edit a file in the endpoints folder and call again: changes take effect immediately.',
  );
  const note = hashKeyNote(settings, service.catalog.current());
  if (note !== undefined) print(note);
  print('Press Ctrl+C to stop.');
  print('');
}

/** Calls that are printed at the start. */
const MAX_CALLS = 10;

/** The URL of an endpoint's first example or, if none can be called, of plausible values for what is required. */
function exampleUrl(address: string, { name, examples, parameters, samples }: Endpoint): string {
  const [example] = examples;
  const [sample = {}] = samples();
  const required = Object.entries(sample).filter(([key]) => parameters[key]?.required === true);
  const values: Readonly<Record<string, unknown>> = example?.parameters ?? Object.fromEntries(required);
  const pairs = Object.entries(values).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const query = new URLSearchParams(pairs).toString();
  return `${address}/api/endpoints/query/${name}${query === '' ? '' : `?${query}`}`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
