// Functions composed at random over columns that hold personal data, in any place of a query. By seed.
import { createRandom } from '../../sandbox/mutants.ts';
import { withGuesses, type Text } from './texts.ts';

/** S string, N number, A array of strings, M array of numbers, B condition. */
type Kind = 'S' | 'N' | 'A' | 'M' | 'B';

/** Columns that hold personal data, and others: what depends on one alone must not depend on the other. */
const COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  S: [
    'email', 'ip', 'ip6', 'phone', 'card', 'iban', 'token', 'key', 'toString(email_low)', 'toString(addr)', 'toString(addr6)', 'event_message', 'url',
    'json_text', 'bytes', 'raw_bytes', 'person', 'Owner_Name', 'toString(role)', 'toString(metadata.user.email)', 'toJSONString(metadata)', 'toJSONString(keyed)', "attrs['mail']",
    'toString(pair)', 'toString(email_fixed)', 'toString(`any`)', 'toString(one)', 'toString(ip_number)', "ifNull(email_maybe, '')", 'who.mail', 'typed.mail', "by_name['owner']", 'path',
    't', 'd', 'team.owner', 'toString(attrs)', 'toString(metadata.user.name)', 'toString(docs)', 'toString(hops)',
  ],
  N: ['toUInt32(addr)', 'id', 'status', 'length(tags)', 'IPv4StringToNumOrDefault(ip)', 'who.level'],
  A: ['tags', 'contacts.mail', 'mapKeys(attrs)', 'mapValues(attrs)', 'JSONAllPaths(keyed)', 'arrayMap(x -> toString(x), hops)', 'raw', 'mapValues(k0)', 'JSONAllPaths(metadata)'],
  M: ['arrayMap(x -> toUInt32(x), hops)', '[id, status]'],
  B: ["email = '{email}'", "ip = '{ip}'", 'status = 200', "has(tags, '{email}')", "person = '{person}'", "metadata.user.email.:String = '{email}'", "role = '{role}'"],
}; // prettier-ignore

/** Calls by the kind of their result: each letter in braces is an argument of that kind. */
const CALLS: Readonly<Record<Kind, readonly string[]>> = {
  S: [
    'hex({S})', 'base64Encode({S})', 'reverse({S})', 'upper({S})', 'lower({S})', 'substring({S}, 1, 3)', 'substring({S}, {N} % 7 + 1, 2)', 'left({S}, 4)', 'right({S}, 3)', 'concat({S}, {S})',
    "concat('v', {S}, '_')", "replaceAll({S}, '.', '-')", "replaceOne({S}, '@', '')", "replaceRegexpAll({S}, '[0-9]', 'd')", "replaceRegexpOne({S}, '^(.)(.)', '\\\\2\\\\1')", "extract({S}, '[a-z]+')",
    "translate({S}, 'abcdefghij@.', 'klmnopqrst!,')", "arrayStringConcat({A}, '/')", '{A}[1]', '{A}[-1]', 'toString({N})', 'toString({M})', "splitByChar('.', {S})[1]", "leftPad({S}, 30, '*')",
    'if({B}, {S}, {S})', 'multiIf({B}, {S}, {B}, {S}, {S})', 'hex(MD5({S}))', 'toString(cityHash64({S}))', 'encodeURLComponent({S})', 'decodeURLComponent({S})', 'trimLeft({S})', 'bin(left({S}, 2))',
    "JSONExtractString(concat('{\"a\":\"', left({S}, 3), '\"}'), 'a')", 'greatest({S}, {S})', 'least({S}, {S})', "coalesce(nullIf({S}, '{email}'), 'null')", 'IPv4NumToString({N})', 'toString(tuple({S}, {N}))',
    'char({N} % 128)', "substringIndex({S}, '@', 1)", "tryBase64Decode({S})", 'initcap({S})', 'toValidUTF8({S})', 'arrayStringConcat(arrayReverse({A}))', "transform({S}, ['{email}', '{ip}'], ['1', '2'], '3')",
    "extractURLParameter({S}, 'e')", 'cutToFirstSignificantSubdomain({S})', "simpleJSONExtractString({S}, 'mail')",
  ],
  N: [
    'length({S})', 'lengthUTF8({S})', 'ascii({S})', "position({S}, '@')", "countSubstrings({S}, 'e')", "countMatches({S}, '[0-9]')", 'cityHash64({S}) % 1000', 'sipHash64({S}) % 97', 'xxHash64({S}) % 10', 'toUInt64OrZero({S})',
    'length({A})', 'length({M})', "indexOf({A}, '{email}')", 'arraySum({M})', 'arrayMax({M})', '({N} + {N})', '({N} * 3)', 'bitAnd({N}, 255)', 'bitXor({N}, 12345)', 'intDiv({N}, 7)', '({N} % 11)', 'if({B}, {N}, {N})', "editDistance(left({S}, 60), '{email}')",
    "ngramDistance({S}, '{email}')", 'arrayUniq({A})', 'toUInt8({B})', 'IPv4StringToNumOrDefault({S})', 'reinterpretAsUInt64({S}) % 1000003', "multiSearchFirstPosition({S}, ['a', 'z'])", 'arrayCount(x -> x > 100, {M})',
    "arrayFirstIndex(x -> startsWith(x, 'a'), {A})", 'crc32({S})', 'abs({N} - {N})', "JSONLength({S})", 'arrayAvg({M})',
  ],
  A: [
    "splitByChar('@', {S})", "splitByChar('.', {S})", "splitByString('', left({S}, 20))", "extractAll({S}, '[a-z]+')", 'ngrams({S}, 3)', 'arrayMap(x -> reverse(x), {A})', 'arrayMap(x -> substring(x, 1, 2), {A})', "arrayFilter(x -> x LIKE 'a%', {A})", 'arraySort({A})',
    'arrayReverse({A})', 'arrayConcat({A}, {A})', 'arrayDistinct({A})', 'arraySlice({A}, 1, 2)', '[{S}, {S}]', 'alphaTokens({S})', 'splitByNonAlpha({S})', 'arrayMap(x -> hex(x), {A})', 'arrayIntersect({A}, {A})', 'JSONExtractKeys({S})', 'tokens({S})',
    'arrayMap(x -> toString(x), {M})', 'arraySort(x -> reverse(x), {A})', 'arrayPopFront({A})', 'arrayCompact({A})',
  ],
  M: [
    'arrayMap(x -> length(x), {A})', 'arrayMap(x -> ascii(x), {A})', 'arrayMap(x -> cityHash64(x) % 100, {A})', '[{N}, {N}]', "arrayMap(x -> position(x, 'a'), {A})", 'arrayEnumerateUniq({A})', 'arraySort({M})', 'arrayCumSum({M})',
    "multiSearchAllPositions({S}, ['a', '@', '1'])", 'arrayMap(x -> bitXor(x, 3), {M})', 'arrayEnumerate({A})', 'range(least(length({S}), 50))',
  ],
  B: [
    "{S} LIKE 'a%'", "{S} ILIKE '%EX%'", "match({S}, '^[a-m]')", "startsWith({S}, 'z')", "endsWith({S}, '9')", '{S} < {S}', "{S} > 'k'", '{S} = {S}', '{N} > {N}', '{N} % 2 = 0', '{N} BETWEEN 5 AND 40', 'NOT ({B})', '({B} AND {B})', '({B} OR {B})',
    "has({A}, '{email}')", "arrayExists(x -> x > 'm', {A})", 'empty({S})', "{S} IN ('{email}', '{ip}', '{phone}')", "{S} IN (SELECT email FROM events)", "hasToken({S}, 'example')", "match({S}, '^a|^2')", 'isNull(toUInt64OrNull({S}))',
    "isIPAddressInRange(toString(toIPv4OrDefault({S})), '200.0.0.0/8')", 'hasAny({A}, {A})', 'isIPv4String({S})', "notEmpty(arrayFilter(x -> x = '{email}', {A}))", 'isValidUTF8({S})', 'isValidJSON({S})',
  ],
}; // prettier-ignore

/** Where they stand; rows come in an order that does not depend on them, unless that is the question. */
const PLACES: readonly string[] = [
  'SELECT {S} AS x FROM events ORDER BY id',
  'SELECT {S} AS x, {N} AS y FROM events ORDER BY id',
  'SELECT {A} AS x, {M} AS y FROM events ORDER BY id',
  'SELECT {N} AS x FROM events ORDER BY id',
  'SELECT {B} AS x FROM events ORDER BY id',
  'SELECT id FROM events WHERE {B} ORDER BY id',
  'SELECT count() AS n FROM events WHERE {B}',
  'SELECT id FROM events WHERE {B} AND {B} ORDER BY id LIMIT 5',
  'SELECT count() AS n, min(id) AS i FROM events GROUP BY {S} ORDER BY i',
  'SELECT count() AS n, min(id) AS i FROM events GROUP BY {N} HAVING {N} > 0 OR n > 1 ORDER BY i',
  'SELECT {S} AS k, count() AS n, min(id) AS i FROM events GROUP BY k ORDER BY i',
  'SELECT id FROM events ORDER BY {S}, id',
  'SELECT id FROM events ORDER BY {N} DESC, id LIMIT 7',
  'SELECT max({S}) AS a, min({S}) AS b, uniqExact({S}) AS c FROM events',
  'SELECT groupArray({S}) AS x FROM (SELECT * FROM events ORDER BY id)',
  'SELECT sum({N}) AS x, avg({N}) AS y, groupBitXor(cityHash64({S})) AS z FROM events',
  'SELECT argMax({S}, id) AS x, any({N}) AS y, topK(2)({S}) AS z FROM events',
  'SELECT countIf({B}) AS x, uniqIf({S}, {B}) AS y, sumIf(id, {B}) AS z FROM events',
  'SELECT count() AS n FROM (SELECT {S} AS k FROM events) AS l JOIN (SELECT {S} AS k FROM events) AS r ON l.k = r.k',
  "SELECT count() AS n FROM (SELECT {S} AS k FROM events) AS l JOIN (SELECT arrayJoin(['{email}', '{ip}', 'a', 'z', '1']) AS k) AS r ON l.k = r.k",
  'SELECT e.id, f.id AS f FROM events AS e LEFT JOIN (SELECT id, {S} AS k FROM events) AS f ON e.email = f.k ORDER BY e.id, f LIMIT 40',
  'SELECT DISTINCT {N} AS x FROM events ORDER BY x',
  'SELECT rank() OVER (ORDER BY {S}) AS x FROM events ORDER BY id',
  'SELECT count() OVER (PARTITION BY {S}) AS x, lagInFrame({N}) OVER (ORDER BY id) AS y FROM events ORDER BY id',
  'SELECT id FROM (SELECT id, {S} AS k FROM events ORDER BY id) LIMIT 1 BY k',
  'SELECT id FROM events QUALIFY row_number() OVER (PARTITION BY {S} ORDER BY id) = 1 ORDER BY id',
  'SELECT id, g FROM events ARRAY JOIN {A} AS g ORDER BY id, g',
  'SELECT id FROM events WHERE {S} IN (SELECT {S} FROM events) ORDER BY id',
  'SELECT intDiv(1, toUInt8({B})) AS x FROM events ORDER BY id',
  'SELECT toUInt8({S}) AS x FROM events ORDER BY id',
  'WITH c AS (SELECT id, {S} AS a, {N} AS b FROM events WHERE {B}) SELECT reverse(a) AS x, b + 1 AS y FROM c ORDER BY id',
  'SELECT id FROM events WHERE {S} > (SELECT max({S}) FROM events) ORDER BY id',
  'SELECT status, max({S}) AS x, count() AS n FROM events WHERE {B} GROUP BY status ORDER BY status WITH FILL FROM 200 TO 203',
]; // prettier-ignore

const DEPTH = 4;

/** `count` queries. */
export function composed(count: number, seed: number): readonly Text[] {
  const random = createRandom(seed);
  const pick = (items: readonly string[]): string => items[random(items.length)] ?? '';
  const expand = (template: string, depth: number): string =>
    template.replaceAll(/\{([SNAMB])\}/g, (_, kind: Kind) => {
      const isLeaf = depth >= DEPTH || random(10) < 2 + depth;
      return isLeaf ? pick(COLUMNS[kind]) : expand(pick(CALLS[kind]), depth + 1);
    });
  return Array.from({ length: count }, (): Text => {
    const sql = withGuesses(expand(pick(PLACES), 0));
    return { category: 'composed', tells: true, fails: false, fields: { sql, dialect: 'clickhouse' } };
  });
}
