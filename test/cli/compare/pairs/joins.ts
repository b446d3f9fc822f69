// Joins that let other tenants' rows in: another kind, strictness, key or side.
import { edits, pairs, type Pair } from './pair.ts';

const EVENTS_USERS = `SELECT e.path, u.name FROM app.events AS e
INNER JOIN (SELECT * FROM app.users WHERE tenant = @tenant) AS u ON u.id = e.user_id AND u.tenant = e.tenant`;

const ORDERS = `SELECT o.id AS id, c.phone AS phone
FROM app.orders AS o
LEFT JOIN app.customers AS c ON c.id = o.customer AND c.shop = o.shop AND c.shop = @shop
WHERE o.shop = @shop`;

const USING = `SELECT path, name FROM (SELECT * FROM app.events WHERE tenant = @tenant) AS e
JOIN (SELECT tenant, id AS user_id, name FROM app.users) AS u USING (tenant, user_id)`;

const READINGS = `SELECT r.at AS at, r.value + c.shift AS value
FROM app.readings AS r
ASOF JOIN app.calibrations AS c ON c.org = r.org AND c.device = r.device AND c.at <= r.at
WHERE r.org = @org`;

export const JOINS: readonly Pair[] = [
  ...edits('other tenants', EVENTS_USERS, [
    ['INNER JOIN that confined the left side becomes LEFT JOIN', 'INNER JOIN', 'LEFT JOIN'],
    ['INNER JOIN becomes FULL JOIN', 'INNER JOIN', 'FULL JOIN'],
    ['INNER JOIN becomes LEFT ANTI JOIN', 'INNER JOIN', 'LEFT ANTI JOIN'],
    ['the key of the tenant is dropped', ' AND u.tenant = e.tenant', ''],
    ['the key of the tenant becomes an alternative', 'AND u.tenant', 'OR u.tenant'],
    ['the key of the tenant becomes an inequality', 'u.tenant = e.tenant', 'u.tenant <= e.tenant'],
    ['the key compares the tenant with itself', 'u.tenant = e.tenant', 'u.tenant = u.tenant'],
    ['the key compares without case', 'u.tenant = e.tenant', 'lower(u.name) != lower(e.tenant)'],
    ['the filter of the derived table is dropped', ' WHERE tenant = @tenant', ''],
    ['ON becomes a comma and a filter of the ids', 'AND u.tenant = e.tenant', "AND e.tenant != ''"],
  ]),
  ...pairs('other tenants', [
    [
      'JOIN of a filtered side USING becomes LEFT JOIN',
      'SELECT path FROM app.events INNER JOIN (SELECT tenant, id AS user_id FROM app.users WHERE tenant = @tenant) AS u USING (tenant, user_id)',
      'SELECT path FROM app.events LEFT JOIN (SELECT tenant, id AS user_id FROM app.users WHERE tenant = @tenant) AS u USING (tenant, user_id)',
    ],
    [
      'SEMI becomes ANTI',
      'SELECT e.path FROM app.events AS e LEFT SEMI JOIN (SELECT * FROM app.users WHERE tenant = @tenant) AS u ON u.tenant = e.tenant AND u.id = e.user_id',
      'SELECT e.path FROM app.events AS e LEFT ANTI JOIN (SELECT * FROM app.users WHERE tenant = @tenant) AS u ON u.tenant = e.tenant AND u.id = e.user_id',
    ],
    [
      'two tables around a LEFT JOIN are exchanged',
      'SELECT e.path, u.name FROM (SELECT * FROM app.events WHERE tenant = @tenant) AS e LEFT JOIN app.users AS u ON u.tenant = e.tenant AND u.id = e.user_id',
      'SELECT e.path, u.name FROM app.users AS u LEFT JOIN (SELECT * FROM app.events WHERE tenant = @tenant) AS e ON u.tenant = e.tenant AND u.id = e.user_id',
    ],
    [
      'LEFT JOIN becomes RIGHT JOIN',
      'SELECT d.label, r.value FROM (SELECT * FROM app.readings WHERE org = @org) AS r LEFT JOIN app.devices AS d ON d.org = r.org AND d.id = r.device',
      'SELECT d.label, r.value FROM (SELECT * FROM app.readings WHERE org = @org) AS r RIGHT JOIN app.devices AS d ON d.org = r.org AND d.id = r.device',
    ],
    [
      'a filter in WHERE moves to ON of a LEFT JOIN',
      'SELECT o.id, r.amount FROM app.orders AS o LEFT JOIN app.refunds AS r ON r.order_id = o.id AND r.shop = o.shop WHERE o.shop = @shop',
      'SELECT o.id, r.amount FROM app.orders AS o LEFT JOIN app.refunds AS r ON r.order_id = o.id AND r.shop = o.shop AND o.shop = @shop',
    ],
    [
      'a condition of ON moves to WHERE OR NULL',
      'SELECT o.id, c.segment FROM app.orders AS o LEFT JOIN app.customers AS c ON c.id = o.customer AND c.shop = @shop WHERE o.shop = @shop',
      'SELECT o.id, c.segment FROM app.orders AS o LEFT JOIN app.customers AS c ON c.id = o.customer WHERE o.shop = @shop AND (c.shop = @shop OR c.segment IS NOT NULL)',
    ],
    [
      'JOIN becomes CROSS JOIN',
      'SELECT t.id, a.name FROM app.tickets AS t JOIN app.agents AS a ON a.account = t.account AND a.id = t.agent WHERE t.account = @account',
      'SELECT t.id, a.name FROM app.tickets AS t CROSS JOIN app.agents AS a WHERE t.account = @account',
    ],
    [
      'JOIN becomes a comma with a shorter condition',
      'SELECT t.id, a.name FROM app.tickets AS t JOIN app.agents AS a ON a.account = t.account AND a.id = t.agent WHERE t.account = @account',
      'SELECT t.id, a.name FROM app.tickets AS t, app.agents AS a WHERE a.id = t.agent AND t.account = @account',
    ],
    [
      'a tuple of keys loses the tenant',
      'SELECT t.id, a.name FROM app.tickets AS t JOIN app.agents AS a ON (a.account, a.id) = (t.account, t.agent) WHERE t.account = @account',
      'SELECT t.id, a.name FROM app.tickets AS t JOIN app.agents AS a ON (a.hidden, a.id) = (a.hidden, t.agent) WHERE t.account = @account',
    ],
    [
      'the joined table is another one',
      'SELECT o.id, r.amount FROM app.orders AS o JOIN (SELECT shop, order_id AS k, amount FROM app.refunds) AS r ON r.k = o.id AND r.shop = o.shop WHERE o.shop = @shop',
      "SELECT o.id, r.amount FROM app.orders AS o JOIN (SELECT 'a' AS shop, id AS k, total AS amount FROM app.orders) AS r ON r.k = o.id AND r.shop = o.shop WHERE o.shop = @shop",
    ],
    [
      'one more table is joined without the tenant',
      'SELECT r.value FROM app.readings AS r WHERE r.org = @org',
      'SELECT r.value, d.label FROM app.readings AS r JOIN app.devices AS d ON d.id = r.device WHERE r.org = @org',
    ],
    [
      'one more table only multiplies rows',
      'SELECT count() AS n FROM app.readings AS r WHERE r.org = @org',
      'SELECT count() AS n FROM app.readings AS r LEFT JOIN app.devices AS d ON d.id = r.device WHERE r.org = @org',
    ],
    [
      'a self join loses the tenant',
      'SELECT a.path, b.path FROM app.events AS a JOIN app.events AS b ON a.user_id = b.user_id AND a.tenant = b.tenant WHERE a.tenant = @tenant',
      'SELECT a.path, b.path FROM app.events AS a JOIN app.events AS b ON a.user_id = b.user_id WHERE a.tenant = @tenant',
    ],
    [
      'the filter of one alias moves to the other',
      'SELECT a.path, b.name FROM app.events AS a LEFT JOIN app.users AS b ON b.id = a.user_id AND b.tenant = @tenant WHERE a.tenant = @tenant',
      'SELECT a.path, b.name FROM app.events AS a LEFT JOIN app.users AS b ON b.id = a.user_id AND a.tenant = @tenant WHERE a.tenant = @tenant',
    ],
    [
      'a three-way join loses a key in the middle',
      'SELECT o.id, c.name, f.amount FROM app.orders AS o JOIN app.customers AS c ON c.shop = o.shop AND c.id = o.customer JOIN app.refunds AS f ON f.shop = o.shop AND f.order_id = o.id WHERE o.shop = @shop',
      'SELECT o.id, c.name, f.amount FROM app.orders AS o JOIN app.customers AS c ON c.id = o.customer JOIN app.refunds AS f ON f.shop = o.shop AND f.order_id = o.id WHERE o.shop = @shop',
    ],
    [
      'a key of a three-way join names the other table',
      'SELECT o.id, f.amount FROM app.orders AS o LEFT JOIN app.customers AS c ON c.shop = o.shop AND c.id = o.customer LEFT JOIN app.refunds AS f ON f.shop = o.shop AND f.order_id = o.id WHERE o.shop = @shop',
      'SELECT o.id, f.amount FROM app.orders AS o LEFT JOIN app.customers AS c ON c.shop = o.shop AND c.id = o.customer LEFT JOIN app.refunds AS f ON c.shop = o.shop AND f.order_id = o.id WHERE o.shop = @shop',
    ],
  ]),
  ...edits('other tenants', ORDERS, [
    ['ON loses both conditions on the tenant', ' AND c.shop = o.shop AND c.shop = @shop', ''],
    [
      'LEFT JOIN becomes FULL JOIN above the filter',
      'LEFT JOIN app.customers AS c ON c.id = o.customer AND c.shop = o.shop AND c.shop = @shop\nWHERE o.shop = @shop',
      "FULL JOIN app.customers AS c ON c.id = o.customer AND c.shop = o.shop AND c.shop = @shop\nWHERE o.shop IN (@shop, '')",
    ],
    ['the preserved side is not filtered', 'WHERE o.shop = @shop', "WHERE o.status != 'x'"],
    ['the optional side of the filter', 'WHERE o.shop = @shop', "WHERE c.shop = @shop OR c.shop = ''"],
  ]),
  ...edits('other tenants', USING, [
    ['USING loses the tenant', 'USING (tenant, user_id)', 'USING (user_id)'],
    ['USING of a renamed column', 'SELECT tenant, id AS user_id', "SELECT 'a' AS tenant, id AS user_id"],
    ['USING becomes ON without the tenant', 'USING (tenant, user_id)', 'ON u.user_id = e.user_id'],
    ['USING of a RIGHT JOIN', 'JOIN (SELECT tenant, id', 'RIGHT JOIN (SELECT tenant, id'],
  ]),
  ...edits('other tenants', READINGS, [
    ['ASOF loses the tenant', 'c.org = r.org AND ', ''],
    ['ASOF becomes ASOF LEFT of the other side', 'WHERE r.org = @org', 'WHERE c.org = @org OR r.value > 50'],
  ]),
];
