// Generated queries over the tables of a world.
import type { Random } from '../sandbox/mutants.ts';
import { MOMENTS } from './generated.ts';

const ZONES = [
  "'UTC'",
  "'Europe/Berlin'",
  "'Asia/Kolkata'",
  "'Australia/Lord_Howe'",
  "'America/St_Johns'",
] as const;

/** A query, in one of the forms in which tables of endpoints are read. */
export function generateQuery(random: Random, database: string): string {
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const form = random(6);
  // A layer passes columns on under other names.
  const layered = form > 0;
  const time = layered ? one(['at', 'at', 'moment']) : 'at';
  const keys = keysOf(random, time);
  const conditions = [
    ...Array.from({ length: random(3) }, () => condition(random, time)),
    ...(random(2) === 0 ? [range(random, time)] : []),
  ];
  const aggregates = Array.from({ length: 1 + random(4) }, () => aggregate(random, time));
  const items = [
    ...keys.map((key, index) => `${key} AS k${index}`),
    ...aggregates.map((call, index) => (random(5) === 0 ? call : `${call} AS a${index}`)),
  ];
  const group =
    keys.length === 0
      ? ''
      : ` GROUP BY ${one([keys.map((_, index) => `k${index}`).join(', '), keys.map((_, index) => String(index + 1)).join(', '), 'ALL'])}`;
  const having = random(4) === 0 ? ' HAVING count() > 1' : '';
  const order =
    keys.length > 0 && random(2) === 0
      ? ` ORDER BY ${keys.map((_, index) => `k${index}${one(['', ' DESC'])}`).join(', ')} LIMIT ${1 + random(9)}`
      : '';
  const where =
    conditions.length === 0 ? '' : ` WHERE ${conditions.join(random(6) === 0 ? ' OR ' : ' AND ')}`;
  const totals = group !== '' && order === '' && random(10) === 0 ? ' WITH TOTALS' : '';
  const tail = `${where}${group}${totals}${having}${order}`;
  return inForm(form, { database, time, items, tail, random });
}

interface Parts {
  readonly database: string;
  readonly time: string;
  readonly items: readonly string[];
  readonly tail: string;
  readonly random: Random;
}

function inForm(form: number, { database, time, items, tail, random }: Parts): string {
  const select = `SELECT ${items.join(', ')}`;
  const events = `${database}.events`;
  const own = random(2) === 0 ? "project = 'p1'" : `project = 'p1' AND ${range(random, 'at')}`;
  // What a layer computes changes the number of its rows, or leaves it, also if nothing reads it.
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const computed = one(['upper(path)', 'upper(path)', 'arrayJoin([status, status])', 'any(path)', 'groupArray(kind)', 'row_number() OVER (ORDER BY at)']); // prettier-ignore
  const order = one(['', '', ' ORDER BY at DESC', ' ORDER BY status WITH FILL FROM 1 TO 9', ' LIMIT 1 BY status', ' ARRAY JOIN [1, 2] AS twice']); // prettier-ignore
  const passed = `project, ${time === 'at' ? 'at' : 'at AS moment'}, kind, status, code, path, doc, attributes, bytes, delta, price, big, ratio, name, user, level`;
  switch (form) {
    case 0:
      return `${select} FROM ${events} AS e${tail}`;
    case 1:
      return `WITH t AS (SELECT ${passed} FROM ${events} WHERE ${own} ORDER BY at DESC) ${select} FROM t${tail}`;
    case 2:
      return `WITH t AS (SELECT * FROM view(WITH t AS (SELECT ${passed} FROM ${events} WHERE ${own}) SELECT * FROM t) LIMIT 1000000000000000000) SELECT * FROM (${select} FROM t AS x${tail}) LIMIT 1001`;
    case 3:
      return `WITH base AS (SELECT *, at AS moment FROM ${events} PREWHERE ${own}), t AS (SELECT * FROM base WHERE status != 404 OR status = 404) ${select} FROM t${tail}`;
    case 4:
      return `${select} FROM (SELECT ${passed}, ${computed} AS unread FROM ${events} WHERE ${own}) AS t${tail}`;
    default:
      return `SELECT * FROM (WITH t AS (SELECT ${passed} FROM ${events} WHERE ${own}${order}) ${select} FROM t${tail}) AS whole`;
  }
}

function keysOf(random: Random, time: string): readonly string[] {
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const zone = (): string => one(['', '', ", 'UTC'", `, ${ZONES[random(ZONES.length)]}`]);
  const make = (): string =>
    one([
      `toStartOfHour(${time}${zone()})`,
      `toStartOfMinute(${time}${zone()})`,
      `toStartOfDay(${time}${zone()})`,
      `toDate(${time}${zone()})`,
      `toStartOfInterval(${time}, INTERVAL ${one(['5 MINUTE', '15 MINUTE', '2 HOUR', '1 DAY', '1 WEEK', '1 MONTH', '90 SECOND'])}${zone()})`,
      `dateTrunc('${one(['hour', 'day', 'month'])}', ${time}${zone()})`,
      `toHour(${time}${zone()})`,
      `formatDateTime(toStartOfHour(${time}, 'UTC'), '%H')`,
      `${time} >= ${bound(random)}`,
      'kind', 'status', 'code', 'level', 'doc.request.method', "attributes['place']", 'status >= 500', 'upper(kind)', 'ifNull(code, 1)', random(6) === 0 ? 'path' : 'status',
      "multiIf(match(path, '/rest'), 'rest', startsWith(path, '/auth'), 'auth', 'other')",
    ]); // prettier-ignore
  return Array.from({ length: random(3) + (random(3) === 0 ? 1 : 0) }, make);
}

function aggregate(random: Random, time: string): string {
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const call = one([
    'count()', 'count()', 'count(*)', 'COUNT(1)', 'sum(bytes)', 'SUM(delta)', 'count(delta)', 'avg(delta)', 'avg(bytes)', 'sum(price)', 'avg(big)', 'sum(big)',
    'min(bytes)', 'max(price)', 'max(name)', `min(${time})`, 'uniq(user)', 'uniqExact(user)', 'count(DISTINCT user)', 'uniq(user, status)',
    'quantileBFloat16(0.95)(bytes)', 'groupBitOr(bytes)', 'uniq(kind)', 'max(status)', 'count(DISTINCT code)', 'count(bytes)', 'count(code)', 'countIf(bytes > 100)', 'count() FILTER (WHERE bytes > 100)', 'uniqIf(user, bytes > 500)',
    'round(avg(bytes), 2)', 'sum(bytes) / count()', `max(toStartOfHour(${time}, 'UTC'))`,
  ]); // prettier-ignore
  const plain = /^(?:count\(\)|sum\((?:bytes|delta)\)|avg\(bytes\)|uniq\(user\)|max\(price\))$/.test(call);
  if (!plain || random(2) === 0) return call;
  const where = condition(random, time);
  return random(2) === 0
    ? `${call} FILTER (WHERE ${where})`
    : call
        .replace('(', 'If(')
        .replace(/\(?\)$/, (end) => (end === '()' ? '(' : ', '))
        .replace('If(, ', 'If(') + `${where})`;
}

function condition(random: Random, time: string): string {
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  return one([
    "kind = 'a'", 'kind IS NULL', 'status >= 404', 'status IN (200, 500)', 'code > 0', 'code IS NOT NULL', "level = 'high'", "doc.request.method = 'GET'",
    "attributes['place'] = 'fra'", "NOT (kind = 'a')", "(kind = 'b' OR status = 200)", random(5) === 0 ? 'bytes > 100' : 'status = 200', "kind LIKE 'a%'", "if(status = 200, kind = 'a', code = 7)",
    `toHour(${time}, 'UTC') BETWEEN 1 AND 13`, `toStartOfHour(${time}, 'UTC') = toDateTime('2026-03-15 12:00:00', 'UTC')`,
    range(random, time),
    `(status = 200 OR ${range(random, time)})`,
    `NOT (${range(random, time)})`,
  ]); // prettier-ignore
}

export function range(random: Random, time: string): string {
  const [from, until] = [bound(random), bound(random)];
  switch (random(5)) {
    case 0:
      return `${time} BETWEEN ${from} AND ${until}`;
    case 1:
      return `(${time} >= ${from} AND ${until} > ${time})`;
    case 2:
      return `(NULL IS NULL OR ${time} > ${from})`;
    default:
      return `${time} ${['<', '<=', '>', '>='][random(4)]} ${from}`;
  }
}

export function bound(random: Random): string {
  const moment = MOMENTS[random(MOMENTS.length)] ?? MOMENTS[0];
  const shift = [0, 1, 59, 60, 61, -1, 3600, 1799, 86_400, random(10_000)][random(10)] ?? 0;
  const time = new Date(Date.parse(`${moment}Z`) + shift * 1000).toISOString().slice(0, 19).replace('T', ' ');
  const fraction = ['', '', '.000001', '.999999', '.5'][random(5)];
  switch (random(8)) {
    case 7:
      return ["toDateTimeOrNull('none')", `if(1 = 2, toDateTime('${time}', 'UTC'), NULL)`, `CASE WHEN 1 = 2 THEN toDateTime('${time}', 'UTC') END`, `toDateTimeOrNull('${time}', 'UTC')`][random(4)] ?? 'NULL'; // prettier-ignore
    case 0:
      return `toDateTime('${time}', 'UTC')`;
    case 1:
      return `toDate('${time.slice(0, 10)}')`;
    case 2:
      return `toDateTime64('${time}', 3, 'Asia/Kolkata') - INTERVAL ${1 + random(90)} MINUTE`;
    case 3:
      return `'${time}'`;
    case 4:
      return 'now() - INTERVAL 300 DAY';
    case 5:
      return `toStartOfHour(toDateTime('${time}', 'Europe/Berlin'))`;
    default:
      return `toDateTime64('${time}${fraction}', 6, 'UTC')`;
  }
}
