// Random malformed requests: parameters, URLs, headers, bodies, consumer SQL and LQL. Only 2xx and 4xx may come back.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exchange } from '../exchange.ts';
import { count, inParallel } from '../load.ts';
import { exact, onlyStatuses, type Context, type Scenario } from '../scenario.ts';
import { KEY, serve } from '../serving.ts';
import { createMalformedInput, encode, type MalformedInput } from './malformed.ts';

const REQUESTS = { short: 800, long: 10_000 };
const AT_ONCE = 6;
const CORPUS = join(import.meta.dirname, '../../../test/corpus');

const ENDPOINTS = {
  typed:
    'query: SELECT @i AS i, @f AS f, @s AS s, @b AS b, @d AS d, @t AS t, @a AS a, @e AS e\nparameters: { i: { type: Int32, default: 1 }, f: { type: Float64, default: 1 }, s: { type: String, default: x, max_length: 100 }, b: { type: Bool, default: true }, d: { type: Date, default: "2024-01-01" }, t: { type: DateTime64(3), default: "2024-01-01T00:00:00Z" }, a: { type: Array(UInt8), default: [1] }, e: { type: String, default: a, enum: [a, b] } }\n',
  kept: 'query: SELECT @s AS s\nparameters: { s: { type: String, default: x } }\nunknown_parameters: ignore\ncache: { ttl: 60 }\n',
};

export const fuzz: Scenario = {
  name: 'fuzz',
  pass: '10,000 malformed requests (parameters, URL, headers, bodies, consumer SQL, LQL): only 2xx and 4xx, no crash, no missing response',
  seconds: { short: 120, long: 600 },
  run: async (context) => {
    const [corpus, seeds] = await Promise.all([readCorpus(), readFile(join(CORPUS, 'seeds.sql'), 'utf8')]);
    const serving = await serve(context, {
      endpoints: { ...ENDPOINTS, corpus: await corpusEndpoint() },
      seeds,
      env: { MILLRACE_CONNECTIONS: '8' },
    });
    const malformed = createMalformedInput(context.random, corpus);
    const statuses = new Map<string, number>();
    const wrong: string[] = [];
    const requests = context.isShort ? REQUESTS.short : REQUESTS.long;
    await inParallel(requests, AT_ONCE, async (n) => {
      if (n % 500 === 0) context.note(`${n} of ${requests}`);
      const text = request(context, malformed);
      const status = await exchange(serving, text);
      count(statuses, /^\d/.test(status) ? `${status[0]}xx` : status);
      if (!isFine(status)) wrong.push(`${status}: ${JSON.stringify(text.toString('latin1').slice(0, 600))}`);
    });
    for (const each of wrong.slice(0, 5)) context.note(each);
    return [
      onlyStatuses(`of ${requests}`, statuses, (status) => ['2xx', '3xx', '4xx'].includes(status)),
      exact('the process', serving.running.child.exitCode ?? 'running', 'running'),
      exact('the next response', (await serving.call('kept')).status, 200),
    ];
  },
};

function isFine(status: string): boolean {
  return /^[234]\d\d$/.test(status);
}

async function readCorpus(): Promise<readonly string[]> {
  const texts = await Promise.all(
    ['attacks.json', 'benign.json'].map((name) => readFile(join(CORPUS, name), 'utf8')),
  );
  const entries = texts.flatMap((text) => JSON.parse(text) as { readonly sql: string }[]); // our own files
  return entries.map(({ sql }) => sql);
}

/** Leaves out the files that `serve` writes itself. */
async function corpusEndpoint(): Promise<string> {
  const text = await readFile(join(CORPUS, 'corpus.yaml'), 'utf8');
  return text.replace(/^(#|id:|name:).*\n/gm, '');
}

/** One request as bytes: mostly valid HTTP around malformed content, sometimes malformed HTTP. */
function request({ random }: Context, malformed: MalformedInput): Buffer {
  const name = random.pick([
    'typed',
    'typed',
    'kept',
    'corpus',
    'corpus',
    'corpus',
    encode(malformed.text()),
  ]);
  const path = random.isLucky(0.05) ? malformed.raw() : `/api/endpoints/query/${name}`;
  const fields =
    name === 'corpus'
      ? malformed.consumerQuery()
      : malformed.fields(['i', 'f', 's', 'b', 'd', 't', 'a', 'e', 'format']);
  const key = random.isLucky(0.05) ? malformed.header() : KEY;
  const headers = [`Host: x`, `X-API-KEY: ${key}`, 'Connection: close', ...malformed.headers()];
  if (random.isLucky(0.5)) return whole(`GET ${path}?${malformed.query(fields)} HTTP/1.1`, headers);
  const { type, body } = malformed.body(fields);
  const method = random.pick(['POST', 'POST', 'POST', 'QUERY', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']);
  const sent = Buffer.from(body);
  return whole(
    `${method} ${path} HTTP/1.1`,
    [...headers, `Content-Type: ${type}`, `Content-Length: ${sent.length}`],
    sent,
  );
}

function whole(line: string, headers: readonly string[], body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(`${[line, ...headers].join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}
