// A service over both versions of the data, and what a caller sees of a call to each.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashKey } from '../../../../src/service/auth/keyring.ts';
import { answered } from '../../../support/answered.ts';
import { KEY, startService, type TestService, type TestServiceOptions } from '../../../support/service.ts';
import { endpointFiles, seedsOf, VERSIONS } from './people.ts';
import { imagesOf, KINDS, secretOf, type Version } from './secrets.ts';

/** Who demands redaction: the endpoint's file, the key, or a header; or nobody. */
export type Demand = 'file' | 'key' | 'header' | 'nobody';
export const DEMANDS: readonly Demand[] = ['file', 'key', 'header'];

/** What can be seen of a call: nothing of it may depend on what was redacted. */
export interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export interface World {
  readonly service: TestService;
  readonly seen: (version: Version, demand: Demand, fields: Readonly<Record<string, string>>) => Promise<Seen>;
  readonly both: (demand: Demand, fields: Readonly<Record<string, string>>) => Promise<readonly [Seen, Seen]>;
  readonly stop: () => Promise<void>;
} // prettier-ignore

const GUARDED = 'a-key-whose-answers-are-redacted';

/** What differs from call to call, or names the endpoint. */
const OWN: ReadonlySet<string> = new Set([
  'x-request-id',
  'server-timing',
  'date',
  'millrace-endpoint',
  'age',
]);

/** `more`: statements that fill other tables, and other endpoint files by name. */
export async function openWorld(
  more: {
    sql?: readonly string[];
    files?: Readonly<Record<string, string>>;
    settings?: TestServiceOptions['settings'];
  } = {},
): Promise<World> {
  const endpoints = await mkdtemp(join(tmpdir(), 'millrace-people-'));
  for (const version of VERSIONS) {
    for (const [name, text] of Object.entries({ ...endpointFiles(version), ...more.files }))
      await writeFile(join(endpoints, `${name}.yaml`), text);
  }
  const service = await startService({
    endpoints,
    sql: [...VERSIONS.flatMap(seedsOf), ...(more.sql ?? [])],
    settings: { piiHashKey: 'a secret of the operator', ...more.settings },
    tokens: [
      { name: 'guarded', sha256: hashKey(GUARDED), endpoints: ['*'], allow: ['sql', 'lql'], pii: 'redact' },
    ],
  });
  const seen: World['seen'] = async (version, demand, fields) => {
    const name = `${demand === 'file' ? 'forced' : 'open'}.${version}`;
    const ask = (): Promise<Response> =>
      service.call(`/api/endpoints/query/${name}`, {
        method: 'POST',
        headers: headersOf(demand),
        body: JSON.stringify({ project: 'mine', ...fields }),
      });
    return seenOf(await answered(ask), version);
  };
  return {
    service,
    seen,
    both: async (demand, fields) => {
      const [a, b] = await Promise.all(VERSIONS.map((version) => seen(version, demand, fields)));
      if (a === undefined || b === undefined) throw new Error('there are two versions');
      return [a, b];
    },
    stop: async () => {
      await service.stop();
      await rm(endpoints, { recursive: true, force: true });
    },
  };
}

/** The header fields of a call. */
export function headersOf(demand: Demand): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    'X-API-KEY': demand === 'key' ? GUARDED : KEY,
    ...(demand === 'header' ? { 'SVC-ENDPOINT-REDACT-PII': 'true' } : {}),
  };
}

/** A response without what differs from call to call. */
export async function seenOf(response: Response, version: Version): Promise<Seen> {
  const requestId = response.headers.get('x-request-id') ?? '';
  const headers = [...response.headers]
    .filter(([name]) => !OWN.has(name))
    .map(([name, value]) => [name, value.replace(/\b(max-age|ttl)=\d+/g, '$1')] as const);
  const body = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const plain = body
    .replaceAll(requestId, '')
    .replaceAll(new RegExp(`\\b(open|forced)\\.${version}\\b`, 'g'), '$1');
  return { status: response.status, headers, body: plain };
}

/** Every value of both versions that is long enough to be no accident, in every form. */
const IMAGES: readonly string[] = [
  ...new Set(
    VERSIONS.flatMap((version) =>
      KINDS.flatMap((kind) =>
        Array.from({ length: 26 }, (_, n) => imagesOf(secretOf(version, kind, n))).flat(),
      ),
    ),
  ),
].filter((image) => image.length > 7);

/** The values, in any form, that a text contains, apart from those that the caller sent. */
export function secretsIn(text: string, sent = ''): readonly string[] {
  const [folded, known] = [text.toLowerCase(), sent.toLowerCase()];
  return IMAGES.filter((image) => folded.includes(image) && !known.includes(image));
}
