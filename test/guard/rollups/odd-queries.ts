// Generated queries in forms that are rarely written: names that mean several things, and every clause of SELECT.
import type { Random } from '../sandbox/mutants.ts';
import { bound, range } from './queries.ts';

/** Expressions by types that are compared with each other. */
const KEYS = [
  'kind', 'status', 'code', 'level', 'ip', 'id', 'fixed', 'flag', 'day', 'wide', 'shown', 'made', 'path', 'pair.kind', 'pair.1', 'tupleElement(pair, 1)',
  'doc.request.method', "attributes['place']", 'status >= 500', 'upper(kind)', "toHour(at, 'UTC')", "at > toDateTime('2026-03-15 12:34:30', 'UTC')", 'bytes > 100',
  'length(path)', "arrayExists(x -> x = kind, ['a', 'b'])", "arrayExists(kind -> kind = 'a', [kind])", '`count(bytes)`', '`#made`', "concat(path, '`')", '`doc.request.method`',
  "toStartOfHour(at, 'UTC')", "toStartOfDay(at, 'UTC')", "toStartOfMinute(at)", "toDate(at, 'UTC')", '(kind, status)', '[status, made]', 'multiIf(status >= 500, kind, upper(kind))',
  "kind IN ('a', 'b')", 'status BETWEEN 200 AND 404', 'code IS NULL ? status : made', 'CAST(status AS String)', 'status::UInt64', '-code', 'events.kind', 'e.kind', 'e.pair.kind',
  "CASE kind WHEN 'a' THEN 1 ELSE 2 END", "ifNull(kind, 'none') || 'x'", '1', "'text'", 'NULL', "map('a', status)", "level = 'low'", 'toString(level)', 'isNull(code)', 'NOT flag',
] as const; // prettier-ignore

const CALLS = [
  'count()', 'count(*)', 'count(1)', 'count(kind)', 'count(status)', 'count(bytes)', 'count(bytes, kind)', 'sum(bytes)', 'sum(delta)', 'sum(flag)', 'sum(wide)', 'sum(status)', 'avg(bytes)',
  'avg(delta)', 'min(bytes)', 'min(at)', 'max(ip)', 'min(id)', 'max(fixed)', 'min(flag)', 'max(day)', 'min(wide)', 'max(pair)', 'min(tags)', 'max(pair.kind)', 'max(e.status)', 'uniq(user)',
  'uniqExact(ratio)', 'uniq(pair)', 'uniq(kind, status)', 'count(DISTINCT kind)', 'count(DISTINCT kind, status)', 'uniqExact(ip)', 'groupBitXor(bytes)', 'groupBitAnd(bytes)', 'groupBitAnd(status)',
  'minIf(bytes, status >= 500)', 'sumIf(bytes, code > 0)', 'sumIf(bytes, NULL)', 'countIf(code > 0)', 'countIf(kind, code > 0)', 'countIf(NOT (status >= 500))', 'sum(bytes) FILTER (WHERE kind = \'a\')', 'max(count())',
  'count(status AS kind)', 'max(status AS made)', 'sumIf(bytes, (status >= 500) AS failing)', 'maxIf(status, code IS NULL)', 'avgIf(bytes, status >= 500)', 'uniqIf(kind, code > 100)', 'sumOrNull(bytes)', 'any(kind)',
  'max(toStartOfHour(at, \'UTC\'))', "min(toHour(at, 'UTC'))", 'count() + 1', 'sum(bytes) / count()', 'max(upper(kind))', 'quantileBFloat16(0.95)(bytes)', 'quantilesBFloat16(0.5)(ratio)', 'sum(DISTINCT bytes)',
] as const; // prettier-ignore

const NAMES = ['a', 'b', 'kind', 'status', 'at', 'e', 't', 'made', 'count()', '#made', '#time', 'upper(kind)', 'events', 'x'] as const; // prettier-ignore

const LAYERS = [
  'SELECT * FROM T AS e', 'SELECT *, upper(kind) AS shouted FROM T AS e', "SELECT *, 'a' AS kind FROM T", 'SELECT *, status AS made FROM T', 'SELECT * REPLACE (upper(kind) AS kind) FROM T',
  'SELECT status AS kind, kind AS status, at, bytes, made, pair FROM T', 'SELECT e.kind, e.status, e.at, e.bytes, made, delta FROM T AS e', "SELECT toStartOfHour(at, 'UTC') AS at, kind, status, bytes FROM T",
  'SELECT *, toStartOfDay(at) AS at FROM T', 'SELECT pair AS e, kind, status, at, bytes FROM T', 'SELECT DISTINCT kind, status, made, at FROM T', 'SELECT kind, status, bytes, at, shown, made FROM T PREWHERE kind IS NOT NULL',
  'FROM T SELECT *', "SELECT * FROM T WHERE status != 404 ORDER BY at", 'SELECT * FROM view(SELECT * FROM T AS e) AS e', 'SELECT *, made FROM T', 'WITH upper(kind) AS u SELECT *, u FROM T', 'SELECT upper(status AS made) AS unread, * FROM T',
  'SELECT *, doc.request.method AS method, doc AS d FROM T', 'SELECT kind, count() AS bytes, max(at) AS at, any(status) AS status FROM T GROUP BY kind', 'SELECT * FROM T LIMIT 1000000000000000000',
] as const; // prettier-ignore

/** The parts of a query, and how they are put together. */
export function generateOddQuery(random: Random, database: string): string {
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const some = (list: readonly string[], most: number): readonly string[] =>
    Array.from({ length: random(most + 1) }, () => one(list));
  const named = (text: string): string => {
    const kind = random(6);
    if (kind === 0) return text;
    return kind === 1 ? `${text} AS \`${one(NAMES)}\`` : `${text} AS k${random(50)}`;
  };
  const keys = some(KEYS, 3);
  const calls = some(CALLS, 3);
  const items = [...keys, ...(keys.length + calls.length === 0 ? ['count()'] : calls)].map(named);
  const names = items.map((item) => /AS (\S+)$/.exec(item)?.[1] ?? item);
  const group = grouping(random, keys, names.slice(0, keys.length));
  const condition = (): string =>
    one([
      range(random, 'at'), `NOT ${range(random, 'at')}`, `e.at > ${bound(random)}`, `at >= since`, "kind = 'a'", `${one(KEYS)} = ${one(KEYS)}`, 'status >= 500', 'code > 0', `(${one(KEYS)}) IS NOT NULL`, `at = ${bound(random)}`,
      "kind IN (SELECT 'a')", 'flag', "shown = 'a'", `k${random(9)} = 1`, 'bytes > 100', "toHour(at, 'UTC') > 5", "at > toDateTime('2026-03-15 12:34:30', 'UTC')", `${one(NAMES.slice(0, 3))} = 200`,
    ]); // prettier-ignore
  const conditions = Array.from({ length: random(3) }, condition);
  const where = conditions.length === 0 ? '' : ` ${one(['WHERE', 'WHERE', 'PREWHERE'])} ${conditions.join(one([' AND ', ' AND ', ' OR ']))}`; // prettier-ignore
  const having = random(5) === 0 ? ` HAVING ${one(['count() > 1', `${names[0]} IS NOT NULL`, 'max(bytes) > 5', '1', condition()])}` : ''; // prettier-ignore
  const qualify = random(20) === 0 ? ' QUALIFY count() > 1' : '';
  const order = random(3) === 0 ? ordering(random, names) : '';
  const values = random(3) === 0 ? `WITH ${one([`toDateTime('2026-03-15 12:10:00', 'UTC') AS since`, `5 AS status`, 'upper(kind) AS x', "'a' AS kind", '(SELECT max(1)) AS one', 'lower(x) AS y, upper(kind) AS x', '(z -> z) AS upper'])} ` : ''; // prettier-ignore
  const isOrdered = order.startsWith(' ORDER BY k');
  const distinct = random(8) === 0 ? one(['DISTINCT ', isOrdered ? `DISTINCT ON (${names[0]}) ` : '']) : '';
  const from = sources(random, database, one);
  return around(random, {
    values,
    body: `SELECT ${distinct}${items.join(', ')} FROM ${from}${where}${group}${having}${qualify}${order}`,
    names,
    database,
  });
}

function sources(random: Random, database: string, one: (list: readonly string[]) => string): string {
  const stored = `${database}.events`;
  const alias = one(['', '', ' AS e', ' AS e', ' AS kind', ' AS pair', ' AS x']);
  const layer = one(LAYERS).replaceAll('T', stored);
  const second = one(LAYERS).replaceAll('T', `(${layer})`);
  switch (random(5)) {
    case 0:
    case 1:
      return `${stored}${alias}`;
    case 2:
      return `(${second})${alias}`;
    default:
      return `(${layer})${alias}`;
  }
}

function grouping(random: Random, keys: readonly string[], names: readonly string[]): string {
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  if (keys.length === 0) return one(['', '', '', ' GROUP BY ()', " GROUP BY 'text'", ' GROUP BY ALL']);
  const list = names.join(', ');
  return one([
    ` GROUP BY ${list}`, ` GROUP BY ${list}`, ` GROUP BY ${keys.join(', ')}`, ` GROUP BY ${keys.map((_, at) => String(at + 1)).join(', ')}`, ' GROUP BY ALL', ` GROUP BY (${list})`, ` GROUP BY GROUPING SETS ((${list}), (${names[0]}), ())`,
    ` GROUP BY ROLLUP(${list})`, ` GROUP BY CUBE(${list})`, ` GROUP BY ${list} WITH TOTALS`, ` GROUP BY ${list} WITH ROLLUP`, ` GROUP BY ${list}, status`, '',
  ]); // prettier-ignore
}

/** All items, so that rows have one order; those that are equal in all of them are equal. */
function ordering(random: Random, names: readonly string[]): string {
  const one = (list: readonly string[]): string => list[random(list.length)] ?? '';
  const order = one([' ORDER BY ALL', ` ORDER BY ${names.map((name) => `${name}${one(['', ' DESC', ' NULLS FIRST'])}`).join(', ')}`]); // prettier-ignore
  const limit = one(['', ' LIMIT 3', ' LIMIT 1, 2', ' LIMIT -2', ' LIMIT 0.5', ' LIMIT 2 WITH TIES', ' OFFSET 1', ' OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY']); // prettier-ignore
  return `${order}${limit}`;
}

interface Around {
  readonly values: string;
  readonly body: string;
  readonly names: readonly string[];
  readonly database: string;
}

function around(random: Random, { values, body, names, database }: Around): string {
  const stored = `${database}.events`;
  const whole = `${values}${body}`;
  switch (random(12)) {
    case 0:
      return `${values}SELECT 1 AS one UNION ALL ${body}`;
    case 1:
      return `SELECT count() AS n FROM (${whole})`;
    case 2:
      return `WITH t AS (${whole}) SELECT (SELECT count() FROM t) AS n, * FROM t`;
    case 3:
      return `SELECT kind AS k, count() AS n FROM ${stored} WHERE EXISTS (${whole}) GROUP BY k`;
    case 4:
      return `${values}SELECT * FROM (${body}) AS l CROSS JOIN (SELECT 1 AS one) AS r`;
    case 5:
      return `WITH a AS (SELECT count() AS n FROM t), t AS (SELECT kind, status, at FROM ${stored}) SELECT count() AS n FROM t UNION ALL SELECT n FROM a`;
    case 6:
      return `${whole} ${['UNION DISTINCT', 'INTERSECT', 'EXCEPT'][random(3)]} ${whole}`;
    case 7:
      return `SELECT * EXCEPT (${names[0]?.replace(/^(?!k\d)[^`].*/, 'k1')}) FROM (${whole})`;
    default:
      return whole;
  }
}
