// Mutations of queries over two tenants' rows, most of which open them, and rewrites that change nothing.
import { CONFINED } from './queries.ts';

/** Numbers from 0 to below 1. */
export type Random = () => number;

/** A deterministic generator (https://en.wikipedia.org/wiki/Xorshift). */
export function createRandom(seed: number): Random {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

type Edit = (sql: string, random: Random) => string;

function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Replaces one of the matches of `pattern`. */
function replaceOne(pattern: RegExp, replace: (match: string, random: Random) => string): Edit {
  return (sql, random) => {
    const matches = [...sql.matchAll(pattern)];
    if (matches.length === 0) return sql;
    const match = pick(matches, random);
    return sql.slice(0, match.index) + replace(match[0], random) + sql.slice(match.index + match[0].length);
  };
}

const COLUMNS = [
  'tenant',
  'path',
  'user_id',
  'id',
  'email',
  'amount',
  'ms',
  'parent',
  'manager',
  'country',
  'meta.project',
  'meta.host',
];
const CONDITION =
  /(?:\w+\.)?tenant (?:=|==|!=) (?:@tenant|\w+\.tenant)|@tenant = tenant|(?:\w+\.)?\w+ = \w+\.\w+/g;
const JOIN = /\b(?:(?:LEFT|RIGHT|INNER|FULL|CROSS|ANY|SEMI|ANTI|ASOF|PASTE) )*JOIN\b/g;
const JOINS = [
  'JOIN',
  'LEFT JOIN',
  'RIGHT JOIN',
  'FULL JOIN',
  'LEFT SEMI JOIN',
  'RIGHT SEMI JOIN',
  'LEFT ANTI JOIN',
  'RIGHT ANTI JOIN',
  'ANY LEFT JOIN',
  'ANY RIGHT JOIN',
  'ANY INNER JOIN',
  'ASOF JOIN',
  'ASOF LEFT JOIN',
];
const TABLE = /logs\.(?:events|users|orders)\b/g;

/** Each changes what a query returns, in most cases. */
const MUTATIONS: readonly Edit[] = [
  replaceOne(CONDITION, () => '1'),
  replaceOne(CONDITION, (match) => match.replace(/ ==? /, ' != ')),
  replaceOne(CONDITION, (match) => match.replace(/ ==? /, ' >= ')),
  replaceOne(
    CONDITION,
    (match, random) =>
      `(${match} OR ${pick(['user_id > 1', 'id > 1', "email != 'x'", "path = '/w'", '@flag = 1', 'tenant != path'], random)})`,
  ),
  replaceOne(CONDITION, (match) => `NOT (${match})`),
  replaceOne(CONDITION, (match) => `if(@flag = 1, 1, ${match})`),
  replaceOne(CONDITION, (match) => `coalesce(nullIf(${match}, 0), 1)`),
  replaceOne(/ AND [^()]*?(?= AND | GROUP | ORDER | LIMIT | UNION | WHERE |\)|$)/g, () => ''),
  replaceOne(/ (?:WHERE|PREWHERE) [^()]*?(?= GROUP | ORDER | LIMIT | UNION |\)|$)/g, () => ''),
  replaceOne(/\bAND\b/g, () => 'OR'),
  replaceOne(/\bOR\b/g, () => 'AND'),
  replaceOne(JOIN, (_, random) => pick(JOINS, random)),
  replaceOne(JOIN, (_, random) => pick(JOINS, random)),
  replaceOne(
    /USING \(\w+\)/g,
    (_, random) => `USING (${pick(['tenant', 'user_id', 'tenant, user_id', 'id'], random)})`,
  ),
  replaceOne(/\b(?:tenant|path|user_id|id|email|amount)\b/g, (_, random) => pick(COLUMNS, random)),
  replaceOne(/\b(?:tenant|path|user_id|id|email|amount)\b/g, (_, random) => pick(COLUMNS, random)),
  replaceOne(TABLE, (_, random) => pick(['logs.events', 'logs.users', 'logs.orders'], random)),
  (sql) =>
    sql.replaceAll(
      TABLE,
      (name) => ({ 'logs.events': 'logs.users', 'logs.users': 'logs.events' })[name] ?? name,
    ),
  replaceOne(/\bWHERE\b/g, (_, random) => pick(['QUALIFY', 'HAVING', 'PREWHERE'], random)),
  replaceOne(/\bQUALIFY|HAVING\b/g, () => 'WHERE'),
  replaceOne(/\bUNION (?:ALL|DISTINCT)\b|\bEXCEPT\b|\bINTERSECT\b/g, (_, random) =>
    pick(['EXCEPT', 'INTERSECT', 'UNION ALL', 'UNION DISTINCT'], random),
  ),
  replaceOne(/ IN /g, () => ' NOT IN '),
  replaceOne(/ NOT IN /g, () => ' IN '),
  replaceOne(/IN \(@tenant\)/g, () => "IN (@tenant, 'b')"),
  replaceOne(/PARTITION BY [\w, ]+/g, (_, random) =>
    pick(['PARTITION BY user_id', 'ORDER BY ts', '', 'PARTITION BY tenant, user_id'], random),
  ),
  replaceOne(/GROUP BY [\w, ]+/g, (_, random) =>
    pick(
      [
        'GROUP BY user_id',
        'GROUP BY tenant',
        'GROUP BY ROLLUP(tenant)',
        'GROUP BY ALL',
        'GROUP BY tenant WITH TOTALS',
      ],
      random,
    ),
  ),
  replaceOne(/@tenant/g, (_, random) =>
    pick(['@word', "'b'", '@user', 'lower(@tenant)', "concat(@tenant, '')", 'path'], random),
  ),
  replaceOne(/\bSELECT\b/g, (_, random) =>
    pick(
      [
        'SELECT DISTINCT',
        'SELECT sum(1) OVER () AS w1,',
        'SELECT row_number() OVER (ORDER BY tenant) AS w2,',
        'SELECT count() AS c9, any(tenant) AS tenant,',
        'SELECT DISTINCT ON (user_id)',
      ],
      random,
    ),
  ),
  replaceOne(
    /\)|$/g,
    (match, random) =>
      ` ${pick(['LIMIT 2', 'ORDER BY 1 LIMIT 1', 'LIMIT 1 BY user_id', 'ORDER BY 1 OFFSET 1', 'ORDER BY 1 DESC LIMIT 1 BY tenant'], random)}${match}`,
  ),
  (sql, random) => `${sql} UNION ALL ${pick(CONFINED, random)[1]}`,
  (sql, random) =>
    `SELECT count() FROM (${sql}) x JOIN ${pick(['logs.users', 'logs.orders', '(SELECT 1 AS id)'], random)} y ON ${pick(['x.user_id = y.id', '1 = y.id', 'x.tenant = y.tenant'], random)}`,
  // Moves the first filter on the tenant to the outside.
  (sql) =>
    sql.startsWith('SELECT')
      ? `SELECT * EXCEPT tenant FROM (${sql.replace('SELECT', 'SELECT tenant,').replace(/ (?:WHERE|PREWHERE) tenant = @tenant/, ' WHERE 1')}) WHERE tenant = @tenant`
      : sql,
  (sql) =>
    sql.startsWith('SELECT')
      ? `SELECT * EXCEPT t9 FROM (${sql.replace('SELECT', 'SELECT e.tenant AS t9,').replace(/e\.tenant = @tenant/, '1')}) WHERE t9 = @tenant`
      : sql,
  replaceOne(/(?:\w+\.)?user_id\b/g, (_, random) =>
    pick(
      [
        "dictGet('logs.emails', 'email', user_id)",
        '(SELECT max(id) FROM logs.users)',
        '(SELECT max(u9.id) FROM logs.users u9 WHERE u9.tenant = e.tenant)',
      ],
      random,
    ),
  ),
];

/** A query of the table of confined ones with one to three mutations. */
export function mutant(random: Random): string {
  let sql = pick(CONFINED, random)[1];
  const count = 1 + Math.floor(random() * 3);
  for (let index = 0; index < count; index++) sql = pick(MUTATIONS, random)(sql, random);
  return sql;
}

/** Each returns the same rows. */
const REWRITES: readonly Edit[] = [
  replaceOne(/(\w+\.)?tenant = @tenant/g, (match) => `(${match})`),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => match.split(' = ').toReversed().join(' == ')),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => match.replace('= @tenant', 'IN (@tenant)')),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => `NOT (${match.replace('=', '!=')})`),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => `(${match} AND 1)`),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => `${match} AND ${match}`),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => `NOT (NOT (${match}) OR 0)`),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => match.replace('@tenant', '(SELECT @tenant)')),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => match.replace('@tenant', 'CAST(@tenant AS String)')),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => `has([@tenant], ${match.split(' = ')[0] ?? ''})`),
  replaceOne(/(?:\w+\.)?tenant = @tenant/g, (match) => `(${match}, 1) = (1, 1) AND ${match}`),
  replaceOne(/ WHERE /g, () => ' WHERE 1 AND '),
  replaceOne(
    / (?<!ANY |SEMI |ANTI |ASOF |LEFT |RIGHT |FULL |INNER |CROSS |PASTE |ARRAY )JOIN /g,
    () => ' INNER JOIN ',
  ),
  replaceOne(
    /logs\.(?:events|users|orders)(?= \w+ (?:ON|USING|JOIN|WHERE|LEFT|SET))/g,
    (match) => `(SELECT * FROM ${match})`,
  ),
  (sql) => (sql.startsWith('WITH') ? sql : `SELECT * FROM (${sql})`),
  (sql) => (sql.startsWith('WITH') ? sql : `WITH whole AS (${sql}) SELECT * FROM whole`),
  (sql) => (sql.startsWith('WITH') ? sql : `${sql} UNION ALL SELECT * FROM (${sql}) WHERE 0`),
  (sql) => `${sql} -- tenant != @tenant`,
];

/** A confined query with one to three rewrites. */
export function rewritten(random: Random): readonly [original: string, sql: string] {
  const original = pick(CONFINED, random)[1];
  let sql = original;
  const count = 1 + Math.floor(random() * 3);
  for (let index = 0; index < count; index++) sql = pick(REWRITES, random)(sql, random);
  return [original, sql];
}
