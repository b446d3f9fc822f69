// Mutations of queries that open rows or values in many cases, and rewrites that change no row.
import type { Random } from '../../guard/query/mutants.ts';

export type Edit = (sql: string, random: Random) => string;

export function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** Replaces one of the matches of `pattern`; the query as it is if there is none. */
function one(pattern: RegExp, replace: (groups: readonly string[], random: Random) => string): Edit {
  return (sql, random) => {
    const matches = [...sql.matchAll(pattern)];
    if (matches.length === 0) return sql;
    const match = pick(matches, random);
    const groups = match.map((group: string | undefined) => group ?? '');
    return sql.slice(0, match.index) + replace(groups, random) + sql.slice(match.index + match[0].length);
  };
}

const NAME = String.raw`(?:\w+\.)?(?:\w+)`;
const TENANT_COLUMN = String.raw`(?:\w+\.)?\b(?:tenant|shop|org|site|account)\b`;
const COLUMNS: readonly string[] =
  'tenant shop org site account user_id id path email name phone card salary total status device value visitor url order_id amount customer agent'.split(
    ' ',
  );
const TABLES: readonly string[] =
  'events users orders customers refunds readings devices hits visitors tickets agents lines'.split(' ');
const TENANT = new RegExp(String.raw`(${TENANT_COLUMN}) = (@(?:tenant|shop|org|site|account)\b)`, 'g');
const CONDITION = new RegExp(
  String.raw`(${NAME}) (=|!=|>=|<=|<|>) (@\w+|\d+\b|'\w*'|\w+\.\w+)(?! *[-+*/])`,
  'g',
);
const JOIN = /\b(?:(?:LEFT|RIGHT|INNER|FULL|CROSS|ANY|SEMI|ANTI|ASOF|ALL) )*JOIN\b/g;
const KEYS = /\bON ((?:\w+\.)?\w+ = (?:\w+\.)?\w+)( AND (?:\w+\.)?\w+ = (?:\w+\.)?\w+)+/g;
const JOINS: readonly string[] = [
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
  'ANY JOIN',
];
const MASKS =
  /\b(?:hex|SHA256|MD5|cityHash64|sipHash64|substring|upper|lower|length|uniq|count|intDiv|right|left|startsWith|replaceRegexpAll|concat)\((\w+(?:\.\w+)?)/g;
const GUARD = /\bif\(([^(),]+), ([^(),]+|toString\([\w.]+\)), ([^(),]+)\)/g;

const alternatives = [
  "'a' = 'a'",
  '@flag = 1',
  "@word = ''",
  '1',
  'id > 1',
  "tenant != 'x'",
  "shop != 'x'",
  'org > 0',
  'account > 0',
];

/** What each does, and the edit. */
export const MUTATIONS: readonly (readonly [name: string, edit: Edit])[] = [
  ['drops a condition', one(CONDITION, () => '1')],
  ['drops the tenant', one(TENANT, () => '1')],
  [
    'changes an operator',
    one(CONDITION, ([, a, , b], random) => `${a} ${pick(['!=', '>=', '<=', '<', '>'], random)} ${b}`),
  ],
  [
    'changes the tenant’s operator',
    one(TENANT, ([, a, b], random) =>
      pick(
        [
          `${a} != ${b}`,
          `${a} >= ${b}`,
          `${a} <= ${b}`,
          `${a} NOT IN (${b})`,
          `toString(${a}) LIKE '%'`,
          `length(toString(${a})) = length(toString(${b}))`,
        ],
        random,
      ),
    ),
  ],
  ['wraps in NOT', one(CONDITION, ([all]) => `NOT (${all})`)],
  ['adds an alternative', one(TENANT, ([all], random) => `(${all} OR ${pick(alternatives, random)})`)],
  ['AND becomes OR', one(/\bAND\b/g, () => 'OR')],
  [
    'guards a condition',
    one(TENANT, ([all], random) =>
      pick(
        [
          `if(@flag = 1, 1, ${all})`,
          `coalesce(nullIf(${all}, 0), 1)`,
          `CASE WHEN @word = '' THEN 1 ELSE ${all} END`,
          `xor(${all}, @flag)`,
          `greatest(${all}, @flag)`,
          `((${all}) + @flag) > 0`,
        ],
        random,
      ),
    ),
  ],
  [
    'replaces the parameter',
    one(/@(?:tenant|shop|org|site|account)\b/g, (_, random) =>
      pick(['@user', '@word', '@flag', "'b'", '2', '20', "'00000000-0000-0000-0000-00000000000b'"], random),
    ),
  ],
  ['compares with a column', one(TENANT, ([, column]) => `${column} = ${column}`)],
  [
    'adds a value',
    one(
      TENANT,
      ([, column, value], random) =>
        `${column} IN (${value}, ${pick(["'b'", '2', '20', "'00000000-0000-0000-0000-00000000000b'"], random)})`,
    ),
  ],
  [
    'IN of a subquery',
    one(
      TENANT,
      ([, column = ''], random) =>
        `${column} IN (SELECT ${column.split('.').at(-1)} FROM app.${pick(TABLES, random)})`,
    ),
  ],
  ['another join', one(JOIN, (_, random) => pick(JOINS, random))],
  ['another join again', one(JOIN, (_, random) => pick(JOINS, random))],
  [
    'drops a key',
    one(KEYS, ([all = ''], random) => {
      const keys = all.slice(3).split(' AND ');
      keys.splice(Math.floor(random() * keys.length), 1);
      return `ON ${keys.join(' AND ')}`;
    }),
  ],
  ['drops the first key', one(/\bON [\w.]+ = [\w.]+ AND /g, () => 'ON ')],
  ['a key becomes an alternative', one(KEYS, ([all = '']) => all.replace(' AND ', ' OR '))],
  [
    'another column',
    one(
      /\b(?:tenant|shop|org|site|account|user_id|id|path|email|name|customer|device|order_id)\b(?! *\()/g,
      (_, random) => pick(COLUMNS, random),
    ),
  ],
  [
    'another column again',
    one(/(?<=SELECT (?:[\w.]+, )*)[\w.]+(?=,| FROM)/g, (_, random) => pick(COLUMNS, random)),
  ],
  [
    'one more column',
    one(/\bSELECT\b(?! (?:DISTINCT|\*))/g, (_, random) => `SELECT ${pick([...COLUMNS, '*'], random)},`),
  ],
  ['another table', one(/\bapp\.\w+/g, (_, random) => `app.${pick(TABLES, random)}`)],
  [
    'tables exchanged',
    (sql) => {
      const [a, b] = [...new Set([...sql.matchAll(/\bapp\.\w+/g)].map(([name]) => name))];
      return a === undefined || b === undefined
        ? sql
        : sql.replaceAll(/\bapp\.\w+/g, (name) => ({ [a]: b, [b]: a })[name] ?? name);
    },
  ],
  ['another clause', one(/\bWHERE\b/g, (_, random) => pick(['QUALIFY', 'HAVING', 'PREWHERE'], random))],
  [
    'drops a filter',
    one(
      / (?:WHERE|PREWHERE|HAVING|QUALIFY) [^()]*?(?= GROUP | ORDER | LIMIT | UNION | EXCEPT |\)|$)/g,
      () => '',
    ),
  ],
  [
    'moves the filter outside',
    (sql) => {
      const found = /\b(tenant|shop|org|site|account) = (@\w+)/.exec(sql);
      if (found === null || sql.startsWith('WITH')) return sql;
      const [, column = '', value = ''] = found;
      return `SELECT * EXCEPT (t9) FROM (${sql.replace('SELECT', `SELECT ${column} AS t9,`).replace(found[0], '1')}) AS q WHERE t9 = ${value}`;
    },
  ],
  [
    'moves the filter outside a window',
    (sql) => {
      const found = /\b(tenant|shop|org|site|account) = (@\w+)/.exec(sql);
      if (found === null || sql.startsWith('WITH')) return sql;
      const [, column = '', value = ''] = found;
      return `SELECT * EXCEPT (t9) FROM (${sql.replace('SELECT', `SELECT any(${column}) OVER () AS t9, count() OVER () AS n9,`).replace(found[0], '1')}) AS q WHERE t9 = ${value}`;
    },
  ],
  ['removes a mask', one(MASKS, ([, inner]) => `identity(${inner}`)],
  ['removes a mask whole', one(/\bhex\(\w+\((\w+)\)\)/g, ([, inner = '']) => inner)],
  ['exchanges branches', one(GUARD, ([, a, b, c]) => `if(${a}, ${c}, ${b})`)],
  ['opens a guard', one(GUARD, ([, , b]) => b ?? '')],
  ['changes a guard', one(GUARD, ([, a = '', b, c]) => `if(${a.replace(/=/, '>=')}, ${b}, ${c})`)],
  [
    'adds a branch',
    (sql, random) =>
      `${sql} UNION ALL ${pick([sql.replace(TENANT, '1'), sql.replace(TENANT, '@flag = 1'), sql], random)}`,
  ],
  [
    'subtracts a branch',
    (sql, random) => `${sql} ${pick(['EXCEPT', 'INTERSECT'], random)} ${sql.replace(TENANT, '1')}`,
  ],
  [
    'another union',
    one(/\bUNION ALL\b|\bEXCEPT\b/g, (_, random) =>
      pick(['EXCEPT', 'INTERSECT', 'UNION DISTINCT', 'UNION ALL'], random),
    ),
  ],
  [
    'a dictionary',
    one(
      /\bSELECT\b/g,
      (_, random) =>
        `SELECT ${pick(["dictGet('app.user_cards', 'email', toUInt64(3)) AS d9", "dictHas('app.user_cards', toUInt64(3)) AS d9", "dictGet('app.device_cards', 'label', (toUInt32(2), toUInt64(3))) AS d9", "joinGet('app.phones', 'phone', toUInt64(3)) AS d9"], random)},`,
    ),
  ],
  [
    'a scalar subquery',
    one(/\bSELECT\b/g, (_, random) => `SELECT (SELECT count() FROM app.${pick(TABLES, random)}) AS s9,`),
  ],
  [
    'a condition by a subquery',
    one(/\bWHERE\b/g, (_, random) => `WHERE (SELECT count() FROM app.${pick(TABLES, random)}) > 3 AND`),
  ],
  [
    'one more join',
    (sql, random) =>
      `SELECT * FROM (${sql}) AS x9 ${pick(JOINS, random)} (SELECT * FROM app.${pick(TABLES, random)}) AS y9 ON ${pick(['1 = 1', 'toString(x9.id) = toString(y9.id)', '1 = y9.id'], random)}`,
  ],
  [
    'a window',
    one(
      /\bSELECT\b/g,
      (_, random) =>
        `SELECT ${pick(['count() OVER () AS w9,', 'max(@user) OVER () AS w9,', 'DISTINCT'], random)}`,
    ),
  ],
  [
    'another partition',
    one(/PARTITION BY [\w.]+/g, (_, random) => pick(['', `PARTITION BY ${pick(COLUMNS, random)}`], random)),
  ],
  [
    'another group',
    one(/GROUP BY [\w., ]+/g, (_, random) =>
      pick(['', 'GROUP BY ALL', `GROUP BY ${pick(COLUMNS, random)}`, 'GROUP BY ROLLUP(1)'], random),
    ),
  ],
  [
    'a limit',
    one(
      /\)|$/g,
      ([all], random) =>
        ` ${pick(['ORDER BY ALL LIMIT 1', 'ORDER BY ALL DESC LIMIT 1', 'ORDER BY ALL LIMIT 1 BY id', 'ORDER BY ALL OFFSET 1'], random)}${all}`,
    ),
  ],
  ['NOT IN', one(/ IN /g, () => ' NOT IN ')],
  [
    'another USING',
    one(
      /USING \([\w, ]+\)/g,
      (_, random) => `USING (${pick(['user_id', 'tenant', 'shop', 'id', 'order_id'], random)})`,
    ),
  ],
  [
    'a nested alias',
    one(
      /\bAS (\w+)\b/g,
      (_, random) => `AS ${pick(['tenant', 'shop', 'org', 'account', 'id', 'p'], random)}`,
    ),
  ],
];

const spaced = (text: string, random: Random): string =>
  text.replaceAll(' ', () => pick([' ', '\n', '  ', ' /* x */ '], random));

/** Ends of the parentheses that open at `start`; undefined if they do not close. */
function closing(sql: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < sql.length; at++) {
    if (sql[at] === "'") at = sql.indexOf("'", at + 1);
    if (at < start) return undefined;
    if (sql[at] === '(') depth++;
    if (sql[at] === ')' && --depth === 0) return at;
  }
  return undefined;
}

/** `FROM (SELECT …) AS e` becomes a table of the WITH clause. */
const extracted: Edit = (sql, random) => {
  const matches = [...sql.matchAll(/(?:FROM|JOIN) (?=\(SELECT)/g)];
  if (matches.length === 0) return sql;
  const match = pick(matches, random);
  const start = match.index + match[0].length;
  const end = closing(sql, start);
  const alias = end === undefined ? null : /^\) AS \w+(?! *\()/.exec(sql.slice(end));
  if (end === undefined || alias === null) return sql;
  const rest = `${sql.slice(0, start)}part9${sql.slice(end + 1)}`;
  const table = `part9 AS ${sql.slice(start, end + 1)}`;
  if (!rest.startsWith('WITH ')) return `WITH ${table} ${rest}`;
  return `WITH ${table}, ${rest.slice(5)}`;
};

/** `WITH x AS (…)` becomes two tables. */
const split: Edit = (sql) => {
  const match = /^WITH (\w+) AS (?=\(SELECT)/.exec(sql);
  const end = match === null ? undefined : closing(sql, match[0].length);
  if (match === null || end === undefined) return sql;
  return `WITH first9 AS ${sql.slice(match[0].length, end + 1)}, ${match[1]} AS (SELECT * FROM first9)${sql.slice(end + 1)}`;
};

const renamedAlias: Edit = (sql, random) => {
  const matches = [...sql.matchAll(/app\.\w+ AS (\w)\b(?!\()/g)].map(([, alias = '']) => alias);
  if (matches.length === 0) return sql;
  const alias = pick(matches, random);
  if (new RegExp(String.raw`(?<!app\.\w+) AS ${alias}\b`).test(sql)) return sql;
  return sql
    .replaceAll(new RegExp(String.raw`\b${alias}\.`, 'g'), `${alias}${alias}9.`)
    .replaceAll(new RegExp(String.raw` AS ${alias}\b`, 'g'), ` AS ${alias}${alias}9`);
};

const renamedTable: Edit = (sql) => {
  const name = /^WITH (\w+) AS \(/.exec(sql)?.[1];
  return name === undefined
    ? sql
    : sql.replaceAll(new RegExp(String.raw`\b${name}\b(?!\()`, 'g'), `${name}_rows`);
};

const KEYWORDS =
  /\b(?:SELECT|FROM|WHERE|AND|OR|JOIN|LEFT|INNER|ON|GROUP BY|ORDER BY|AS|WITH|UNION ALL|IN|CASE|WHEN|THEN|ELSE|END)\b/g;

const wrapped =
  (wrap: (sql: string) => string): Edit =>
  (sql) =>
    /\b(?:ORDER BY|LIMIT)\b/.test(sql) ? sql : wrap(sql);

/** Each returns the same rows in most cases. */
export const REWRITES: readonly (readonly [name: string, edit: Edit])[] = [
  ['parentheses', one(CONDITION, ([all]) => `(${all})`)],
  [
    'sides exchanged',
    one(CONDITION, ([all, a, operator = '', b]) => {
      const turned = { '=': '=', '!=': '!=', '>=': '<=', '<=': '>=', '<': '>', '>': '<' }[operator];
      return turned === undefined ? (all ?? '') : `${b} ${turned} ${a}`;
    }),
  ],
  ['==', one(CONDITION, ([all = '']) => all.replace(' = ', ' == '))],
  ['IN of one', one(TENANT, ([, a, b]) => `${a} IN (${b})`)],
  ['IN of an array', one(TENANT, ([, a, b]) => `${a} IN [${b}]`)],
  ['has', one(TENANT, ([, a, b]) => `has([${b}], ${a})`)],
  ['NOT of !=', one(TENANT, ([, a, b]) => `NOT (${a} != ${b})`)],
  ['two NOTs', one(CONDITION, ([all]) => `NOT (NOT (${all}))`)],
  ['AND true', one(CONDITION, ([all], random) => `(${all} AND ${pick(['true', '1', '1 = 1'], random)})`)],
  ['OR false', one(CONDITION, ([all], random) => `(${all} OR ${pick(['false', '0', '1 = 2'], random)})`)],
  ['twice', one(CONDITION, ([all]) => `(${all} AND ${all})`)],
  ['a function instead of an operator', one(TENANT, ([, a, b]) => `equals(${a}, ${b})`)],
  [
    'conjuncts exchanged',
    one(
      /([\w.]+ (?:=|>=|<=|>|<) (?:@\w+|\d+|\w+\.\w+)) AND ([\w.]+ (?:=|>=|<=|>|<) (?:@\w+|\d+|\w+\.\w+))(?! *[-+*/])/g,
      ([, a, b]) => `${b} AND ${a}`,
    ),
  ],
  ['PREWHERE', one(/\bWHERE\b/g, () => 'PREWHERE')],
  [
    'INNER JOIN',
    one(/(?<!(?:ANY|SEMI|ANTI|ASOF|LEFT|RIGHT|FULL|INNER|CROSS|ARRAY|ALL) )JOIN\b/g, () => 'INNER JOIN'),
  ],
  ['OUTER', one(/\b(LEFT|RIGHT|FULL) JOIN\b/g, ([, side]) => `${side} OUTER JOIN`)],
  [
    'a subquery of a table',
    one(/\b(app\.\w+) AS (\w+)/g, ([, table, alias]) => `(SELECT * FROM ${table}) AS ${alias}`),
  ],
  ['a subquery around it', wrapped((sql) => (sql.startsWith('WITH') ? sql : `SELECT * FROM (${sql})`))],
  [
    'a WITH table of it',
    wrapped((sql) => (sql.startsWith('WITH') ? sql : `WITH whole9 AS (${sql}) SELECT * FROM whole9`)),
  ],
  ['a subquery becomes a WITH table', extracted],
  ['one WITH table becomes two', split],
  ['a renamed alias', renamedAlias],
  ['a renamed WITH table', renamedTable],
  ['a comment', (sql) => `${sql} -- tenant != @tenant`],
  ['spaces', (sql, random) => (sql.includes("'") || sql.includes('--') ? sql : spaced(sql, random))],
  ['lower case', (sql) => sql.replaceAll(KEYWORDS, (word) => word.toLowerCase())],
  ['count(*)', one(/\bcount\(\)/g, () => 'count(*)')],
  [
    'NOT of the opposite',
    one(
      /([\w.]+) (>|<) (\d+|@\w+)/g,
      ([, a, operator, b]) => `NOT (${a} ${operator === '>' ? '<=' : '>='} ${b})`,
    ),
  ],
  ['a CAST', one(/([\w.]+)::String/g, ([, inner]) => `CAST(${inner} AS String)`)],
  [
    'BETWEEN',
    one(/([\w.]+) >= (@\w+) AND \1 <= (@\w+)/g, ([, a, low, high]) => `${a} BETWEEN ${low} AND ${high}`),
  ],
  [
    'not BETWEEN',
    one(/([\w.]+) BETWEEN (@\w+) AND (@\w+)/g, ([, a, low, high]) => `${a} >= ${low} AND ${a} <= ${high}`),
  ],
  ['CASE', one(GUARD, ([, a, b, c]) => `CASE WHEN ${a} THEN ${b} ELSE ${c} END`)],
  ['multiIf', one(GUARD, ([, a, b, c]) => `multiIf(${a}, ${b}, ${c})`)],
  ['if()', one(CONDITION, ([all]) => `if(${all}, 1, 0)`)],
  ['if() of the opposite', one(CONDITION, ([all]) => `if(NOT (${all}), 0, 1)`)],
  ['multiIf()', one(CONDITION, ([all]) => `multiIf(${all}, true, false)`)],
  ['a CASE of conditions', one(CONDITION, ([all]) => `CASE WHEN ${all} THEN 1 ELSE 0 END`)],
  ['ifNull()', one(CONDITION, ([all]) => `ifNull(${all}, 0)`)],
  ['ifNull() of what is not NULL', one(TENANT, ([all]) => `ifNull(${all}, 1)`)],
  ['coalesce()', one(TENANT, ([all]) => `coalesce(${all}, 1)`)],
  ['= 1', one(CONDITION, ([all]) => `(${all}) = 1`)],
  [
    'a CAST of the column',
    one(/\b((?:\w\.)?(?:tenant|shop)) = @/g, ([, column]) => `CAST(${column} AS String) = @`),
  ],
  [
    'toString() of the column',
    one(/\b((?:\w\.)?(?:tenant|shop)) = @/g, ([, column]) => `toString(${column}) = @`),
  ],
  [
    '+ 0',
    one(
      /\b((?:\w\.)?(?:id|user_id|order_id|customer|device|org|account|ms)) (=|>|<) /g,
      ([, column, operator]) => `${column} + 0 ${operator} `,
    ),
  ],
  ['a list as OR', one(/([\w.]+) IN \(('\w+'), ('\w+')\)/g, ([, a, b, c]) => `(${a} = ${c} OR ${a} = ${b})`)],
  [
    'a bound and a weaker one',
    one(/([\w.]+) > (\d+)/g, ([all, a, b]) => `(${all} AND ${a} > ${Number(b) - 1})`),
  ],
  [
    'a bound or a tighter one',
    one(/([\w.]+) > (\d+)/g, ([all, a, b]) => `(${all} OR ${a} > ${Number(b) + 1})`),
  ],
  [
    'distributed',
    one(
      /([\w.]+ (?:=|>|<) (?:@\w+|\d+)) AND \((.+?) OR (.+?)\)/g,
      ([, a, b, c]) => `(${a} AND ${b} OR ${a} AND ${c})`,
    ),
  ],
  ['ORDER BY', wrapped((sql) => `${sql} ORDER BY 1`)],
  ['1 first', one(/\bWHERE /g, () => 'WHERE 1 AND ')],
  [
    'an empty branch',
    wrapped((sql) => (sql.startsWith('WITH') ? sql : `${sql} UNION ALL SELECT * FROM (${sql}) WHERE 0`)),
  ],
  [
    'tables exchanged',
    one(
      /\bFROM (app\.\w+) AS (\w+)\s+(INNER JOIN|JOIN) (app\.\w+) AS (\w+) ON/g,
      ([, t1, a1, kind, t2, a2]) => `FROM ${t2} AS ${a2} ${kind} ${t1} AS ${a1} ON`,
    ),
  ],
  [
    'WHERE instead of ON',
    one(
      /(?<!\w )(?:INNER )?JOIN (app\.\w+) AS (\w+) ON ([^()]+?)\s+WHERE/g,
      ([, table, alias, on]) => `, ${table} AS ${alias} WHERE ${on} AND`,
    ),
  ],
  ['the parameter through a cast', one(/= @(tenant|shop)\b/g, ([, name]) => `= CAST(@${name} AS String)`)],
  [
    'the parameter through a subquery',
    one(/= (@(?:tenant|shop|org|site|account))\b/g, ([, name]) => `= (SELECT ${name})`),
  ],
  [
    'the parameter through WITH',
    (sql) =>
      sql.startsWith('SELECT') && /= @shop\b/.test(sql)
        ? `WITH @shop AS wanted9 ${sql.replaceAll(/= @shop\b/g, '= wanted9')}`
        : sql,
  ],
];

/** One to `most` edits of `from`, and their names. */
export function edited(
  from: string,
  all: readonly (readonly [name: string, edit: Edit])[],
  most: number,
  random: Random,
): { readonly sql: string; readonly names: readonly string[] } {
  const count = 1 + Math.floor(random() * most);
  let sql = from;
  const names: string[] = [];
  for (let tries = 0; names.length < count && tries < count * 6; tries++) {
    const [name, edit] = pick(all, random);
    const next = edit(sql, random);
    if (next !== sql) names.push(name);
    sql = next;
  }
  return { sql, names };
}
