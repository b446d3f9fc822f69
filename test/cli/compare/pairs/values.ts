// Values of other tenants, or values that were hidden: unions, columns exchanged, dictionaries, subqueries, masks and hashes.
import { asTables, edits, pairs, type Pair } from './pair.ts';

const UNION = `SELECT path AS what, ts AS at FROM app.events WHERE tenant = @tenant
UNION ALL
SELECT concat('+', name) AS what, toDateTime(0) AS at FROM app.users WHERE tenant = @tenant`;

const DERIVED = `SELECT e.p AS p, e.m AS m FROM (SELECT tenant, path, ms FROM app.events) AS e(t, p, m) WHERE e.t = @tenant`;

const AGENT = `SELECT t.id AS id, a.name AS agent, if(a.id = @user, toString(a.salary), '***') AS salary
FROM app.tickets AS t JOIN app.agents AS a ON a.account = t.account AND a.id = t.agent
WHERE t.account = @account`;

const USERS = `SELECT id, hex(SHA256(email)) AS email, concat(substring(name, 1, 1), '.') AS name, if(id = @user, country, '') AS country
FROM app.users WHERE tenant = @tenant`;

const TICKET = `SELECT id, doc.title::String AS title, JSONHas(toString(doc), 'from') AS has_sender FROM app.tickets WHERE account = @account`;

const HITS = `SELECT url, query['q'] AS q, goals.name AS goals FROM app.hits WHERE site = @site`;

export const FOREIGN: readonly Pair[] = [
  ...edits('other tenants', UNION, [
    ['a branch without a condition', '', ' UNION ALL SELECT name, toDateTime(1) FROM app.users'],
    ['a branch of another table', '', ' UNION ALL SELECT path, ts FROM app.events WHERE user_id = @user'],
    ['the filter of one branch is dropped', 'FROM app.users WHERE tenant = @tenant', 'FROM app.users'],
    ['the filter of the first branch is dropped', ' WHERE tenant = @tenant\nUNION', '\nUNION'],
    [
      'UNION ALL becomes EXCEPT of all',
      'UNION ALL\n',
      "EXCEPT SELECT path, ts FROM app.events WHERE tenant = 'x' UNION ALL SELECT path, ts FROM app.events UNION ALL ",
    ],
    [
      'EXCEPT of a row that another tenant decides',
      '',
      " EXCEPT SELECT '+Al', toDateTime(0) FROM app.users WHERE id = 3",
    ],
  ]),
  ...pairs('other tenants', [
    [
      'a second branch with other columns above one filter',
      'SELECT x FROM (SELECT tenant AS t, path AS x FROM app.events UNION ALL SELECT tenant AS t, email AS x FROM app.users) AS u WHERE t = @tenant',
      "SELECT x FROM (SELECT tenant AS t, path AS x FROM app.events UNION ALL SELECT 'a' AS t, email AS x FROM app.users) AS u WHERE t = @tenant",
    ],
    [
      'columns of the second branch are exchanged',
      'SELECT x FROM (SELECT tenant AS t, path AS x FROM app.events UNION ALL SELECT tenant, plan FROM app.users) AS u WHERE t = @tenant',
      "SELECT x FROM (SELECT tenant AS t, path AS x FROM app.events UNION ALL SELECT if(plan = 'gold', 'a', plan), tenant FROM app.users) AS u WHERE t = @tenant",
    ],
    [
      'UNION DISTINCT hides what another branch reads',
      'SELECT path FROM app.events WHERE tenant = @tenant',
      'SELECT path FROM app.events WHERE tenant = @tenant UNION DISTINCT SELECT path FROM app.events WHERE ms > 100',
    ],
    [
      'EXCEPT of the own tenant becomes EXCEPT of all',
      'SELECT user_id FROM app.events WHERE tenant = @tenant EXCEPT SELECT id FROM app.users WHERE tenant = @tenant',
      'SELECT user_id FROM app.events WHERE tenant = @tenant EXCEPT SELECT id FROM app.users',
    ],
    [
      'column names of a derived table are exchanged',
      DERIVED,
      DERIVED.replace('e(t, p, m)', 'e(p, t, m)').replace('e.t = @tenant', "e.p = @tenant OR e.t = '/w'"),
    ],
    [
      'the columns behind the names are exchanged',
      DERIVED,
      DERIVED.replace('SELECT tenant, path, ms', "SELECT if(ms > 50, 'a', tenant), path, ms"),
    ],
    [
      'a column is inserted before the tenant',
      'SELECT p FROM (SELECT tenant, name FROM app.users) AS u(t, p) WHERE t = @tenant',
      "SELECT p FROM (SELECT 'a' AS x, concat(tenant, name) FROM app.users) AS u(t, p) WHERE t = @tenant",
    ],
    [
      'a new column by dictGet',
      'SELECT user_id FROM app.events WHERE tenant = @tenant',
      "SELECT user_id, dictGet('app.user_cards', 'email', user_id) AS email FROM app.events WHERE tenant = @tenant",
    ],
    [
      'a new column by dictGetOrDefault',
      'SELECT user_id FROM app.events WHERE tenant = @tenant',
      "SELECT user_id, dictGetOrDefault('app.user_cards', 'name', user_id, '') AS name FROM app.events WHERE tenant = @tenant",
    ],
    [
      'a filter by dictHas',
      'SELECT user_id FROM app.events WHERE tenant = @tenant',
      "SELECT user_id FROM app.events WHERE tenant = @tenant AND dictHas('app.user_cards', user_id)",
    ],
    [
      'the key of a dictionary loses the tenant',
      "SELECT dictGet('app.device_cards', 'label', (org, device)) AS label FROM app.readings WHERE org = @org",
      "SELECT dictGet('app.device_cards', 'label', (toUInt32(2), device)) AS label FROM app.readings WHERE org = @org",
    ],
    [
      'a new column by joinGet',
      'SELECT id FROM app.tickets WHERE account = @account',
      "SELECT id, joinGet('app.phones', 'phone', id + 2) AS phone FROM app.tickets WHERE account = @account",
    ],
    [
      'a new column by a scalar subquery',
      'SELECT id FROM app.tickets WHERE account = @account',
      'SELECT id, (SELECT max(salary) FROM app.agents) AS top FROM app.tickets WHERE account = @account',
    ],
    [
      'a scalar subquery loses its filter',
      'SELECT id, (SELECT max(salary) FROM app.agents WHERE account = @account) AS top FROM app.tickets WHERE account = @account',
      'SELECT id, (SELECT max(salary) FROM app.agents WHERE account > 0) AS top FROM app.tickets WHERE account = @account',
    ],
    [
      'a correlated subquery loses the tenant',
      'SELECT o.id, (SELECT sum(r.amount) FROM app.refunds AS r WHERE r.shop = @shop AND r.order_id = o.id) AS back FROM app.orders AS o WHERE o.shop = @shop',
      'SELECT o.id, (SELECT sum(r.amount) FROM app.refunds AS r WHERE r.amount > 0 AND r.order_id = o.id) AS back FROM app.orders AS o WHERE o.shop = @shop',
    ],
    [
      'IN of the own tenant becomes IN of all',
      'SELECT path FROM app.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM app.users WHERE tenant = @tenant)',
      'SELECT path FROM app.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM app.users)',
    ],
    [
      'IN of a tuple loses the tenant',
      'SELECT path FROM app.events WHERE tenant = @tenant AND (tenant, user_id) IN (SELECT tenant, id FROM app.users)',
      'SELECT path FROM app.events WHERE tenant = @tenant AND (@tenant, user_id) IN (SELECT @tenant, id FROM app.users)',
    ],
    [
      'a map read from another table',
      HITS,
      HITS.replace("query['q']", "(SELECT groupArray(query['token']) FROM app.hits WHERE visitor = 'v1')[1]"),
    ],
    [
      'a JSON path instead of the tenant',
      TICKET,
      TICKET.replace('account = @account', 'doc.stars::Int64 > 1 AND @account > 0'),
    ],
    [
      'a nested column instead of the tenant',
      HITS,
      HITS.replace('site = @site', "has(goals.name, 'see') AND @site = @site"),
    ],
    [
      'a table of the same shape',
      'SELECT id, name FROM app.users WHERE tenant = @tenant',
      'SELECT id, name FROM (SELECT id, name, @tenant AS tenant FROM app.agents) AS g WHERE tenant = @tenant',
    ],
    [
      'ARRAY JOIN of all orders',
      'SELECT order_id, i.sku FROM app.lines ARRAY JOIN items AS i WHERE shop = @shop',
      "SELECT order_id, i.sku FROM app.lines ARRAY JOIN items AS i WHERE i.sku IN ('s1', 's2', 's3', @shop)",
    ],
    [
      'a table function that reads',
      'SELECT name FROM app.users WHERE tenant = @tenant',
      'SELECT name FROM view(SELECT name, @tenant AS tenant FROM app.agents) WHERE tenant = @tenant',
    ],
  ]),
  ...asTables(
    edits(
      'other tenants',
      'SELECT o.id AS id, o.total AS total, c.name AS name FROM app.orders AS o LEFT JOIN app.customers AS c ON c.shop = o.shop AND c.id = o.customer WHERE o.shop = @shop',
      [
        ['the key of a table', 'c.shop = o.shop AND ', ''],
        ['the filter of a table', 'WHERE o.shop = @shop', "WHERE o.shop = @shop OR o.status = 'paid'"],
        [
          'a new column of a table by a subquery',
          'c.name AS name',
          'c.name AS name, (SELECT count() FROM app.refunds) AS refunds',
        ],
      ],
    ),
  ),
];

export const HIDDEN: readonly Pair[] = [
  ...edits('more', USERS, [
    ['a hash is removed', 'hex(SHA256(email)) AS email', 'email'],
    ['a hash becomes base64', 'hex(SHA256(email)) AS email', 'base64Encode(email) AS email'],
    ['a hash becomes hex', 'hex(SHA256(email)) AS email', 'hex(email) AS email'],
    [
      'a hash beside the value',
      'hex(SHA256(email)) AS email',
      "concat(hex(SHA256(email)), ' ', email) AS email",
    ],
    ['a mask is removed', "concat(substring(name, 1, 1), '.') AS name", 'name'],
    ['a mask shows more', 'substring(name, 1, 1)', 'substring(name, 1, 100)'],
    [
      'a mask shows the rest',
      "concat(substring(name, 1, 1), '.')",
      "concat(substring(name, 1, 1), '.', substring(name, 2))",
    ],
    ['a guard of another user', 'id = @user', 'id != @user'],
    ['a guard of all', 'if(id = @user, country', 'if(id >= @user, country'],
    ['branches of a guard are exchanged', "country, ''", "'', country"],
    ['a guard is removed', "if(id = @user, country, '') AS country", 'country'],
    ['a guard gets an alternative', 'id = @user', "id = @user OR plan = 'gold'"],
    ['a guard with two values in the branches', "country, ''", 'country, lower(country)'],
    ['a new column of the hashed one', 'AS email,', "AS email, splitByChar('@', users.email)[2] AS part,"],
    ['another column under the name', 'hex(SHA256(email)) AS email', 'plan AS email'],
    [
      'ORDER of the value as a column',
      'SELECT id,',
      'SELECT id, rank() OVER (ORDER BY users.email) AS place, lower(users.email) AS low,',
    ],
  ]),
  ...edits('more', AGENT, [
    ['salary of others', 'a.id = @user', 'a.id != @user'],
    ['salary of all in a guard of the parameter', 'a.id = @user', '@user = @user'],
    [
      'salary through CASE',
      "if(a.id = @user, toString(a.salary), '***')",
      "CASE WHEN a.id != @user THEN toString(a.salary) ELSE '***' END",
    ],
    ['salary through a tuple', 'a.name AS agent', '(a.name, a.salary) AS agent'],
    [
      'salary as a range of a bit each',
      "'***') AS salary",
      'toString(intDiv(a.salary, 100) * 100)) AS salary',
    ],
  ]),
  ...edits('more', TICKET, [
    ['the whole JSON column', "JSONHas(toString(doc), 'from') AS has_sender", 'toString(doc) AS has_sender'],
    [
      'JSONHas becomes JSONExtract',
      "JSONHas(toString(doc), 'from')",
      "JSONExtractString(toString(doc), 'from', 'email')",
    ],
  ]),
  ...edits('more', HITS, [
    ['another key of the map', "query['q'] AS q", "query['token'] AS q"],
    ['the whole map', "query['q'] AS q", 'query AS q'],
    ['all values of the map', "query['q'] AS q", 'mapValues(query) AS q'],
    ['another nested column', 'goals.name AS goals', 'arrayZip(goals.name, goals.value) AS goals'],
  ]),
  ...pairs('more', [
    [
      'an element of a tuple column',
      'SELECT id, place.city AS city FROM app.devices WHERE org = @org',
      'SELECT id, place.owner AS city FROM app.devices WHERE org = @org',
    ],
    [
      'the whole tuple column',
      'SELECT id, place.city AS place FROM app.devices WHERE org = @org',
      'SELECT id, place FROM app.devices WHERE org = @org',
    ],
    [
      'an aggregate becomes the values',
      'SELECT status, count() AS n, max(length(card)) AS card FROM app.orders WHERE shop = @shop GROUP BY status',
      'SELECT status, count() AS n, any(card) AS card FROM app.orders WHERE shop = @shop GROUP BY status',
    ],
    [
      'uniq becomes groupUniqArray',
      'SELECT path, uniq(email) AS emails FROM app.events WHERE tenant = @tenant GROUP BY path',
      'SELECT path, groupUniqArray(email) AS emails FROM app.events WHERE tenant = @tenant GROUP BY path',
    ],
    [
      'a condition on the card becomes the card',
      "SELECT id, startsWith(card, '4') AS visa FROM app.orders WHERE shop = @shop",
      'SELECT id, right(card, 1) AS visa FROM app.orders WHERE shop = @shop',
    ],
    [
      'a cast of a masked address',
      'SELECT visitor, bitAnd(ip, 4294901760)::UInt32 AS net FROM app.visitors WHERE site = @site',
      'SELECT visitor, toIPv4(ip)::UInt32 AS net FROM app.visitors WHERE site = @site',
    ],
    [
      'a mask inside a WITH table is removed',
      "WITH c AS (SELECT id, replaceRegexpAll(phone, '[0-9]', 'x') AS phone FROM app.customers WHERE shop = @shop) SELECT id, phone FROM c",
      "WITH c AS (SELECT id, replaceRegexpAll(phone, '[a-z]', 'x') AS phone FROM app.customers WHERE shop = @shop) SELECT id, phone FROM c",
    ],
    [
      'a union branch fills a masked column',
      "SELECT id, '' AS phone FROM app.customers WHERE shop = @shop",
      "SELECT id, '' AS phone FROM app.customers WHERE shop = @shop UNION ALL SELECT id, phone FROM app.customers WHERE shop = @shop",
    ],
    [
      'a filter by another parameter is dropped',
      'SELECT id, total FROM app.orders WHERE shop = @shop AND customer = @user',
      'SELECT id, total FROM app.orders WHERE shop = @shop',
    ],
    [
      'a filter by another parameter gets an alternative',
      'SELECT id, total FROM app.orders WHERE shop = @shop AND customer = @user',
      "SELECT id, total FROM app.orders WHERE shop = @shop AND (customer = @user OR status = 'new')",
    ],
    [
      'a filter by another parameter becomes optional',
      'SELECT id, total FROM app.orders WHERE shop = @shop AND customer = @user',
      "SELECT id, total FROM app.orders WHERE shop = @shop AND (@word = '' OR customer = @user)",
    ],
    [
      'has() of a parameter is negated',
      'SELECT id FROM app.tickets WHERE account = @account AND hasAny(labels, @words)',
      'SELECT id FROM app.tickets WHERE account = @account AND NOT hasAny(labels, @words)',
    ],
    [
      'a user joins by another key',
      'SELECT e.path, u.name FROM app.events AS e JOIN app.users AS u ON u.tenant = e.tenant AND u.id = e.user_id WHERE e.tenant = @tenant AND u.id = @user',
      'SELECT e.path, u.name FROM app.events AS e JOIN app.users AS u ON u.tenant = e.tenant WHERE e.tenant = @tenant AND e.user_id = @user',
    ],
  ]),
  ...asTables([
    ...edits(
      'more',
      'SELECT id, name, upper(substring(name, 1, 1)) AS initial FROM app.agents WHERE account = @account AND hidden = 0',
      [
        ['a filter of a table is dropped', ' AND hidden = 0', ''],
        ['a filter of a table is negated', 'hidden = 0', 'hidden != 0'],
        ['a filter of a table gets an alternative', 'hidden = 0', '(hidden = 0 OR salary > 5000)'],
        ['a filter of a table gets another value', 'hidden = 0', 'hidden IN (0, 1)'],
        [
          'a filter of a table moves to a column',
          'upper(substring(name, 1, 1)) AS initial FROM app.agents WHERE account = @account AND hidden = 0',
          'hidden = 0 AS initial FROM app.agents WHERE account = @account',
        ],
        ['a new column of a table', 'SELECT id,', 'SELECT id, salary,'],
        ['a new column of a table in another form', 'SELECT id,', 'SELECT id, salary / 12 AS monthly,'],
        [
          'all columns',
          'SELECT id, name, upper(substring(name, 1, 1)) AS initial',
          'SELECT *, upper(substring(name, 1, 1)) AS initial',
        ],
        ['EXCEPT of fewer columns', 'SELECT id, name,', 'SELECT * EXCEPT (account),'],
      ],
    ),
    ...pairs('more', [
      [
        'LIMIT BY of a table is dropped',
        'SELECT id, status FROM app.orders WHERE shop = @shop ORDER BY id LIMIT 1 BY shop',
        'SELECT id, status FROM app.orders WHERE shop = @shop ORDER BY id',
      ],
      [
        'a semi join of a table is dropped',
        'SELECT o.id AS id FROM app.orders AS o LEFT SEMI JOIN app.refunds AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop',
        'SELECT o.id AS id FROM app.orders AS o WHERE o.shop = @shop',
      ],
      [
        'an inner join of a table becomes a left join',
        "SELECT o.id AS id FROM app.orders AS o INNER JOIN (SELECT DISTINCT shop, order_id FROM app.refunds WHERE reason = 'late') AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop",
        "SELECT o.id AS id FROM app.orders AS o LEFT JOIN (SELECT DISTINCT shop, order_id FROM app.refunds WHERE reason = 'late') AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop",
      ],
      [
        'IN of a table becomes NOT IN',
        "SELECT id FROM app.orders WHERE shop = @shop AND id IN (SELECT order_id FROM app.refunds WHERE shop = @shop AND reason = 'late')",
        "SELECT id FROM app.orders WHERE shop = @shop AND id NOT IN (SELECT order_id FROM app.refunds WHERE shop = @shop AND reason = 'late')",
      ],
      [
        'IN of a table reads more',
        "SELECT id FROM app.orders WHERE shop = @shop AND id IN (SELECT order_id FROM app.refunds WHERE shop = @shop AND reason = 'late')",
        'SELECT id FROM app.orders WHERE shop = @shop AND id IN (SELECT order_id FROM app.refunds WHERE shop = @shop)',
      ],
      [
        'a union branch in a table',
        "SELECT id FROM app.orders WHERE shop = @shop AND status = 'paid'",
        "SELECT id FROM app.orders WHERE shop = @shop AND status = 'paid' UNION ALL SELECT id FROM app.orders WHERE shop = @shop AND status = 'void'",
      ],
      [
        'LIKE of a table is wider',
        "SELECT id FROM app.orders WHERE shop = @shop AND status LIKE 'pa%'",
        "SELECT id FROM app.orders WHERE shop = @shop AND status LIKE '%a%' OR shop = @shop AND status LIKE 'v%'",
      ],
      [
        'an amount of a table is wider',
        'SELECT id FROM app.orders WHERE shop = @shop AND total < 6',
        'SELECT id FROM app.orders WHERE shop = @shop AND total < 600',
      ],
      [
        'a group of a table is finer',
        'SELECT status, count() AS n FROM app.orders WHERE shop = @shop GROUP BY status',
        'SELECT status, card, count() AS n FROM app.orders WHERE shop = @shop GROUP BY status, card',
      ],
    ]),
  ]),
];
