// The most expensive requests that a caller without a key can send.

export interface HostileRequest {
  readonly what: string;
  /** The request line and the header fields, without Host. */
  readonly head: readonly string[];
  readonly body?: string;
  /** The expected status. */
  readonly status: string;
}

const QUERY = '/api/endpoints/query/kept';
/** The limit on all header fields together is 128 KiB. */
const FIELD = 120_000;
const BODY = 2 ** 20;

const fill = (item: string, length: number): string => item.repeat(Math.floor(length / item.length));
const numbered = (item: (n: number) => string, length: number): string => {
  const size = item(99_999).length + 1;
  return Array.from({ length: Math.floor(length / size) }, (_, n) => item(n)).join(',');
};

function post(what: string, type: string, body: string): HostileRequest {
  const fields = [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`, 'X-API-KEY: wrong'];
  return { what: `a body: ${what}`, head: [`POST ${QUERY} HTTP/1.1`, ...fields], body, status: '401' };
}

function bodies(): readonly HostileRequest[] {
  const json = 'application/json';
  return [
    post('100,000 names', json, `{${numbered((n) => `"p${n}":1`, BODY)}}`),
    post('one name 100,000 times', json, `{${numbered(() => '"a":1', BODY)}}`),
    post('brackets', json, fill('[', BODY)),
    post('quotes', json, fill('"', BODY)),
    post('escapes', json, `{"a":"${fill('\\"', BODY - 10)}"}`),
    post('pairs of a form', 'application/x-www-form-urlencoded', fill('a=1&', BODY)),
    post('SQL', 'application/sql', fill('(SELECT ', BODY)),
  ];
}

function fields(): readonly HostileRequest[] {
  const get = (field: string, status = '401', path = QUERY): HostileRequest => ({
    what: `a field: ${field.slice(0, 30)}`,
    head: [`GET ${path} HTTP/1.1`, field],
    status,
  });
  const many = Array.from({ length: 1900 }, (_, n) => `X-${n}: ${'v'.repeat(40)}`);
  return [
    get(`Accept: ${fill('a/b;q=0.1,', FIELD)}`),
    get(`Accept-Encoding: ${fill('gzip;q=0.1,', FIELD)}`),
    get(`Cache-Control: ${fill('max-age=1,', FIELD)}`),
    get(`X-API-KEY: ${fill('k', FIELD)}`),
    get(`X-API-KEY: ${fill('a.', 8000)}a.a`),
    get(`Authorization: Bearer${fill(' ', FIELD / 2)}${fill('k', FIELD / 2)} x`),
    get(`Cookie: ${fill('a=b; ', FIELD)}`),
    get(`SVC-ENDPOINT-LABELS: ${fill('a=b,', FIELD)}`),
    get(`SVC-ENDPOINT-REDACT-PII: ${fill('false,', FIELD)}`),
    get(`X-Request-Id: ${fill('x', FIELD)}`),
    get(`traceparent: ${fill('00-', FIELD)}`),
    get(`X-Forwarded-For: ${fill('127.0.0.1,', FIELD)}`),
    get(`Origin: https://${fill('a.', FIELD)}`),
    get(`If-None-Match: ${fill('"a",', FIELD)}`, '200', '/'),
    get(`Accept-Encoding: ${fill('br,', FIELD)}`, '200', '/'),
    { what: '1,900 fields', head: [`GET ${QUERY} HTTP/1.1`, ...many], status: '401' },
  ];
}

function getUrl(what: string, url: string, status: string): HostileRequest {
  return { what: `a URL: ${what}`, head: [`GET ${url} HTTP/1.1`], status };
}

/** The ClickHouse interface reads its URL for the key, which may be there. */
function clickhouse(): readonly HostileRequest[] {
  const path = '/clickhouse?query=SELECT';
  const many = Array.from({ length: 999 }, (_, index) => `p${index}=${fill('%41', 110)}`).join('&');
  const field = (text: string): HostileRequest => ({
    what: `a field for ClickHouse: ${text.slice(0, 30)}`,
    head: [`GET ${path} HTTP/1.1`, text],
    status: '401',
  });
  return [
    getUrl('pairs for ClickHouse', `${path}&${fill('a=1&', FIELD)}`, '400'),
    getUrl('999 pairs of escapes', `${path}&${many}`, '401'),
    getUrl('a query of escapes', `${path}${fill('%41', FIELD)}`, '401'),
    getUrl('a query of invalid escapes', `${path}${fill('%ff', FIELD)}`, '400'),
    getUrl('a query of spaces', `${path}${fill('+', FIELD)}`, '401'),
    getUrl('a password', `${path}&password=${fill('k', FIELD)}`, '401'),
    field(`Authorization: Basic ${fill('QUFB', FIELD)}`),
    field(`User-Agent: ${fill('cube', FIELD)}`),
  ];
}

/** MCP reads the origin and the client program before the key, and the body after it. */
function mcp(): readonly HostileRequest[] {
  const message = fill('[{"jsonrpc":"2.0","method":"ping","id":1},', BODY);
  const sent = (what: string, field: string, status: string): HostileRequest => ({
    what: `a message: ${what}`,
    head: ['POST /mcp HTTP/1.1', `Content-Length: ${message.length}`, field],
    body: message,
    status,
  });
  return [
    sent('brackets', 'Content-Type: application/json', '401'),
    sent('a client program', `User-Agent: ${fill('claude', FIELD)}`, '401'),
    sent('an origin', `Origin: http://${fill('127.0.0.1:', FIELD)}`, '403'),
  ];
}

function urls(): readonly HostileRequest[] {
  return [
    getUrl('pairs', `${QUERY}?${fill('a=1&', FIELD)}`, '401'),
    getUrl('escapes', `${QUERY}?a=${fill('%41', FIELD)}`, '401'),
    getUrl('a long name', `/api/endpoints/query/${fill('x', FIELD)}`, '401'),
    getUrl('a name of escapes', `/api/endpoints/query/${fill('%41', FIELD)}`, '401'),
    getUrl('a problem of a long name', `/problems/${fill('x', FIELD)}`, '404'),
    getUrl('slashes', fill('/', FIELD), '404'),
    getUrl('dots', fill('/..', FIELD), '404'),
    getUrl('the listing', '/api/endpoints', '401'),
    getUrl('the OpenAPI document', '/openapi.json', '401'),
    getUrl('readiness', '/health/ready', '200'),
    {
      what: 'a method that is not accepted',
      head: [`DELETE ${QUERY} HTTP/1.1`, 'Content-Length: 0'],
      status: '405',
    },
  ];
}

export const HOSTILE: readonly HostileRequest[] = [
  ...bodies(),
  ...fields(),
  ...urls(),
  ...clickhouse(),
  ...mcp(),
];

export function bytesOf({ head: [line = '', ...rest], body = '' }: HostileRequest): Buffer {
  const head = [line, 'Host: x', 'Connection: close', ...rest].join('\r\n');
  return Buffer.from(`${head}\r\n\r\n${body}`, 'latin1');
}
