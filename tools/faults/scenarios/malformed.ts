// Seeded generators of malformed input: strings, parameters, URLs, headers and bodies, accidental or hostile.
import type { Random } from '../random.ts';

export type Fields = readonly (readonly [name: string, value: string])[];

export interface MalformedInput {
  readonly text: () => string;
  /** Any characters that are valid in a request line. */
  readonly raw: () => string;
  /** Any characters that are valid in a header field. */
  readonly header: () => string;
  readonly headers: () => readonly string[];
  readonly fields: (names: readonly string[]) => Fields;
  /** Consumer SQL or LQL. */
  readonly consumerQuery: () => Fields;
  /** Part of a URL; percent-encoded correctly or almost. */
  readonly query: (fields: Fields) => string;
  readonly body: (fields: Fields) => { readonly type: string; readonly body: string };
}

const ODD = [
  '',
  ' ',
  '0',
  '-0',
  '1e999',
  '9007199254740993',
  '-2147483649',
  'NaN',
  'null',
  'undefined',
  'true',
  '[1,2,3]',
  '[[[[',
  '{}',
  '2024-02-30',
  '9999-99-99T99:99:99Z',
  "' OR 1=1 --",
  "\\'; DROP TABLE x; --",
  '@p',
  '{p:String}',
  '%00',
  '\u0000',
  '\u202e',
  '\ufeff',
  '💥',
  'é',
  'ﬀ',
  '\ud800',
  '../../etc/passwd',
  '${jndi:x}',
  '<script>',
  'a'.repeat(5000),
  '🦀'.repeat(400),
  '[[1],[2',
  '\r\nX: y',
];
const SQL_WORDS = [
  'SELECT',
  'FROM',
  'edge_logs',
  'auth_logs',
  'WHERE',
  'GROUP BY',
  'ORDER BY',
  'LIMIT',
  'WITH',
  'AS',
  '(',
  ')',
  ',',
  '*',
  'count()',
  "'x'",
  '1',
  '`',
  '"',
  '--',
  '/*',
  '*/',
  'JOIN',
  'UNION ALL',
  'metadata.a.b',
  'arrayMap(x -> x, [1])',
  'CASE WHEN',
  'END',
  'INTERVAL 1 DAY',
  'SETTINGS',
  'FORMAT',
  ';',
  'id',
  'timestamp',
  '::',
  'IN',
  '[',
  ']',
  '$$',
  '{',
  '}',
  'NULL',
  '-',
  'ILIKE',
  'OVER',
  'EXISTS',
  '0x',
  '1e',
];
const LQL_WORDS = [
  's:',
  'c:',
  'm.',
  'm.request.method:',
  't:',
  'error',
  '-',
  '"',
  '~',
  ':>',
  ':<',
  '..',
  '*',
  '(',
  ')',
  'OR',
  'AND',
  'c:count(*)',
  'c:group_by(t::minute)',
  't:last@1hour',
  'm.response.status_code:>499',
  'm.response.status_code:200..299',
  's:id',
  '@',
  '\\',
  'f:auth_logs',
  '!',
  '^',
  '$',
  '[a-z',
  'm.a.b.c:NULL',
];
const HEADERS = [
  'Accept',
  'Accept-Encoding',
  'Cache-Control',
  'If-None-Match',
  'Content-Type',
  'X-Request-Id',
  'SVC-ENDPOINT-LABELS',
  'SVC-ENDPOINT-RESERVATION',
  'SVC-ENDPOINT-REDACT-PII',
  'traceparent',
  'X-Forwarded-For',
  'Origin',
  'Range',
  'Expect',
  'Authorization',
  'Content-Encoding',
  'Cookie',
  'TE',
];
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'application/sql',
  'text/plain',
  'multipart/form-data; boundary=x',
  '',
];

/** Mutates text: deletes, duplicates, swaps or inserts a part. */
function createMutate({ pick, below }: Random, noise: () => string): (from: string) => string {
  return (from) => {
    let to = from;
    for (let times = below(4); times > 0; times--) {
      const [at, length] = [below(to.length + 1), below(12)];
      const piece = to.slice(at, at + length);
      const put = pick([
        '',
        piece + piece,
        pick(SQL_WORDS),
        pick(ODD).slice(0, 200),
        ` ${pick(SQL_WORDS)} `,
        noise(),
      ]);
      to = to.slice(0, at) + put + to.slice(at + length);
    }
    return to;
  };
}

export function createMalformedInput(random: Random, corpus: readonly string[]): MalformedInput {
  const { pick, below, isLucky } = random;
  const many = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);
  const noise = (): string => String.fromCodePoint(...many(20, () => 1 + below(isLucky(0.7) ? 127 : 0xd7fe)));
  const mutate = createMutate(random, noise);
  const text = (): string => (isLucky(0.6) ? pick(ODD) : noise());
  const header = (): string =>
    text()
      .replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, '')
      .slice(0, 3000);
  const words = (from: readonly string[]): string => many(14, () => pick(from)).join(isLucky(0.8) ? ' ' : '');
  const sql = (): string => (isLucky(0.5) ? mutate(pick(corpus)) : isLucky(0.2) ? text() : words(SQL_WORDS));
  const lql = (): string => (isLucky(0.2) ? text() : words(LQL_WORDS));

  const query = (fields: Fields): string => {
    const pairs = fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
    return isLucky(0.1) ? mutate(pairs).replaceAll(/[^\u0021-\u007e]/g, '%') : pairs;
  };

  return {
    text,
    raw: () => `/${noise().replaceAll(/[^!-~]/g, '%')}`,
    header,
    headers: () => many(3, () => `${pick(HEADERS)}: ${header()}`),
    fields: (names) => many(5, () => [isLucky(0.9) ? pick(names) : text(), text()] as const),
    consumerQuery: () => [
      ['project', isLucky(0.9) ? 'mine' : text()],
      ...(isLucky(0.65) ? [['sql', sql()] as const] : []),
      ...(isLucky(0.4) ? [['lql', lql()] as const] : []),
      ...(isLucky(0.1) ? [['format', pick(['csv', 'ndjson', 'parquet', 'arrow', text()])] as const] : []),
    ],
    query,
    body: (fields) => {
      const type = isLucky(0.7) ? 'application/json' : pick(TYPES);
      const json = JSON.stringify(
        Object.fromEntries(
          fields.map(([name, value]) => [
            name,
            isLucky(0.7) ? value : pick([1, null, [], {}, [value], true]),
          ]),
        ),
      );
      const whole = type.startsWith('application/x-www')
        ? query(fields)
        : type === 'application/sql'
          ? sql()
          : json;
      return { type, body: isLucky(0.15) ? mutate(whole) : whole };
    },
  };
}

/** Lone surrogates cannot be encoded in UTF-8; only JSON can escape them. */
export function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
