// Requests that give the service as much to do as a caller with a key can, beside the engine.

export interface StallingInput {
  readonly what: string;
  /** Where the request goes. */
  readonly target: 'call' | 'mcp' | 'clickhouse';
  readonly sql?: string;
  /** A call has these besides `sql` and `format`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: `open`. */
  readonly endpoint?: string;
  readonly format?: string;
  /** Whether it is also part of the short form. */
  readonly isShort?: true;
}

type More = Omit<StallingInput, 'what' | 'target' | 'sql'>;

const REDACT = { 'SVC-ENDPOINT-REDACT-PII': 'true' };
const BIGQUERY = { Prefer: 'result-shape=bigquery' };

/** A text so many thousand times; the engine repeats a text at most a million times. */
const thousands = (times: number, text: string): string =>
  `repeat(repeat('${text}', 1000), ${Math.ceil(times)})`;
const many = <T>(length: number, item: (n: number) => T): readonly T[] =>
  Array.from({ length }, (_, n) => item(n));

/** Values, as expressions: with size 1, of some 50 MB. */
function valuesOf(size: number) {
  const range = (count: number): string => `range(${Math.ceil(count * size)})`;
  return {
    lists: `arrayMap(i -> repeat('u1@ex.com ', 1000), ${range(6000)})`,
    text: thousands(6000 * size, 'u1@ex.com '),
    word: `concat(${thousands(50_000 * size, 'a')}, '@ex.com')`,
    escapes: thousands(2000 * size, String.raw`a\\u0040b.com=40%40&#64;\t`),
    wide: thousands(8000 * size, 'ü１ '),
    colons: thousands(25_000 * size, '1:'),
    dots: thousands(25_000 * size, '1.'),
    quotes: thousands(25_000 * size, '"'),
    controls: thousands(8000 * size, String.raw`\x01`),
    deep: `concat(${thousands(20_000 * size, '[')}, ${thousands(20_000 * size, ']')})`,
    numbers: `arrayMap(i -> range(i, i + 40), ${range(100_000)})`,
    lists2: `arrayMap(i -> arrayResize([[1]], 40), ${range(100_000)})`,
    quoted: `arrayMap(i -> splitByChar(' ', repeat('" ', 40)), ${range(50_000)})`,
    objects: `arrayMap(i -> map('k', i), ${range(1_000_000)})`,
    document: `concat('{', arrayStringConcat(arrayMap(i -> concat('"k', toString(i), '":"u', toString(i), '@ex.com"'), ${range(1_000_000)}), ','), '}')`,
  };
}

const selectOf = (value: string): string => `SELECT ${value} AS x FROM logs LIMIT 1`;
const call = (what: string, sql: string, more: More = {}): StallingInput => ({
  what,
  target: 'call',
  sql,
  ...more,
});
const row = (what: string, value: string, more: More = {}): StallingInput =>
  call(what, selectOf(value), more);
const redact = (what: string, value: string, more: More = {}): StallingInput =>
  row(`redaction: ${what}`, value, { headers: REDACT, ...more });
const agent = (what: string, value: string, more: More = {}): StallingInput => ({
  what: `MCP: ${what}`,
  target: 'mcp',
  sql: selectOf(value),
  ...more,
});
const clickhouse = (what: string, value: string, format: string, headers = {}): StallingInput => ({
  what: `ClickHouse interface: ${what}`,
  target: 'clickhouse',
  sql: `${selectOf(value)} FORMAT ${format}`,
  headers,
});

type Values = ReturnType<typeof valuesOf>;

function redacted(value: Values): readonly StallingInput[] {
  return [
    redact('lists of texts', value.lists, { isShort: true }),
    redact('one text', value.text, { isShort: true }),
    redact('one word', value.word),
    redact('escapes', value.escapes),
    redact('folded characters', value.wide),
    redact('colons', value.colons),
    redact('dots', value.dots),
    redact('all detectors', value.lists, { endpoint: 'personal' }),
    redact('a document', value.document),
    redact('nested text', value.deep),
    redact('objects', value.objects),
  ];
}

function encoded(value: Values): readonly StallingInput[] {
  return [
    row('BigQuery shape: objects', value.objects, { headers: BIGQUERY, isShort: true }),
    row('BigQuery shape: lists of texts', value.lists, { headers: BIGQUERY }),
    row('BigQuery shape: redacted', value.lists, { headers: { ...BIGQUERY, ...REDACT } }),
    row('CSV: quotes', value.quotes, { format: 'csv', isShort: true }),
    row('CSV: lists', value.lists2, { format: 'csv' }),
    row('CSV: numbers', value.numbers, { format: 'csv' }),
    row('CSV: quotes in lists', value.quoted, { format: 'csv' }),
    row('JSON: numbers', value.numbers),
    row('JSON: a document', value.document, { isShort: true }),
    row('JSON: control characters', value.controls),
    row('JSON: compressed', value.text, { headers: { 'Accept-Encoding': 'zstd, gzip' } }),
    call('NDJSON: many rows', "SELECT repeat('x', 5000) AS x FROM logs AS a, logs AS b LIMIT 10000", {
      format: 'ndjson',
    }),
    row('Parquet: one text', "repeat('u1@ex.com ', 500000)", { format: 'parquet' }),
    row('metadata', value.text, { fields: { meta: 'true' } }),
    { what: 'pages of long rows', target: 'call', endpoint: 'paged', fields: { page_size: 2 } },
  ];
}

function interfaces(value: Values): readonly StallingInput[] {
  return [
    agent('lists of texts', value.lists, { isShort: true }),
    agent('lists of texts, redacted', value.lists, { headers: REDACT }),
    agent('lists of numbers', 'arrayMap(i -> arrayResize([[1]], 2), range(20000))'),
    agent('a document', value.document),
    clickhouse('texts', "arrayMap(i -> repeat('u1@ex.com ', 100), range(4000))", 'JSONEachRow', REDACT),
    clickhouse('control characters', thousands(4000, String.raw`\x01`), 'JSONEachRow', REDACT),
    clickhouse('numbers', 'arrayMap(i -> arrayResize([255], 40), range(100000))', 'Native', REDACT),
    clickhouse('texts in Native', "arrayMap(i -> splitByChar(' ', repeat(' ', 40)), range(50000))", 'Native'),
    clickhouse('JSON', value.text, 'JSON'),
  ];
}

function failures(value: Values): readonly StallingInput[] {
  const columns = many(1900, (n) => `1 AS c${n}`).join(', ');
  return [
    call('a message with 1,900 columns', `SELECT nothing FROM (SELECT ${columns})`, { isShort: true }),
    call('3,900 unknown columns', `SELECT ${many(3900, (n) => `c${n}`).join(', ')} FROM logs`),
    row('a message with a value', `toUInt8(${value.text})`, { headers: REDACT, isShort: true }),
    row('a message of quotes', `toUInt8(${thousands(5000, String.raw`\\\'`)})`, { headers: REDACT }),
  ];
}

function queries(): readonly StallingInput[] {
  const patterns = many(500, (n) => `toString(n) LIKE '%${n}_%'`).join(' OR ');
  const matches = many(500, (n) => `match(toString(n), '(a?){50}a{50}${n}') AS m${n}`).join(', ');
  const choices = many(700, (n) => `IF(n > ${n}, 'a', 'b') AS b${n}`).join(', ');
  const sums = many(1300, (n) => `n + ${n} AS d${n}`).join(',');
  const lql = many(40, (n) => `n:>${n}`).join(' ');
  return [
    call('LIKE chains', `SELECT 1 FROM logs WHERE ${patterns}`),
    call('regular expressions', `SELECT ${matches} FROM logs LIMIT 1`),
    call('nested lists', `SELECT ${'['.repeat(45)}1${']'.repeat(45)} AS x FROM logs`, { isShort: true }),
    call('parentheses', `SELECT ${'('.repeat(45)}1${')'.repeat(45)} AS x FROM logs`),
    call('BigQuery SQL', `SELECT ${choices} FROM logs LIMIT 1`, { fields: { dialect: 'bigquery' } }),
    call('8,000 tokens', `SELECT ${sums} FROM logs LIMIT 1`),
    { what: 'LQL', target: 'call', fields: { lql } },
  ];
}

function parameters(): readonly StallingInput[] {
  const listed = (what: string, fields: StallingInput['fields'] = {}): StallingInput => ({
    what,
    target: 'call',
    endpoint: 'listed',
    fields,
  });
  return [
    { ...listed('1,000 numbers', { ids: many(1000, (n) => n) }), isShort: true },
    listed('150,000 numbers', { ids: many(150_000, (n) => n) }),
    listed('a text of escapes', { text: String.raw`\"`.repeat(250_000) }),
    listed('60,000 parameters', Object.fromEntries(many(60_000, (n) => [`parameter${n}`, n]))),
  ];
}

/** All inputs; `size`: 1 for rows of some 50 MB. */
export function stallingInputs(size: number): readonly StallingInput[] {
  const values = valuesOf(size);
  return [
    ...redacted(values),
    ...encoded(values),
    ...interfaces(values),
    ...failures(values),
    ...queries(),
    ...parameters(),
  ];
}
