// Rewrites as people write them: equal rows, fewer rows, or columns calculated from what could be read before.
import { asTables, edits, pairs, type Pair } from './pair.ts';

const PLAIN = `SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5`;

const ORDERS = `SELECT o.id AS id, o.total AS total, c.name AS name
FROM app.orders AS o
INNER JOIN app.customers AS c ON c.shop = o.shop AND c.id = o.customer
WHERE o.shop = @shop AND o.created >= @from AND o.created <= @to`;

const LEFT = `SELECT d.label AS label, r.value AS value FROM (SELECT * FROM app.readings WHERE org = @org) AS r LEFT JOIN app.devices AS d ON d.org = r.org AND d.id = r.device AND d.org = @org`;

const REPORT = `WITH own AS (SELECT path, ms, toStartOfHour(ts) AS hour FROM app.events WHERE tenant = @tenant)
SELECT hour, path, count() AS hits, sum(ms) AS total, max(ms) AS slowest
FROM own GROUP BY hour, path HAVING hits > 0 ORDER BY hour, path`;

const HITS = `SELECT visitor, url, query['q'] AS q, CASE WHEN url = '/in' THEN 'in' ELSE 'other' END AS kind FROM app.hits WHERE site = @site AND at BETWEEN @from AND @to`;

const TICKETS = `SELECT t.id AS id, t.doc.title::String AS title, a.name AS agent FROM app.tickets AS t, app.agents AS a WHERE t.account = @account AND a.account = t.account AND a.id = t.agent`;

const IN_LIST = `SELECT id, status FROM app.orders WHERE shop = @shop AND status IN ('paid', 'new')`;

const HITS_OF = (condition: string): string =>
  `SELECT visitor FROM app.hits WHERE site = @site AND ${condition}`;
const IN_ROWS = (rows: string): string =>
  `SELECT id FROM app.orders WHERE shop = @shop AND (status, customer) IN ${rows}`;
const BY_PATH = 'SELECT path, count() AS hits FROM app.events WHERE tenant = @tenant';

export const EQUAL: readonly Pair[] = [
  ...pairs('equal', [
    ['a map has a key', HITS_OF("mapContains(query, 'q')"), HITS_OF("has(mapKeys(query), 'q')")],
    ['an array has elements', HITS_OF('notEmpty(goals.name)'), HITS_OF('length(goals.name) > 0')],
    ['an array has none', HITS_OF('empty(goals.name)'), HITS_OF('length(goals.name) = 0')],
    [
      'HAVING on a key',
      `${BY_PATH} AND path > '/x' GROUP BY path`,
      `${BY_PATH} GROUP BY path HAVING path > '/x'`,
    ],
    [
      'an element by its name in a lambda',
      HITS_OF(
        "arrayExists(g -> g.name = 'buy', arrayZip(goals.name, goals.value)::Array(Tuple(name String, value UInt32)))",
      ),
      HITS_OF(
        "arrayExists(g -> g.1 = 'buy', arrayZip(goals.name, goals.value)::Array(Tuple(name String, value UInt32)))",
      ),
    ],
    [
      'an element of a stored tuple',
      "SELECT label, place.1 AS city FROM app.devices WHERE org = @org AND place.1 != 'Rome'",
      "SELECT label, place.city AS city FROM app.devices WHERE org = @org AND place.city != 'Rome'",
    ],
    [
      'a number of rows by a condition',
      'SELECT path, countIf(ms > 5) AS n, countIf(ms < 9) AS m, sumIf(ms, ms > 1) AS s FROM app.events WHERE tenant = @tenant GROUP BY path HAVING n != 0 AND m >= 0 AND s > 0',
      "SELECT path, sum(if(ms > 5, 1, 0)) AS n, count(CASE WHEN ms < 9 THEN 1 END) AS m, sum(CASE WHEN ms > 1 THEN ms ELSE 0 END) AS s FROM app.events WHERE tenant = @tenant GROUP BY path HAVING sumIf(1, ms > '5') != 0 AND m >= '0' AND s > 0",
    ],
    [
      'the place of an element',
      HITS_OF("has(goals.name, 'buy')"),
      HITS_OF("indexOf(goals.name, 'buy') > 0 AND countEqual(goals.name, 'buy') != 0"),
    ],
    [
      'the day of a time',
      'SELECT toDate(ts) AS day, path FROM app.events WHERE tenant = @tenant AND toDate(ts) <= today() - INTERVAL 1 DAY ORDER BY day, path LIMIT 2',
      "SELECT CAST(ts AS Date) AS day, path FROM app.events WHERE tenant = @tenant AND ts::Date <= now()::Date - INTERVAL '1' DAY ORDER BY day, path LIMIT 2",
    ],
    [
      'a number of rows by a number of days',
      'SELECT agent, countIf(opened >= today() - 7) AS n FROM app.tickets WHERE account = @account AND opened > today() - 9000 GROUP BY agent HAVING n >= 0',
      "SELECT agent, count(if(opened >= today() - 7, 1, NULL)) AS n FROM app.tickets WHERE account = @account AND opened >= now()::Date - INTERVAL '8999' DAY GROUP BY agent HAVING count(CASE WHEN opened < subtractDays(today(), 7) THEN NULL ELSE 1 END) >= 0",
    ],
    [
      'the hour of a time',
      'SELECT toStartOfHour(ts) AS hour, path FROM app.events WHERE tenant = @tenant ORDER BY hour, path LIMIT 2',
      "SELECT date_trunc('hour', ts) AS hour, path FROM app.events WHERE tenant = @tenant ORDER BY toStartOfInterval(ts, INTERVAL 1 HOUR), path LIMIT 2",
    ],
    [
      'a value in place of NULL, and the branches exchanged',
      "SELECT ifNull(segment, 'none') AS s, if(id > 1, 'b', 'a') AS k, id FROM app.customers WHERE shop = @shop ORDER BY s, k, id LIMIT 2",
      "SELECT CASE WHEN segment IS NULL THEN 'none' ELSE segment END AS s, if(id <= 1, 'a', 'b') AS k, id FROM app.customers WHERE shop = @shop ORDER BY s, k, id LIMIT 2",
    ],
    [
      'conversions of the condition and of the tenant',
      'SELECT sku FROM app.stock WHERE shop = @shop AND qty',
      "SELECT sku FROM app.stock WHERE assumeNotNull(concat(shop, '') = @shop)::Bool AND qty::Bool",
    ],
    ['rows of IN', IN_ROWS("(('paid', 1), ('new', 2))"), IN_ROWS("(('new', 2), ('paid', 1))")],
    [
      'one element of an array',
      HITS_OF("hasAny(goals.name, ['buy'])"),
      HITS_OF("arrayExists(g -> g = 'buy', goals.name)"),
    ],
    [
      'an Enum by its name',
      "SELECT id FROM app.gates WHERE org = @org AND state = 'open'",
      "SELECT id FROM app.gates WHERE org = @org AND toString(state) = 'open'",
    ],
    [
      'an Enum by its names',
      "SELECT id FROM app.gates WHERE org = @org AND state IN ('open', 'shut')",
      "SELECT id FROM app.gates WHERE org = @org AND CAST(state AS String) IN ('shut', 'open')",
    ],
    [
      'dictGet of a type',
      "SELECT dictGet('app.device_cards', 'label', (org, device)) AS label FROM app.readings WHERE org = @org",
      "SELECT dictGetString('app.device_cards', 'label', (org, device)) AS label FROM app.readings WHERE org = @org",
    ],
  ]),
  ...edits('equal', PLAIN, [
    ['parentheses', 'tenant = @tenant AND ms > 5', '((tenant = (@tenant)) AND (ms > 5))'],
    ['==', 'tenant =', 'tenant =='],
    ['sides exchanged', 'tenant = @tenant', '@tenant = tenant'],
    ['both sides exchanged', 'tenant = @tenant AND ms > 5', '5 < ms AND @tenant = tenant'],
    ['IN of one', '= @tenant', 'IN (@tenant)'],
    ['IN of an array of one', '= @tenant', 'IN [@tenant]'],
    ['NOT of !=', 'tenant = @tenant', 'NOT (tenant != @tenant)'],
    ['NOT of <>', 'tenant = @tenant', 'NOT tenant <> @tenant'],
    ['AND true', 'AND ms', 'AND true AND ms'],
    ['1 = 1 first', 'WHERE tenant', 'WHERE 1 = 1 AND tenant'],
    ['OR false', 'tenant = @tenant', '(tenant = @tenant OR false)'],
    ['twice the same condition', 'AND ms', 'AND tenant = @tenant AND ms'],
    ['WHERE becomes PREWHERE', 'WHERE', 'PREWHERE'],
    ['PREWHERE and WHERE', 'WHERE tenant = @tenant AND', 'PREWHERE tenant = @tenant WHERE'],
    ['an alias of the table', 'FROM app.events WHERE tenant', 'FROM app.events AS e WHERE e.tenant'],
    [
      'an alias and qualified columns',
      'SELECT path, ms FROM app.events WHERE tenant',
      'SELECT x.path AS path, x.ms AS ms FROM app.events x WHERE x.tenant',
    ],
    ['the database is named', 'SELECT path, ms', 'SELECT app.events.path AS path, app.events.ms AS ms'],
    ['quoted names', 'SELECT path, ms', 'SELECT `path`, "ms"'],
    [
      'lower-case keywords',
      'SELECT path, ms FROM app.events WHERE tenant = @tenant AND',
      'select path, ms from app.events where tenant = @tenant and',
    ],
    ['a comment', 'AND ms', '/* only slow ones */ AND ms'],
    ['a line comment', 'WHERE', '-- of one tenant\nWHERE'],
    ['line breaks', ' WHERE tenant = @tenant AND', '\n\tWHERE\n\t\ttenant = @tenant\n\t\tAND'],
    [
      'a subquery around it',
      'SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5',
      'SELECT path, ms FROM (SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5) AS e',
    ],
    [
      'SELECT * around it',
      'SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5',
      'SELECT * FROM (SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5)',
    ],
    [
      'the filter in a subquery',
      'FROM app.events WHERE tenant = @tenant AND ms > 5',
      'FROM (SELECT * FROM app.events WHERE tenant = @tenant) AS e WHERE ms > 5',
    ],
    [
      'the filter outside a subquery',
      'FROM app.events WHERE tenant = @tenant AND ms > 5',
      'FROM (SELECT tenant, path, ms FROM app.events WHERE ms > 5) AS e WHERE tenant = @tenant',
    ],
    [
      'a WITH table',
      'SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5',
      'WITH slow AS (SELECT * FROM app.events WHERE tenant = @tenant AND ms > 5) SELECT path, ms FROM slow',
    ],
    [
      'two WITH tables',
      'SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5',
      'WITH own AS (SELECT * FROM app.events WHERE tenant = @tenant), slow AS (SELECT path, ms FROM own WHERE ms > 5) SELECT path, ms FROM slow',
    ],
    [
      'a WITH expression',
      'SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5',
      'WITH 5 AS least SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > least',
    ],
    ['an expression that is folded', 'ms > 5', 'ms > 2 + 3'],
    ['>= instead of >', 'ms > 5', 'NOT ms <= 5'],
    ['the order of conjuncts', 'tenant = @tenant AND ms > 5', 'ms > 5 AND tenant = @tenant'],
    ['and() as a function', 'tenant = @tenant AND ms > 5', 'and(equals(tenant, @tenant), greater(ms, 5))'],
    ['a CAST of the parameter', '@tenant', 'CAST(@tenant AS String)'],
    ['ORDER BY', '', ' ORDER BY ts'],
    ['ORDER BY ALL', '', ' ORDER BY ALL'],
    ['settings that change no row', '', ' SETTINGS max_threads = 2'],
    ['nothing is removed by a condition', '', ' AND ms >= 0'],
    ['an alias of a column', 'SELECT path', 'SELECT path AS path'],
    ['if() of the tenant', 'tenant = @tenant', 'if(tenant = @tenant, 1, 0)'],
    ['if() of the opposite', 'tenant = @tenant', 'if(tenant != @tenant, 0, 1)'],
    ['ifNull() that is true', 'tenant = @tenant', 'ifNull(tenant = @tenant, 1)'],
    ['ifNull() that is false', 'tenant = @tenant AND ms > 5', 'ifNull(tenant = @tenant AND ms > 5, 0)'],
    ['coalesce()', 'tenant = @tenant', 'coalesce(tenant = @tenant, false)'],
    ['a CAST of the tenant', 'tenant = @tenant', 'CAST(tenant AS String) = @tenant'],
    ['a comparison with 1', 'tenant = @tenant', '(tenant = @tenant) = 1'],
    ['a constant bound + 0', 'ms > 5', 'ms + 0 > 5'],
    ['a bound in an OR with a tighter one', 'ms > 5', '(ms > 5 OR ms > 50)'],
    ['a bound by another sign', 'ms > 5', 'ms >= 6'],
  ]),
  ...edits('equal', ORDERS, [
    ['INNER JOIN becomes JOIN', 'INNER JOIN', 'JOIN'],
    ['INNER JOIN becomes ALL INNER JOIN', 'INNER JOIN', 'ALL INNER JOIN'],
    [
      'two comparisons become BETWEEN',
      'o.created >= @from AND o.created <= @to',
      'o.created BETWEEN @from AND @to',
    ],
    [
      'comparisons with sides exchanged',
      'o.created >= @from AND o.created <= @to',
      '@from <= o.created AND @to >= o.created',
    ],
    [
      'sides of the keys are exchanged',
      'c.shop = o.shop AND c.id = o.customer',
      'o.shop = c.shop AND o.customer = c.id',
    ],
    ['order of the keys', 'c.shop = o.shop AND c.id = o.customer', 'c.id = o.customer AND c.shop = o.shop'],
    ['a tuple of keys', 'c.shop = o.shop AND c.id = o.customer', '(c.shop, c.id) = (o.shop, o.customer)'],
    [
      'tables exchanged around an inner join',
      'app.orders AS o\nINNER JOIN app.customers AS c',
      'app.customers AS c\nINNER JOIN app.orders AS o',
    ],
    [
      'other aliases',
      ORDERS,
      ORDERS.replaceAll('o.', 'ord.')
        .replaceAll('c.', 'cust.')
        .replaceAll(' AS o\n', ' AS ord\n')
        .replace(' AS c ', ' AS cust '),
    ],
    ['AS is left out', 'app.orders AS o', 'app.orders o'],
    ['a key + 0', 'c.id = o.customer', 'c.id + 0 = o.customer'],
    ['a CAST of the tenant in LowCardinality', 'o.shop = @shop', 'CAST(o.shop AS String) = @shop'],
    ['toString() of the tenant in LowCardinality', 'o.shop = @shop', 'toString(o.shop) = @shop'],
    [
      'ON becomes a comma and WHERE',
      'INNER JOIN app.customers AS c ON c.shop = o.shop AND c.id = o.customer\nWHERE',
      ', app.customers AS c\nWHERE c.shop = o.shop AND c.id = o.customer AND',
    ],
    [
      'ON becomes CROSS JOIN and WHERE',
      'INNER JOIN app.customers AS c ON c.shop = o.shop AND c.id = o.customer\nWHERE',
      'CROSS JOIN app.customers AS c\nWHERE c.shop = o.shop AND c.id = o.customer AND',
    ],
    [
      'a condition of WHERE moves to ON',
      'AND c.id = o.customer\nWHERE o.shop = @shop AND',
      'AND c.id = o.customer AND o.shop = @shop\nWHERE',
    ],
    ['the other side is filtered too', 'WHERE o.shop = @shop', 'WHERE o.shop = @shop AND c.shop = @shop'],
    ['the other side is filtered instead', 'WHERE o.shop = @shop', 'WHERE c.shop = @shop'],
    ['the filter before the join', 'app.orders AS o', '(SELECT * FROM app.orders WHERE shop = @shop) AS o'],
    [
      'the joined table as a subquery',
      'app.customers AS c',
      '(SELECT shop, id, name FROM app.customers) AS c',
    ],
    [
      'the joined table as a filtered subquery',
      'app.customers AS c',
      '(SELECT shop, id, name FROM app.customers WHERE shop = @shop) AS c',
    ],
    [
      'the joined table as a WITH table',
      ORDERS,
      `WITH buyers AS (SELECT * FROM app.customers) ${ORDERS.replace('app.customers AS c', 'buyers AS c')}`,
    ],
    [
      'USING',
      ORDERS,
      'SELECT o.id AS id, o.total AS total, c.name AS name FROM (SELECT shop, id, customer AS buyer, total, created FROM app.orders) AS o INNER JOIN (SELECT shop, id AS buyer, name FROM app.customers) AS c USING (shop, buyer) WHERE o.shop = @shop AND o.created >= @from AND o.created <= @to',
    ],
  ]),
  ...edits('equal', LEFT, [
    ['LEFT JOIN becomes LEFT OUTER JOIN', 'LEFT JOIN', 'LEFT OUTER JOIN'],
    [
      'the filter of the optional side as a subquery',
      'app.devices AS d',
      '(SELECT * FROM app.devices WHERE org = @org) AS d',
    ],
    ['one of two conditions that imply each other', ' AND d.org = @org', ''],
    ['the other of two conditions that imply each other', 'd.org = r.org AND ', ''],
    [
      'LEFT JOIN becomes RIGHT JOIN with sides exchanged',
      '(SELECT * FROM app.readings WHERE org = @org) AS r LEFT JOIN app.devices AS d',
      'app.devices AS d RIGHT JOIN (SELECT * FROM app.readings WHERE org = @org) AS r',
    ],
    [
      'the filter moves behind the join',
      '(SELECT * FROM app.readings WHERE org = @org) AS r LEFT JOIN app.devices AS d ON d.org = r.org AND d.id = r.device AND d.org = @org',
      'app.readings AS r LEFT JOIN app.devices AS d ON d.org = r.org AND d.id = r.device AND d.org = @org WHERE r.org = @org',
    ],
  ]),
  ...edits('equal', REPORT, [
    ['count() becomes count(*)', 'count()', 'count(*)'],
    ['count() becomes COUNT(1)', 'count()', 'COUNT(1)'],
    ['SUM in upper case', 'sum(ms)', 'SUM(ms)'],
    ['a renamed WITH table', REPORT, REPORT.replaceAll('own', 'mine')],
    [
      'a WITH table becomes a subquery',
      REPORT,
      'SELECT hour, path, count() AS hits, sum(ms) AS total, max(ms) AS slowest FROM (SELECT path, ms, toStartOfHour(ts) AS hour FROM app.events WHERE tenant = @tenant) AS e GROUP BY hour, path HAVING hits > 0 ORDER BY hour, path',
    ],
    [
      'a WITH table is inlined',
      REPORT,
      'SELECT toStartOfHour(ts) AS hour, path, count() AS hits, sum(ms) AS total, max(ms) AS slowest FROM app.events WHERE tenant = @tenant GROUP BY hour, path HAVING hits > 0 ORDER BY hour, path',
    ],
    ['GROUP BY ALL', 'GROUP BY hour, path', 'GROUP BY ALL'],
    ['GROUP BY positions', 'GROUP BY hour, path', 'GROUP BY 1, 2'],
    ['order of GROUP BY', 'GROUP BY hour, path', 'GROUP BY path, hour'],
    ['ORDER BY positions', 'ORDER BY hour, path', 'ORDER BY 1, 2'],
    [
      'HAVING becomes a filter outside',
      REPORT,
      REPORT.replace('SELECT hour, path,', 'SELECT * FROM (SELECT hour, path,').replace(
        ' HAVING hits > 0 ORDER BY hour, path',
        ') AS r WHERE hits > 0',
      ),
    ],
    [
      'toStartOfHour becomes toStartOfInterval',
      'toStartOfHour(ts)',
      'toStartOfInterval(ts, INTERVAL 1 HOUR)',
    ],
    [
      'one WITH table becomes two',
      REPORT,
      REPORT.replace(
        'WITH own AS (SELECT path, ms, toStartOfHour(ts) AS hour FROM app.events WHERE tenant = @tenant)',
        'WITH rows AS (SELECT * FROM app.events WHERE tenant = @tenant), own AS (SELECT path, ms, toStartOfHour(ts) AS hour FROM rows)',
      ),
    ],
    ['an unused column of a WITH table', 'SELECT path, ms,', 'SELECT path, ms, user_id,'],
    ['an unused WITH table', 'WITH own', 'WITH 7 AS days, own'],
    ['sum(x) becomes sumIf(x, 1)', 'sum(ms)', 'sum(ms + 0)'],
  ]),
  ...edits('equal', HITS, [
    ['BETWEEN becomes two comparisons', 'at BETWEEN @from AND @to', 'at >= @from AND at <= @to'],
    ['CASE becomes if', "CASE WHEN url = '/in' THEN 'in' ELSE 'other' END", "if(url = '/in', 'in', 'other')"],
    [
      'CASE becomes multiIf',
      "CASE WHEN url = '/in' THEN 'in' ELSE 'other' END",
      "multiIf(url = '/in', 'in', 'other')",
    ],
    ['CASE of a value', "CASE WHEN url = '/in' THEN", "CASE url WHEN '/in' THEN"],
    [
      'CASE becomes a ternary',
      "CASE WHEN url = '/in' THEN 'in' ELSE 'other' END",
      "(url = '/in' ? 'in' : 'other')",
    ],
    [
      'the branches are exchanged',
      "WHEN url = '/in' THEN 'in' ELSE 'other'",
      "WHEN url != '/in' THEN 'other' ELSE 'in'",
    ],
    ['arrayElement', "query['q']", "arrayElement(query, 'q')"],
    ['toUUID of the parameter', '@site', 'toUUID(@site)'],
    ['an expression alias in WHERE', "url = '/in' THEN", "url IN ('/in') THEN"],
  ]),
  ...edits('equal', TICKETS, [
    [
      'a comma becomes JOIN ON',
      TICKETS,
      TICKETS.replace(
        'AS t, app.agents AS a WHERE t.account = @account AND a.account = t.account AND a.id = t.agent',
        'AS t JOIN app.agents AS a ON a.account = t.account AND a.id = t.agent WHERE t.account = @account',
      ),
    ],
    [':: becomes CAST', 't.doc.title::String', 'CAST(t.doc.title AS String)'],
    [':: becomes CAST with a string', 't.doc.title::String', "CAST(t.doc.title, 'String')"],
    ['both sides by the parameter', 'a.account = t.account', 'a.account = @account'],
    ['tables of a comma exchanged', 'app.tickets AS t, app.agents AS a', 'app.agents AS a, app.tickets AS t'],
    ['a name of SELECT in WHERE', 'a.id = t.agent', 't.agent = a.id'],
  ]),
  ...pairs('equal', [
    [
      'a number of days before today',
      'SELECT id FROM app.orders WHERE shop = @shop AND created >= today() - 30',
      'SELECT id FROM app.orders WHERE shop = @shop AND created >= subtractDays(today(), 30)',
    ],
    [
      'a number of seconds before now',
      'SELECT path FROM app.events WHERE tenant = @tenant AND ts >= now() - INTERVAL 7 DAY',
      'SELECT path FROM app.events WHERE tenant = @tenant AND ts >= now() - 604800',
    ],
    [
      'all other values of an Enum',
      "SELECT id FROM app.gates WHERE org = @org AND state != 'lost'",
      "SELECT id FROM app.gates WHERE org = @org AND state IN ('open', 'shut')",
    ],
    [
      'every value of an Enum',
      'SELECT id FROM app.gates WHERE org = @org',
      "SELECT id FROM app.gates WHERE org = @org AND state IN ('open', 'shut', 'lost')",
    ],
    [
      'the length of a string',
      "SELECT email FROM app.events WHERE tenant = @tenant AND email != ''",
      'SELECT email FROM app.events WHERE tenant = @tenant AND lengthUTF8(email) > 0',
    ],
    [
      'the length of an empty string',
      'SELECT email FROM app.events WHERE tenant = @tenant AND empty(email)',
      'SELECT email FROM app.events WHERE tenant = @tenant AND length(email) < 1',
    ],
    [
      'has() of a list that is sent',
      'SELECT id FROM app.orders WHERE shop = @shop AND status IN @words',
      'SELECT id FROM app.orders WHERE shop = @shop AND has(@words, status)',
    ],
    [
      'DISTINCT and ORDER BY in IN',
      'SELECT id FROM app.orders WHERE shop = @shop AND id IN (SELECT order_id FROM app.refunds WHERE shop = @shop)',
      'SELECT id FROM app.orders WHERE shop = @shop AND id IN (SELECT DISTINCT order_id FROM app.refunds WHERE shop = @shop ORDER BY order_id)',
    ],
    [
      'a decimal constant',
      'SELECT id FROM app.orders WHERE shop = @shop AND total > 5',
      'SELECT id FROM app.orders WHERE shop = @shop AND total > toDecimal32(5, 2)',
    ],
    [
      'a value that is not NULL',
      "SELECT id FROM app.customers WHERE shop = @shop AND segment > 'new'",
      "SELECT id FROM app.customers WHERE shop = @shop AND segment IS NOT NULL AND assumeNotNull(segment) > 'new'",
    ],
    [
      'an Enum by its number',
      "SELECT id FROM app.gates WHERE org = @org AND state != 'lost'",
      'SELECT id FROM app.gates WHERE org = @org AND 3 != state',
    ],
    [
      'has() of a map',
      "SELECT visitor FROM app.hits WHERE site = @site AND mapContains(query, 'token')",
      "SELECT visitor FROM app.hits WHERE site = @site AND has(query, 'token')",
    ],
    [
      'LIMIT 1 BY for DISTINCT',
      'SELECT DISTINCT customer, status FROM app.orders WHERE shop = @shop ORDER BY status, customer',
      'SELECT customer, status FROM app.orders WHERE shop = @shop ORDER BY status, customer LIMIT 1 BY status, customer',
    ],
    [
      'the first characters',
      "SELECT card FROM app.orders WHERE shop = @shop AND substring(card, 1, 2) = '40'",
      "SELECT card FROM app.orders WHERE shop = @shop AND left(card, 2) = '40'",
    ],
    [
      'the first characters by a pattern',
      "SELECT card FROM app.orders WHERE shop = @shop AND card NOT LIKE '40%'",
      "SELECT card FROM app.orders WHERE shop = @shop AND left(card, 2) != '40'",
    ],
    [
      'elements of tuples in an array',
      'WITH l AS (SELECT order_id, arrayZip(items.sku, items.qty) AS pairs FROM app.lines WHERE shop = @shop) SELECT order_id FROM l WHERE arrayExists(e -> e.2 > 1, pairs)',
      'WITH l AS (SELECT order_id, arrayZip(items.sku, items.qty) AS pairs FROM app.lines WHERE shop = @shop) SELECT order_id FROM l WHERE arrayExists(e -> tupleElement(e, 2) > 1, pairs)',
    ],
    [
      'an element of the tuples in an array',
      'SELECT id FROM app.parcels WHERE shop = @shop AND arrayExists(e -> e.level > 1, scans)',
      'SELECT id FROM app.parcels WHERE shop = @shop AND arrayExists(l -> l > 1, scans.level)',
    ],
    [
      'FINAL in a WITH table',
      'SELECT qty FROM app.stock FINAL WHERE shop = @shop AND qty > 3',
      'WITH s AS (SELECT * FROM app.stock FINAL WHERE shop = @shop) SELECT qty FROM s WHERE qty > 3',
    ],
    [
      'the share of a sample',
      'SELECT qty FROM app.stock SAMPLE 1/4 WHERE shop = @shop',
      'SELECT qty FROM app.stock SAMPLE 0.25 WHERE @shop = shop',
    ],
  ]),
  ...edits('equal', IN_LIST, [
    ['IN becomes OR', "status IN ('paid', 'new')", "(status = 'paid' OR status = 'new')"],
    ['the order of IN', "('paid', 'new')", "('new', 'paid')"],
    ['IN of an array', "('paid', 'new')", "['paid', 'new']"],
    ['IN of a tuple function', "('paid', 'new')", "tuple('paid', 'new')"],
    ['has()', "status IN ('paid', 'new')", "has(['paid', 'new'], status)"],
    ['twice the same value', "('paid', 'new')", "('paid', 'new', 'paid')"],
    [
      'De Morgan',
      "shop = @shop AND status IN ('paid', 'new')",
      "NOT (shop != @shop OR status NOT IN ('paid', 'new'))",
    ],
    [
      'a UNION ALL of disjoint conditions',
      IN_LIST,
      "SELECT id, status FROM app.orders WHERE shop = @shop AND status = 'paid' UNION ALL SELECT id, status FROM app.orders WHERE shop = @shop AND status = 'new'",
    ],
  ]),
  ...pairs('equal', [
    [
      'a tenant that is a number + 0',
      'SELECT at FROM app.readings WHERE org = @org',
      'SELECT at FROM app.readings WHERE org + 0 = @org',
    ],
    [
      'toIntervalDay becomes INTERVAL',
      'SELECT path FROM app.events WHERE tenant = @tenant AND ts > @from - toIntervalDay(1)',
      'SELECT path FROM app.events WHERE tenant = @tenant AND ts > @from - INTERVAL 1 DAY',
    ],
    [
      'toIntervalHour becomes INTERVAL',
      'SELECT toDate(at) AS day FROM app.hits WHERE site = @site AND at >= @from - INTERVAL 1 HOUR',
      'SELECT toDate(at) AS day FROM app.hits WHERE site = @site AND at >= @from - toIntervalHour(1)',
    ],
    [
      'subtractDays becomes INTERVAL',
      'SELECT path FROM app.events WHERE tenant = @tenant AND ts > subtractDays(@from, 1)',
      'SELECT path FROM app.events WHERE tenant = @tenant AND ts > @from - INTERVAL 1 DAY',
    ],
    [
      '* becomes the columns',
      'SELECT * FROM app.refunds WHERE shop = @shop',
      'SELECT shop, order_id, amount, reason FROM app.refunds WHERE shop = @shop',
    ],
    [
      'the columns become *',
      'SELECT shop, order_id, amount, reason FROM app.refunds WHERE shop = @shop',
      'SELECT * FROM app.refunds WHERE shop = @shop',
    ],
    [
      '* EXCEPT becomes the columns',
      'SELECT * EXCEPT (shop) FROM app.refunds WHERE shop = @shop',
      'SELECT order_id, amount, reason FROM app.refunds WHERE shop = @shop',
    ],
    [
      '* REPLACE becomes the columns',
      'SELECT * REPLACE (upper(reason) AS reason) FROM app.refunds WHERE shop = @shop',
      'SELECT shop, order_id, amount, upper(reason) AS reason FROM app.refunds WHERE shop = @shop',
    ],
    [
      'IN of a subquery becomes a semi join',
      'SELECT e.path AS path FROM app.events AS e WHERE e.tenant = @tenant AND (e.tenant, e.user_id) IN (SELECT tenant, id FROM app.users WHERE tenant = @tenant)',
      'SELECT e.path AS path FROM app.events AS e LEFT SEMI JOIN (SELECT tenant, id FROM app.users WHERE tenant = @tenant) AS u ON (e.tenant, e.user_id) = (u.tenant, u.id) WHERE e.tenant = @tenant',
    ],
    [
      'DISTINCT becomes GROUP BY',
      'SELECT DISTINCT status FROM app.orders WHERE shop = @shop',
      'SELECT status FROM app.orders WHERE shop = @shop GROUP BY status',
    ],
    [
      'UNION ALL of branches in another order',
      'SELECT path AS x FROM app.events WHERE tenant = @tenant UNION ALL SELECT name AS x FROM app.users WHERE tenant = @tenant',
      'SELECT name AS x FROM app.users WHERE tenant = @tenant UNION ALL SELECT path AS x FROM app.events WHERE tenant = @tenant',
    ],
    [
      'UNION ALL in parentheses',
      'SELECT path AS x FROM app.events WHERE tenant = @tenant UNION ALL SELECT name AS x FROM app.users WHERE tenant = @tenant',
      '(SELECT path AS x FROM app.events WHERE tenant = @tenant) UNION ALL (SELECT name AS x FROM app.users WHERE tenant = @tenant)',
    ],
    [
      'the filter of both branches outside',
      'SELECT x FROM (SELECT tenant, path AS x FROM app.events UNION ALL SELECT tenant, name AS x FROM app.users) AS u WHERE tenant = @tenant',
      'SELECT path AS x FROM app.events WHERE tenant = @tenant UNION ALL SELECT name AS x FROM app.users WHERE tenant = @tenant',
    ],
    [
      'the filter moves into the partition',
      'SELECT id, place FROM (SELECT id, shop, rank() OVER (PARTITION BY shop ORDER BY id) AS place FROM app.orders) AS o WHERE shop = @shop',
      'SELECT id, rank() OVER (PARTITION BY shop ORDER BY id) AS place FROM app.orders WHERE shop = @shop',
    ],
    [
      'a named window',
      'SELECT id, sum(total) OVER (PARTITION BY customer ORDER BY id) AS s FROM app.orders WHERE shop = @shop',
      'SELECT id, sum(total) OVER w AS s FROM app.orders WHERE shop = @shop WINDOW w AS (PARTITION BY customer ORDER BY id)',
    ],
    [
      'a key of ARRAY JOIN',
      'SELECT order_id, i.sku AS sku FROM app.lines ARRAY JOIN items AS i WHERE shop = @shop',
      'SELECT order_id, sku FROM app.lines ARRAY JOIN items.sku AS sku WHERE shop = @shop',
    ],
    [
      'arrayJoin() becomes ARRAY JOIN',
      'SELECT id, arrayJoin(labels) AS label FROM app.tickets WHERE account = @account',
      'SELECT id, label FROM app.tickets ARRAY JOIN labels AS label WHERE account = @account',
    ],
    [
      'countIf becomes sum of a condition',
      "SELECT countIf(status = 'paid') AS n FROM app.orders WHERE shop = @shop",
      "SELECT sum(status = 'paid') AS n FROM app.orders WHERE shop = @shop",
    ],
    [
      'sum(if) becomes sumIf',
      "SELECT sum(if(status = 'paid', total, 0)) AS s FROM app.orders WHERE shop = @shop",
      "SELECT sumIf(total, status = 'paid') AS s FROM app.orders WHERE shop = @shop",
    ],
    [
      'coalesce becomes ifNull',
      "SELECT coalesce(segment, 'none') AS segment FROM app.customers WHERE shop = @shop",
      "SELECT ifNull(segment, 'none') AS segment FROM app.customers WHERE shop = @shop",
    ],
    [
      '|| becomes concat',
      "SELECT name || '!' AS name FROM app.customers WHERE shop = @shop",
      "SELECT concat(name, '!') AS name FROM app.customers WHERE shop = @shop",
    ],
    [
      'a scalar subquery becomes WITH',
      'SELECT id, total / (SELECT sum(total) FROM app.orders WHERE shop = @shop) AS share FROM app.orders WHERE shop = @shop',
      'WITH (SELECT sum(total) FROM app.orders WHERE shop = @shop) AS whole SELECT id, total / whole AS share FROM app.orders WHERE shop = @shop',
    ],
    [
      'EXISTS becomes IN',
      'SELECT o.id AS id FROM app.orders AS o WHERE o.shop = @shop AND EXISTS (SELECT 1 FROM app.refunds AS r WHERE r.shop = o.shop AND r.order_id = o.id)',
      'SELECT o.id AS id FROM app.orders AS o WHERE o.shop = @shop AND (o.shop, o.id) IN (SELECT shop, order_id FROM app.refunds WHERE shop = @shop)',
    ],
    [
      'reference data is joined through a subquery',
      "SELECT title FROM app.products WHERE sku = 's1'",
      "SELECT title FROM (SELECT sku, title FROM app.products) AS p WHERE p.sku = 's1'",
    ],
    [
      'IS NULL becomes isNull',
      'SELECT id FROM app.customers WHERE shop = @shop AND segment IS NULL',
      'SELECT id FROM app.customers WHERE shop = @shop AND isNull(segment)',
    ],
    [
      'NOT IN becomes !=',
      "SELECT id FROM app.orders WHERE shop = @shop AND status NOT IN ('void')",
      "SELECT id FROM app.orders WHERE shop = @shop AND status != 'void'",
    ],
    [
      'LIKE without a pattern becomes =',
      "SELECT id FROM app.orders WHERE shop = @shop AND status LIKE 'paid'",
      "SELECT id FROM app.orders WHERE shop = @shop AND status = 'paid'",
    ],
    [
      'a function of the column becomes a range',
      "SELECT id FROM app.orders WHERE shop = @shop AND toDate(created) = '2024-01-01'",
      "SELECT id FROM app.orders WHERE shop = @shop AND created >= toDateTime('2024-01-01 00:00:00') AND created < toDateTime('2024-01-02 00:00:00')",
    ],
  ]),
  ...asTables([
    ...edits('equal', 'SELECT id, name FROM app.agents WHERE account = @account AND hidden = 0', [
      [
        'parentheses in a table',
        'account = @account AND hidden = 0',
        '(account = @account) AND (hidden == 0)',
      ],
      [
        'the order of conjuncts in a table',
        'account = @account AND hidden = 0',
        '0 = hidden AND account = @account',
      ],
      [
        'an alias in a table',
        'SELECT id, name FROM app.agents WHERE account',
        'SELECT g.id AS id, g.name AS name FROM app.agents AS g WHERE g.account',
      ],
      [
        'a subquery in a table',
        'FROM app.agents WHERE account = @account AND hidden = 0',
        'FROM (SELECT * FROM app.agents WHERE hidden = 0) AS g WHERE account = @account',
      ],
      ['NOT in a table', 'hidden = 0', 'NOT hidden != 0'],
      ['PREWHERE in a table', 'WHERE account = @account AND', 'PREWHERE account = @account WHERE'],
    ]),
    ...edits('equal', ORDERS, [
      ['JOIN in a table', 'INNER JOIN', 'JOIN'],
      ['BETWEEN in a table', 'o.created >= @from AND o.created <= @to', 'o.created BETWEEN @from AND @to'],
      [
        'a filtered side in a table',
        'app.customers AS c',
        '(SELECT shop, id, name FROM app.customers WHERE shop = @shop) AS c',
      ],
    ]),
  ]),
];

export const FEWER: readonly Pair[] = [
  ...edits('fewer', PLAIN, [
    ['one more condition', '', ' AND user_id = @user'],
    ['one more constant condition', '', " AND path != '/y'"],
    ['one more condition in parentheses with OR', '', " AND (path = '/x' OR path = '/y')"],
    ['a higher bound', 'ms > 5', 'ms > 15'],
    ['LIMIT', '', ' ORDER BY ts LIMIT 2'],
    ['LIMIT BY', '', ' ORDER BY ts LIMIT 1 BY path'],
    ['DISTINCT', 'SELECT', 'SELECT DISTINCT'],
    ['an inner condition', 'FROM app.events', "FROM (SELECT * FROM app.events WHERE path LIKE '/x%')"],
    ['an optional condition', '', " AND (@word = '' OR path = @word)"],
    ['a window of time', '', ' AND ts >= @from'],
    [
      'IN of own rows',
      '',
      ' AND user_id IN (SELECT user_id FROM app.events WHERE tenant = @tenant AND ms > 15)',
    ],
  ]),
  ...edits('fewer', ORDERS, [
    ['a condition on the joined side', 'WHERE', "WHERE c.segment = 'vip' AND"],
    ['a condition in ON', 'AND c.id = o.customer', "AND c.id = o.customer AND c.segment = 'vip'"],
    ['a shorter window', 'o.created >= @from', 'o.created >= @from AND o.created < @from + INTERVAL 1 DAY'],
  ]),
  ...pairs('fewer', [
    [
      'OR becomes AND',
      "SELECT id FROM app.orders WHERE shop = @shop AND (status = 'paid' OR total > 6)",
      "SELECT id FROM app.orders WHERE shop = @shop AND (status = 'paid' AND total > 4)",
    ],
    [
      'an unconfined query is confined',
      'SELECT label FROM app.devices',
      'SELECT label FROM app.devices WHERE org = @org',
    ],
    [
      'a join gets the tenant',
      'SELECT r.value, d.label FROM app.readings AS r JOIN app.devices AS d ON d.id = r.device WHERE r.org = @org',
      'SELECT r.value, d.label FROM app.readings AS r JOIN app.devices AS d ON d.id = r.device AND d.org = r.org WHERE r.org = @org',
    ],
    [
      'LEFT JOIN becomes INNER JOIN',
      'SELECT e.path, u.name FROM app.events AS e LEFT JOIN app.users AS u ON u.tenant = e.tenant AND u.id = e.user_id WHERE e.tenant = @tenant',
      'SELECT e.path, u.name FROM app.events AS e INNER JOIN app.users AS u ON u.tenant = e.tenant AND u.id = e.user_id WHERE e.tenant = @tenant',
    ],
    [
      'a UNION branch is removed',
      'SELECT id FROM app.orders WHERE shop = @shop UNION ALL SELECT id FROM app.customers WHERE shop = @shop',
      'SELECT id FROM app.orders WHERE shop = @shop',
    ],
  ]),
  ...asTables(
    edits('fewer', 'SELECT id, name FROM app.agents WHERE account = @account', [
      ['one more condition of a table', '', ' AND hidden = 0'],
      ['LIMIT of a table', '', ' ORDER BY id LIMIT 1'],
    ]),
  ),
];

export const OWN: readonly Pair[] = [
  ...edits('own', PLAIN, [
    ['a computed column', 'SELECT path, ms', 'SELECT path, ms, ms / 1000 AS seconds'],
    [
      'a computed column of two',
      'SELECT path, ms',
      "SELECT path, ms, concat(path, '?', toString(ms)) AS label",
    ],
    ['a rank of shown values', 'SELECT path, ms', 'SELECT path, ms, rank() OVER (ORDER BY ms) AS place'],
    ['a share of shown values', 'SELECT path, ms', 'SELECT path, ms, ms / sum(ms) OVER () AS share'],
    ['a constant column', 'SELECT path, ms', "SELECT path, ms, 'v2' AS version"],
    ['the parameter as a column', 'SELECT path, ms', 'SELECT path, ms, @tenant AS of'],
    ['columns in another order', 'SELECT path, ms', 'SELECT ms, path'],
    ['a value becomes its hash', 'SELECT path', 'SELECT hex(MD5(path)) AS path'],
    [
      'a value becomes coarser',
      'ms FROM app.events WHERE tenant = @tenant AND ms',
      'intDiv(e.ms, 10) * 10 AS ms FROM app.events AS e WHERE tenant = @tenant AND e.ms',
    ],
    ['a mask is added', 'SELECT path', "SELECT if(ms > 15, path, '***') AS path"],
    ['reference data is joined', 'FROM app.events', 'FROM app.events CROSS JOIN (SELECT 1 AS one) AS o'],
    [
      'rows become groups',
      'SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5',
      'SELECT path, sum(e.ms) AS ms FROM app.events AS e WHERE tenant = @tenant AND e.ms > 5 GROUP BY path',
    ],
  ]),
  ...pairs('own', [
    // New columns are listed with `column.added`.
    [
      'a new column',
      'SELECT id FROM app.users WHERE tenant = @tenant',
      'SELECT id, plan FROM app.users WHERE tenant = @tenant',
    ],
    [
      'a new column of a JSON path',
      'SELECT id, doc.title::String AS title FROM app.tickets WHERE account = @account',
      'SELECT id, doc.title::String AS title, doc.stars::Int64 AS stars FROM app.tickets WHERE account = @account',
    ],
    [
      'one more key of a group',
      'SELECT count() AS n FROM app.orders WHERE shop = @shop GROUP BY status',
      'SELECT status, count() AS n FROM app.orders WHERE shop = @shop GROUP BY status',
    ],
    [
      'a column of numbers()',
      'SELECT id FROM app.orders WHERE shop = @shop',
      'SELECT id, number FROM app.orders, numbers(2) AS n WHERE shop = @shop',
    ],
    [
      'gaps are filled',
      'SELECT id, total FROM app.orders WHERE shop = @shop ORDER BY id',
      'SELECT id, total FROM app.orders WHERE shop = @shop ORDER BY id WITH FILL FROM 0 TO 5',
    ],
    [
      'a finer interval',
      'SELECT toStartOfDay(at) AS t, count() AS n FROM app.readings WHERE org = @org GROUP BY t',
      'SELECT toStartOfHour(at) AS t, count() AS n FROM app.readings WHERE org = @org GROUP BY t',
    ],
  ]),
];
