// Two databases that differ only in personal data, and the endpoints over both: every consumer query whose response is
// redacted must have the same response over both.
import { secretOf, type SecretKind, type Version } from './secrets.ts';

export const VERSIONS: readonly Version[] = ['a', 'b'];
const ROWS = 24;

const COLUMNS = `project LowCardinality(String), timestamp DateTime64(3, 'UTC'), id UInt32, path String, status UInt16, ms Float64,
  event_message String, email String, ip String, ip6 String, phone String, card String, iban String, token String, key String,
  email_low LowCardinality(String), email_fixed FixedString(64), email_maybe Nullable(String), email_low_maybe LowCardinality(Nullable(String)),
  addr IPv4, addr6 IPv6, addr_maybe Nullable(IPv4), tags Array(String), hops Array(IPv4), pair Tuple(String, IPv4),
  who Tuple(mail String, addr IPv6, level UInt8), contacts Nested(mail String, addr IPv4), attrs Map(String, String),
  addresses Map(IPv4, String), deep Array(Map(String, Array(Nullable(String)))), role Enum8({roles}), any Dynamic, one Variant(String, IPv4, Array(String)),
  url String, json_text String, bytes String, metadata JSON, profile JSON, typed JSON(mail String, addr IPv4, level UInt8), keyed JSON(max_dynamic_paths = 2),
  ip_number UInt32, phone_number UInt64, person String, note String, account String, Owner_Name String,
  team Tuple(owner String, size UInt8), people Array(Tuple(owner String, mail String)), by_name Map(String, String), docs Array(JSON),
  fixed_maybe Nullable(FixedString(64)), fixed_low LowCardinality(FixedString(64)), low_list Array(LowCardinality(String)),
  raw_bytes String DEFAULT concat(substring(email, 1, 3), unhex('FF'), substring(email, 4)),
  t String, d String, r String, p String, v String, k String, n String, s String, raw Array(String), v0 Array(String), k0 Map(String, String)`;

/** An endpoint's rules, apart from what its detectors find. */
const RULES = `  detectors: [ip, email, phone, card, iban, token, api_key]
  columns:
    person: mask
    note: drop
    account: hash
    ip_number: mask
    phone_number: drop
    metadata.user.name: mask
    profile.account: hash
    metadata.user.note: drop
    metadata.events.owner: mask
    owner_name: mask
    team.owner: mask
    people.owner: drop
    by_name.owner: mask
    docs.owner: mask
`;

/** Names of the endpoints: redaction is demanded by the file, or by the key or the header. */
export type EndpointName = 'forced' | 'open';

/** Files by name; the same but for the database and the identifier. */
export function endpointFiles(version: Version): Readonly<Record<string, string>> {
  const of = (name: EndpointName, n: number, rest: string): string => `id: 00000000-0000-4000-8000-00000000${version === 'a' ? 0 : 1}00${n}
name: ${name}.${version}
query: |
  WITH events AS (SELECT * FROM people_${version}.events WHERE project = @project ORDER BY timestamp DESC),
  logins AS (SELECT id, timestamp, email AS login, addr AS origin, status FROM people_${version}.events WHERE project = @project AND status < 500),
  daily AS (SELECT day, visitors, mails, last_mail FROM people_${version}.daily)
  SELECT * FROM events
parameters:
  project: { type: String, required: true }
sandbox: { enabled: true, dialects: [clickhouse, bigquery] }
cache: { ttl: 600 }
max_rows: 50
${rest}`; // prettier-ignore
  return {
    [`forced.${version}`]: of('forced', 1, `pii:\n  redact: true\n${RULES}`),
    [`open.${version}`]: of('open', 2, `pii:\n  redact: false\n${RULES}`),
  };
}

/** The statements that create and fill a version's database. */
export function seedsOf(version: Version): readonly string[] {
  const rows = Array.from({ length: ROWS }, (_, n) => JSON.stringify(rowOf(version, n)));
  const roles = [0, 1, 2].map((n) => `'${secretOf(version, 'email', 100 + n)}' = ${n + 1}`);
  const table = `people_${version}.events`;
  return [
    `CREATE DATABASE people_${version}`,
    `CREATE TABLE ${table} (${COLUMNS.replace('{roles}', roles.join(', '))}) ENGINE = MergeTree ORDER BY (project, timestamp)`,
    `INSERT INTO ${table} FORMAT JSONEachRow ${rows.join('\n')}`,
    `CREATE TABLE people_${version}.daily (day Date, visitors AggregateFunction(uniqExact, String), mails AggregateFunction(groupArray, String),
      last_mail SimpleAggregateFunction(anyLast, String)) ENGINE = AggregatingMergeTree ORDER BY day`,
    `INSERT INTO people_${version}.daily SELECT toDate('2024-01-01'), uniqExactState(account), groupArrayState(email), anyLast(email) FROM ${table}`,
  ];
}

function rowOf(version: Version, n: number): Readonly<Record<string, unknown>> {
  const of = (kind: SecretKind, shift = 0): string => secretOf(version, kind, n + shift);
  const [email, ip, account] = [of('email'), of('ip'), accountOf(version, n)];
  const number = Buffer.from(ip.split('.').map(Number)).readUInt32BE();
  const variants = [email, ip, [email, 'plain']];
  return {
    project: n % 8 === 7 ? 'other' : 'mine',
    timestamp: `2024-01-01 ${String(n).padStart(2, '0')}:00:00.000`,
    id: n,
    path: ['/', '/api/v1/items', '/login'][n % 3],
    status: [200, 404, 500, 200, 302][n % 5],
    ms: n * 1.5,
    event_message: [`from ${ip}:443 by ${email}`, `paid ${of('card')} to ${of('iban')}`, 'nothing personal', `call ${of('phone')}; Authorization: Bearer ${of('token')}`][n % 4],
    email, ip, ip6: of('ip6'), phone: of('phone'), card: of('card'), iban: of('iban'), token: of('token'), key: of('key'),
    email_low: email, email_fixed: email, email_maybe: n % 4 === 0 ? null : email, email_low_maybe: n % 4 === 1 ? null : email,
    addr: ip, addr6: of('ip6'), addr_maybe: n % 3 === 0 ? null : ip,
    tags: ['web', email, ip].slice(0, n % 4), hops: [ip, of('ip', 1)].slice(0, n % 3), pair: [email, ip],
    who: { mail: email, addr: of('ip6'), level: n % 5 },
    'contacts.mail': [email, of('email', 1)].slice(0, n % 3), 'contacts.addr': [ip, of('ip', 1)].slice(0, n % 3),
    attrs: { region: 'eu', mail: email, [email]: 'by mail', [ip]: ip },
    addresses: { [ip]: 'first', [of('ip', 1) === ip ? '255.1.1.1' : of('ip', 1)]: email },
    deep: [{ mails: [email, null, 'plain'], [ip]: [] }],
    role: secretOf(version, 'email', 100 + (n % 3)),
    any: [email, n, [ip, 'x'], ip][n % 4],
    one: variants[n % 3],
    url: `/u?e=${encodeURIComponent(email)}&i=${ip}&page=2`,
    json_text: JSON.stringify({ mail: email.replace('@', '\\u0040'), list: [ip, { deep: of('iban') }], n }).replaceAll('\\\\u', '\\u'),
    bytes: `\u0001${email}\u0000${ip}`,
    metadata: {
      level: ['info', 'warn', 'error'][n % 3],
      user: { email, name: of('person'), note: of('note'), id: n },
      request: { headers: { forwarded: [ip, of('ip', 1)], from: `<${email}>` }, path: '/x', size: n * 10 },
      events: [{ mail: email, n, owner: of('person') }, { mail: of('email', 1), n: n + 1 }],
      mixed: n % 2 === 0 ? ip : n,
    },
    profile: { account, level: n },
    typed: { mail: email, addr: ip, level: n % 5, extra: of('phone') },
    keyed: { [email]: n, [ip]: 'x', plain: 1, [of('phone').replaceAll(' ', '')]: { nested: email } },
    ip_number: number,
    phone_number: Number(of('phone').replaceAll(/\D/g, '')),
    person: of('person'),
    note: of('note'),
    account,
    Owner_Name: of('person'),
    team: { owner: of('person'), size: n % 4 },
    people: [{ owner: of('person'), mail: email }, { owner: of('person', 1), mail: 'nobody' }].slice(0, n % 3),
    by_name: { owner: of('person'), mail: email, plain: 'x' },
    docs: [{ owner: of('person'), mail: email }, { REDACTED: 1, REDACTED_2: 2, [email]: 3, [`${ip}/8`]: 4 }],
    fixed_maybe: n % 3 === 0 ? null : email, fixed_low: ip, low_list: [email, 'plain', ip],
    t: email, d: `x%41 ${url(email)}`, r: ip, p: email, v: ip, k: email, n: ip, s: email, raw: [email, ip], v0: [ip, 'plain'], k0: { [email]: ip, k: email },
  };
} // prettier-ignore

/** As in a form. */
function url(text: string): string {
  return encodeURIComponent(text);
}

/** Equal in both versions where they are equal in one: hashes keep that. */
function accountOf(version: Version, n: number): string {
  return `${version === 'a' ? 'account-aa' : 'user-number-'}${(n * 7) % 5}`;
}
