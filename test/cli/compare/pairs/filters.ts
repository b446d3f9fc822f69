// Conditions on the tenant that are dropped, widened, moved or evaded.
import { edits, pairs, type Pair } from './pair.ts';

const PLAIN = `SELECT path, ms FROM app.events WHERE tenant = @tenant AND ms > 5`;

const GUARDED = `SELECT status, total FROM app.orders
WHERE shop = @shop AND created >= @from AND created < @to AND (status != @word OR total > 8)`;

const CTE = `WITH own AS (SELECT * FROM app.readings WHERE org = @org),
hot AS (SELECT device, max(value) AS top FROM own GROUP BY device)
SELECT device, top FROM hot`;

export const FILTERS: readonly Pair[] = [
  ...edits('other tenants', PLAIN, [
    ['the condition is dropped', 'tenant = @tenant AND ', ''],
    ['AND becomes OR', 'AND', 'OR'],
    ['an alternative is added', 'tenant = @tenant', "(tenant = @tenant OR tenant = 'b')"],
    ['an alternative that is always true', 'tenant = @tenant', '(tenant = @tenant OR 1)'],
    ['an alternative by another parameter', 'tenant = @tenant', '(tenant = @tenant OR @flag = 1)'],
    ['an alternative by the admin tenant', 'tenant = @tenant', "(@tenant = 'a' OR tenant = @tenant)"],
    ['= becomes !=', 'tenant =', 'tenant !='],
    ['= becomes >=', 'tenant =', 'tenant >='],
    ['= becomes NOT', 'tenant = @tenant', 'NOT tenant = @tenant'],
    ['= becomes LIKE', 'tenant = @tenant', "tenant LIKE concat('%', @word)"],
    ['= becomes IN with one more value', 'tenant = @tenant', "tenant IN (@tenant, 'b')"],
    ['= becomes NOT IN', 'tenant = @tenant', "tenant NOT IN (@tenant, 'x')"],
    ['a prefix instead of the value', 'tenant = @tenant', 'startsWith(tenant, @word)'],
    ['a substring', 'tenant = @tenant', 'position(tenant, @word) > 0'],
    ['a regular expression', 'tenant = @tenant', 'match(tenant, @word)'],
    ['the length of the value', 'tenant = @tenant', 'length(tenant) = length(@tenant)'],
    ['another parameter instead of the tenant', 'tenant = @tenant', "tenant != @word AND @tenant = 'a'"],
    ['another column instead of the tenant', 'tenant = @tenant', 'path != @tenant'],
    ['a guard of if', 'tenant = @tenant', 'if(ms > 50, 1, tenant = @tenant)'],
    ['a guard of CASE', 'tenant = @tenant', "CASE WHEN path = '/w' THEN true ELSE tenant = @tenant END"],
    ['a guard of multiIf', 'tenant = @tenant', 'multiIf(user_id = 1, tenant = @tenant, ms > 100, 1, 0)'],
    ['a default of NULL', 'tenant = @tenant', 'ifNull(nullIf(tenant = @tenant, 0), 1)'],
    ['arithmetic of conditions', 'tenant = @tenant', '((tenant = @tenant) + (user_id = 4)) > 0'],
    ['greatest of conditions', 'tenant = @tenant', 'greatest(tenant = @tenant, user_id = 4)'],
    ['XOR', 'tenant = @tenant', 'xor(tenant = @tenant, user_id = 4)'],
    ['an IN of a subquery of all tenants', 'tenant = @tenant', 'tenant IN (SELECT tenant FROM app.users)'],
    [
      'an IN of neighbours',
      'tenant = @tenant',
      'user_id IN (SELECT user_id FROM app.events WHERE tenant = @tenant)',
    ],
    [
      'EXISTS instead of the condition',
      'tenant = @tenant',
      'EXISTS (SELECT 1 FROM app.users AS u WHERE u.tenant = @tenant AND u.id = user_id)',
    ],
    [
      'the condition only counts',
      'tenant = @tenant',
      '(SELECT count() FROM app.users WHERE tenant = @tenant) > 0',
    ],
    [
      'lower() merges tenants',
      'tenant = @tenant',
      'lower(substring(tenant, 2)) = lower(substring(@tenant, 2))',
    ],
    ['coalesce of an empty value', 'tenant = @tenant', "tenant = coalesce(nullIf(@word, ''), tenant)"],
    ['a replaced value', 'tenant = @tenant', "replaceAll(tenant, 'b', 'a') = @tenant"],
  ]),
  ...edits('other tenants', GUARDED, [
    [
      'an optional condition takes the tenant in',
      'shop = @shop AND created >= @from AND created < @to AND (status',
      "created >= @from AND created < @to AND (@word = '' OR shop = @shop AND status",
    ],
    ['parentheses of OR are dropped', '(status != @word OR total > 8)', 'status != @word OR total > 8'],
    [
      'the tenant moves into the parentheses',
      'shop = @shop AND created >= @from AND created < @to AND (status',
      'created >= @from AND created < @to AND (shop = @shop OR status',
    ],
    [
      'the window replaces the tenant',
      'shop = @shop AND created >= @from',
      "created >= @from AND @shop != ''",
    ],
    ['a comment hides the condition', 'shop = @shop AND', "/* shop = @shop AND */ @shop != '' AND"],
    ['a string hides the condition', 'shop = @shop AND', "status != 'shop = ' AND @shop != '' AND"],
  ]),
  ...edits('other tenants', CTE, [
    ['the filter of a WITH table is dropped', ' WHERE org = @org', ''],
    ['a WITH table is passed by', 'FROM own GROUP BY', 'FROM app.readings GROUP BY'],
    ['the filter moves behind the aggregate', 'WHERE org = @org),', 'WHERE @org > 0),'],
    [
      'one more union branch in a WITH table',
      'WHERE org = @org)',
      'WHERE org = @org UNION ALL SELECT * FROM app.readings WHERE value > 85)',
    ],
    [
      'a WITH table is shadowed',
      'hot AS (SELECT device',
      'hot AS (WITH own AS (SELECT * FROM app.readings WHERE @org = @org) SELECT device',
    ],
    [
      'a scalar WITH of all',
      'SELECT device, top FROM hot',
      'SELECT device, top / (SELECT max(value) FROM app.readings) AS top FROM hot',
    ],
  ]),
  ...pairs('other tenants', [
    [
      'a factor by the tenant becomes its opposite',
      'SELECT sum(total * (shop = @shop)) AS s FROM app.orders',
      'SELECT sum(total * (shop != @shop)) AS s FROM app.orders',
    ],
    [
      'a factor of a number by the tenant becomes its opposite',
      'SELECT sum(ms * (tenant = @tenant)) AS s FROM app.events',
      'SELECT sum(ms * (tenant != @tenant)) AS s FROM app.events',
    ],
    [
      'WHERE becomes QUALIFY beside a window',
      'SELECT path, sum(ms) OVER () AS total FROM app.events WHERE tenant = @tenant',
      'SELECT path, sum(ms) OVER () AS total FROM app.events QUALIFY tenant = @tenant',
    ],
    [
      'a filter moves outside a window',
      'SELECT id, sum(total) OVER (ORDER BY created) AS running FROM app.orders WHERE shop = @shop',
      'SELECT id, running FROM (SELECT id, shop, sum(total) OVER (ORDER BY created) AS running FROM app.orders) AS o WHERE shop = @shop',
    ],
    [
      'a partition loses the tenant',
      'SELECT id, running FROM (SELECT id, shop, sum(total) OVER (PARTITION BY shop ORDER BY created) AS running FROM app.orders) AS o WHERE shop = @shop',
      'SELECT id, running FROM (SELECT id, shop, sum(total) OVER (ORDER BY created) AS running FROM app.orders) AS o WHERE shop = @shop',
    ],
    [
      'a rank loses the partition',
      'SELECT id, place FROM (SELECT id, shop, rank() OVER (PARTITION BY shop ORDER BY total DESC) AS place FROM app.orders) AS o WHERE shop = @shop',
      'SELECT id, place FROM (SELECT id, shop, rank() OVER (PARTITION BY status ORDER BY total DESC) AS place FROM app.orders) AS o WHERE shop = @shop',
    ],
    [
      'a filter moves outside an aggregate',
      'SELECT device, avg(value) AS mean FROM app.readings WHERE org = @org GROUP BY device',
      'SELECT device, mean FROM (SELECT device, any(org) AS org, avg(value) AS mean FROM app.readings GROUP BY device) AS r WHERE org = @org OR device = 4',
    ],
    [
      'a filter moves outside LIMIT',
      'SELECT path FROM (SELECT tenant, path FROM app.events WHERE tenant = @tenant ORDER BY ts LIMIT 2) AS e',
      'SELECT path FROM (SELECT tenant, path FROM app.events ORDER BY ts LIMIT 2) AS e WHERE tenant = @tenant',
    ],
    [
      'a filter moves outside LIMIT BY',
      'SELECT url FROM (SELECT site, url, visitor FROM app.hits WHERE site = @site ORDER BY at LIMIT 1 BY visitor) AS h',
      'SELECT url FROM (SELECT site, url, visitor FROM app.hits ORDER BY at LIMIT 1 BY visitor) AS h WHERE site = @site',
    ],
    [
      'a filter moves outside DISTINCT ON',
      'SELECT name FROM (SELECT DISTINCT ON (id) id, tenant, name FROM app.users WHERE tenant = @tenant ORDER BY name DESC) AS u',
      'SELECT name FROM (SELECT DISTINCT ON (id) id, tenant, name FROM app.users ORDER BY name DESC) AS u WHERE tenant = @tenant',
    ],
    [
      'argMax before the filter',
      'SELECT argMax(name, id) AS last FROM app.users WHERE tenant = @tenant',
      "SELECT argMax(name, id) AS last FROM app.users HAVING any(@tenant) = 'a'",
    ],
    [
      'HAVING on a key becomes HAVING on an aggregate',
      'SELECT shop, sum(total) AS s FROM app.orders GROUP BY shop HAVING shop = @shop',
      'SELECT min(shop) AS shop, sum(total) AS s FROM app.orders HAVING shop = @shop',
    ],
    [
      'a key of GROUP BY is dropped',
      'SELECT path, n FROM (SELECT tenant, path, count() AS n FROM app.events GROUP BY tenant, path) AS e WHERE tenant = @tenant',
      'SELECT path, n FROM (SELECT min(tenant) AS tenant, path, count() AS n FROM app.events GROUP BY path) AS e WHERE tenant = @tenant',
    ],
    [
      'WITH TOTALS above HAVING',
      'SELECT shop, s FROM (SELECT shop, sum(total) AS s FROM app.orders WHERE shop = @shop GROUP BY shop)',
      'SELECT shop, s FROM (SELECT shop, sum(total) AS s FROM app.orders GROUP BY ROLLUP(shop)) WHERE shop IN (@shop, @word)',
    ],
    [
      'a sum of the tenant becomes a sum of the others',
      'SELECT sum(ms * (tenant = @tenant)) AS s FROM app.events WHERE tenant = @tenant',
      'SELECT sum(ms * (tenant != @tenant)) AS s FROM app.events',
    ],
    [
      'sumIf of the tenant becomes sumIf of the others',
      'SELECT sumIf(total, shop = @shop) AS s FROM app.orders',
      'SELECT sumIf(total, shop != @shop) AS s FROM app.orders',
    ],
    [
      'sum of the product with the condition becomes !=',
      'SELECT sum(ms * (tenant = @tenant)) AS s FROM app.events',
      'SELECT sum(ms * (tenant != @tenant)) AS s FROM app.events',
    ],
    [
      'countIf loses the tenant',
      "SELECT countIf(shop = @shop AND status = 'paid') AS paid FROM app.orders",
      "SELECT countIf(status = 'paid') AS paid FROM app.orders",
    ],
    [
      'sum(if(…)) loses the tenant in one branch',
      'SELECT sum(if(org = @org, value, 0)) AS s FROM app.readings',
      'SELECT sum(if(org = @org, value, value / 2)) AS s FROM app.readings',
    ],
    [
      'an array of a filtered group becomes one of all',
      'SELECT arraySort(groupArrayIf(name, tenant = @tenant)) AS names FROM app.users',
      'SELECT arraySort(groupArrayIf(name, tenant != @word)) AS names FROM app.users',
    ],
    [
      'a share of all instead of the tenant',
      'SELECT countIf(tenant = @tenant) / countIf(tenant = @tenant) AS share FROM app.events',
      'SELECT countIf(tenant = @tenant) / count() AS share FROM app.events',
    ],
  ]),
];
