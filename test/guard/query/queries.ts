// Queries over two tenants' rows that are confined by @tenant, in many spellings, and queries that are not.

export const CONFINED: readonly (readonly [why: string, sql: string])[] = [
  ['an equality', 'SELECT path FROM logs.events WHERE tenant = @tenant'],
  ['sides exchanged', 'SELECT path FROM logs.events WHERE @tenant = tenant'],
  ['two equals signs, parentheses', 'SELECT path FROM logs.events WHERE ((tenant == (@tenant)))'],
  ['PREWHERE', 'SELECT path FROM logs.events PREWHERE tenant = @tenant'],
  ['AND with others', 'SELECT path FROM logs.events WHERE ms > 1 AND (user_id > 0 AND tenant = @tenant)'],
  ['IN of one', 'SELECT path FROM logs.events WHERE tenant IN (@tenant)'],
  ['IN of an array', 'SELECT path FROM logs.events WHERE tenant IN [@tenant]'],
  ['IN of an array parameter', 'SELECT path FROM logs.events WHERE tenant = @tenant AND tenant IN @tenants'],
  ['has', 'SELECT path FROM logs.events WHERE has([@tenant], tenant)'],
  ['a tuple', 'SELECT path FROM logs.events WHERE (tenant, user_id) = (@tenant, @user)'],
  ['IN of a tuple', 'SELECT path FROM logs.events WHERE (tenant, user_id) IN ((@tenant, 1), (@tenant, 2))'],
  ['IN of a subquery of the parameter', 'SELECT path FROM logs.events WHERE tenant IN (SELECT @tenant)'],
  ['NOT of an inequality', 'SELECT path FROM logs.events WHERE NOT (tenant != @tenant)'],
  ['NOT NOT IN', 'SELECT path FROM logs.events WHERE NOT (tenant NOT IN (@tenant))'],
  [
    'OR with the same condition on both sides',
    'SELECT path FROM logs.events WHERE (tenant = @tenant AND ms > 5) OR (tenant = @tenant AND ms < 3)',
  ],
  ['a condition as a number', 'SELECT path FROM logs.events WHERE (tenant = @tenant) = 1'],
  ['if', 'SELECT path FROM logs.events WHERE if(ms > 5, tenant = @tenant, 0)'],
  [
    'CASE',
    'SELECT path FROM logs.events WHERE CASE WHEN ms > 5 THEN tenant = @tenant WHEN ms > 3 THEN tenant = @tenant ELSE 0 END',
  ],
  [
    'a conversion of the column',
    'SELECT path FROM logs.orders o, logs.events e WHERE toString(o.tenant) = @tenant AND e.tenant = @tenant',
  ],
  ['CAST', 'SELECT amount FROM logs.orders WHERE tenant::String = CAST(@tenant AS String)'],
  ['an element of a tuple column', 'SELECT path FROM logs.events WHERE meta.project = @tenant'],
  ['tupleElement', "SELECT path FROM logs.events WHERE tupleElement(meta, 'project') = @tenant"],
  ['a key of a map', "SELECT path FROM logs.events WHERE attributes['tenant'] = @tenant"],
  [
    'an optional window beside it',
    "SELECT path FROM logs.events WHERE tenant = @tenant AND (@word = '' OR path = @word)",
  ],
  ['an aggregate', 'SELECT count(), sum(ms) FROM logs.events WHERE tenant = @tenant'],
  ['GROUP BY', 'SELECT path, count() FROM logs.events WHERE tenant = @tenant GROUP BY path'],
  ['HAVING on a key', 'SELECT tenant, sum(ms) FROM logs.events GROUP BY tenant HAVING tenant = @tenant'],
  [
    'a filter above GROUP BY on a key',
    'SELECT s FROM (SELECT tenant, sum(ms) AS s FROM logs.events GROUP BY tenant) WHERE tenant = @tenant',
  ],
  [
    'a filter above DISTINCT',
    'SELECT path FROM (SELECT DISTINCT tenant, path FROM logs.events) WHERE tenant = @tenant',
  ],
  [
    'a filter above a projection',
    'SELECT p FROM (SELECT tenant AS t, path AS p FROM logs.events) WHERE t = @tenant',
  ],
  [
    'a filter above a WITH table',
    'WITH e AS (SELECT * FROM logs.events) SELECT path FROM e WHERE tenant = @tenant',
  ],
  [
    'column names of a derived table',
    'SELECT p FROM (SELECT tenant, path FROM logs.events) AS e(t, p) WHERE t = @tenant',
  ],
  [
    'a filter above a tuple column',
    'SELECT 1 FROM (SELECT meta AS m FROM logs.events) WHERE m.project = @tenant',
  ],
  ['a window', 'SELECT sum(ms) OVER (PARTITION BY user_id) FROM logs.events WHERE tenant = @tenant'],
  [
    'QUALIFY on the partition',
    'SELECT path, row_number() OVER (PARTITION BY tenant ORDER BY ts) AS n FROM logs.events QUALIFY n < 3 AND tenant = @tenant',
  ],
  [
    'a filter above a window by tenant',
    'SELECT s FROM (SELECT tenant, sum(ms) OVER (PARTITION BY tenant, user_id) AS s FROM logs.events) WHERE tenant = @tenant',
  ],
  ['a limit after the filter', 'SELECT path FROM logs.events WHERE tenant = @tenant ORDER BY ts LIMIT 1'],
  [
    'a limit by tenant, then the filter',
    'SELECT path FROM (SELECT tenant, path, ts FROM logs.events ORDER BY ts LIMIT 1 BY tenant) WHERE tenant = @tenant',
  ],
  [
    'INNER JOIN by tenant',
    'SELECT e.path, u.email FROM logs.events e JOIN logs.users u ON e.tenant = u.tenant AND e.user_id = u.id WHERE e.tenant = @tenant',
  ],
  [
    'INNER JOIN with a condition on each',
    'SELECT u.email FROM logs.events e INNER JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant',
  ],
  ['USING', 'SELECT u.email FROM logs.events e JOIN logs.users u USING (tenant) WHERE u.tenant = @tenant'],
  [
    'USING of three',
    'SELECT u.email FROM logs.events e JOIN logs.users u USING (tenant) JOIN logs.orders o USING (tenant) WHERE tenant = @tenant',
  ],
  [
    'a chain of equalities in the worst order',
    'SELECT o.amount FROM logs.events e, logs.users u, logs.orders o WHERE toString(o.tenant) = u.tenant AND u.tenant = e.tenant AND e.tenant = @tenant',
  ],
  [
    'a comma join',
    'SELECT u.email FROM logs.events e, logs.users u WHERE e.tenant = u.tenant AND u.tenant = @tenant',
  ],
  [
    'LEFT JOIN, both filtered',
    'SELECT e.path, u.email FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = e.tenant WHERE e.tenant = @tenant',
  ],
  [
    'LEFT JOIN with the parameter in ON',
    'SELECT e.path, u.email FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant',
  ],
  [
    'LEFT JOIN of a filtered subquery',
    'SELECT e.path, u.email FROM logs.events e LEFT JOIN (SELECT * FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id WHERE e.tenant = @tenant',
  ],
  [
    'RIGHT JOIN, mirrored',
    'SELECT e.path, u.email FROM logs.users u RIGHT JOIN logs.events e ON u.id = e.user_id AND u.tenant = e.tenant WHERE e.tenant = @tenant',
  ],
  [
    'FULL JOIN of filtered subqueries',
    'SELECT e.path, u.email FROM (SELECT * FROM logs.events WHERE tenant = @tenant) e FULL JOIN (SELECT * FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id',
  ],
  [
    'SEMI JOIN by tenant',
    'SELECT e.path FROM logs.events e LEFT SEMI JOIN logs.users u ON e.tenant = u.tenant AND e.user_id = u.id WHERE e.tenant = @tenant',
  ],
  [
    'ANTI JOIN by tenant',
    'SELECT e.path FROM logs.events e LEFT ANTI JOIN logs.users u ON e.tenant = u.tenant AND e.user_id = u.id WHERE e.tenant = @tenant',
  ],
  [
    'ANY JOIN by tenant',
    'SELECT e.path, u.email FROM logs.events e ANY LEFT JOIN logs.users u ON e.tenant = u.tenant AND e.user_id = u.id WHERE e.tenant = @tenant',
  ],
  [
    'ASOF JOIN by tenant',
    'SELECT e.path, o.amount FROM logs.events e ASOF JOIN logs.orders o ON e.tenant = toString(o.tenant) AND e.user_id >= o.id WHERE e.tenant = @tenant',
  ],
  ['ARRAY JOIN', 'SELECT t FROM logs.events ARRAY JOIN tags AS t WHERE tenant = @tenant'],
  [
    'UNION ALL',
    'SELECT path FROM logs.events WHERE tenant = @tenant UNION ALL SELECT email FROM logs.users WHERE tenant = @tenant',
  ],
  [
    'a filter above a UNION',
    'SELECT x FROM (SELECT tenant AS t, path AS x FROM logs.events UNION ALL SELECT tenant, email FROM logs.users) WHERE t = @tenant',
  ],
  [
    'UNION DISTINCT',
    'SELECT path FROM logs.events WHERE tenant = @tenant UNION DISTINCT SELECT email FROM logs.users WHERE tenant = @tenant',
  ],
  [
    'EXCEPT',
    'SELECT user_id FROM logs.events WHERE tenant = @tenant EXCEPT SELECT id FROM logs.users WHERE tenant = @tenant',
  ],
  [
    'EXCEPT by tenant',
    'SELECT tenant, user_id FROM logs.events WHERE tenant = @tenant EXCEPT SELECT tenant, id FROM logs.users',
  ],
  [
    'INTERSECT',
    'SELECT tenant, user_id FROM logs.events WHERE tenant = @tenant INTERSECT SELECT tenant, id FROM logs.users',
  ],
  [
    'a subquery in IN, filtered',
    'SELECT path FROM logs.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM logs.users WHERE tenant = @tenant)',
  ],
  [
    'a subquery in IN, by tuple',
    'SELECT path FROM logs.events WHERE (tenant, user_id) IN (SELECT tenant, id FROM logs.users) AND tenant = @tenant',
  ],
  [
    'NOT IN by tuple',
    'SELECT path FROM logs.events WHERE (tenant, user_id) NOT IN (SELECT tenant, id FROM logs.users) AND tenant = @tenant',
  ],
  [
    'IN whose subquery is confined',
    'SELECT path FROM logs.events WHERE tenant IN (SELECT tenant FROM logs.users WHERE tenant = @tenant)',
  ],
  [
    'a correlated EXISTS',
    'SELECT path FROM logs.events e WHERE e.tenant = @tenant AND EXISTS (SELECT 1 FROM logs.users u WHERE u.tenant = e.tenant AND u.id = e.user_id)',
  ],
  [
    'a scalar subquery, filtered',
    'SELECT path, (SELECT max(id) FROM logs.users WHERE tenant = @tenant) FROM logs.events WHERE tenant = @tenant',
  ],
  [
    'a scalar WITH, filtered',
    'WITH (SELECT max(ms) FROM logs.events WHERE tenant = @tenant) AS m SELECT path FROM logs.events WHERE tenant = @tenant AND ms = m',
  ],
  ['a condition by alias', 'WITH tenant = @tenant AS mine SELECT path FROM logs.events WHERE mine'],
  [
    'a dictionary with the tenant in its key',
    "SELECT dictGet('logs.tenant_emails', 'email', (@tenant, user_id)) FROM logs.events WHERE tenant = @tenant",
  ],
  [
    'a dictionary by the row’s tenant',
    "SELECT dictGet('logs.tenant_emails', 'email', (tenant, user_id)) FROM logs.events WHERE tenant = @tenant",
  ],
  [
    'the parameter as a table',
    'SELECT e.path FROM (SELECT @tenant AS t) p JOIN logs.events e ON e.tenant = p.t',
  ],
  ['no table', 'SELECT @tenant, number FROM numbers(3)'],
  [
    'a nested aggregate',
    'SELECT max(c) FROM (SELECT user_id, count() AS c FROM logs.events WHERE tenant = @tenant GROUP BY user_id)',
  ],
  [
    'ROLLUP after the filter',
    'SELECT user_id, count() FROM logs.events WHERE tenant = @tenant GROUP BY ROLLUP(user_id)',
  ],
  [
    'a WITH table read twice',
    'WITH e AS (SELECT * FROM logs.events WHERE tenant = @tenant) SELECT a.path FROM e a JOIN e b ON a.user_id = b.user_id',
  ],
  [
    'a recursive WITH table',
    'WITH RECURSIVE r AS (SELECT id, parent, tenant FROM logs.orders WHERE tenant = @tenant AND parent = 0 UNION ALL SELECT o.id, o.parent, o.tenant FROM logs.orders o JOIN r ON o.parent = r.id WHERE o.tenant = @tenant) SELECT id FROM r',
  ],
  ['IS NOT DISTINCT FROM', 'SELECT path FROM logs.events WHERE tenant IS NOT DISTINCT FROM @tenant'],
  ['an impossible alternative', 'SELECT path FROM logs.events WHERE tenant = @tenant OR 0'],
  ['the parameter is never NULL', 'SELECT path FROM logs.events WHERE @tenant IS NULL OR tenant = @tenant'],
  ['columns of every kind', 'SELECT * FROM logs.events WHERE tenant = @tenant'],
  ['a view', 'SELECT path FROM logs.paths WHERE tenant = @tenant'],
  [
    'a view of a view',
    'SELECT p.path FROM logs.paths_again p JOIN logs.paths q ON p.owner = q.tenant WHERE q.tenant = @tenant',
  ],
];

/** `hidden`: no row shows the leak in this data, or for this value of the parameters. */
export type OpenQuery = readonly [why: string, sql: string, isHidden?: 'hidden'];

/** Not confined. */
export const OPEN: readonly OpenQuery[] = [
  ['no condition', 'SELECT path FROM logs.events'],
  ['an aggregate without a condition', 'SELECT count() FROM logs.events'],
  ['OR', "SELECT path FROM logs.events WHERE tenant = @tenant OR path = '/w'"],
  ['an optional parameter', "SELECT path FROM logs.events WHERE @word = 'x' OR tenant = @tenant"],
  ['!=', 'SELECT path FROM logs.events WHERE tenant != @tenant'],
  ['NOT', 'SELECT path FROM logs.events WHERE NOT (tenant = @tenant)'],
  ['NOT IN', 'SELECT path FROM logs.events WHERE tenant NOT IN (@tenant)'],
  ['>=', 'SELECT path FROM logs.events WHERE tenant >= @tenant'],
  ['IN with another value', "SELECT path FROM logs.events WHERE tenant IN (@tenant, 'b')"],
  ['IN of an array with another value', "SELECT path FROM logs.events WHERE tenant IN [@tenant, 'b']"],
  ['has with another value', "SELECT path FROM logs.events WHERE has([@tenant, 'b'], tenant)"],
  ['LIKE', "SELECT path FROM logs.events WHERE tenant LIKE @tenant || '%'", 'hidden'],
  ['lower', 'SELECT path FROM logs.events WHERE lower(tenant) = lower(@tenant)', 'hidden'],
  ['startsWith', 'SELECT path FROM logs.events WHERE startsWith(tenant, substring(@tenant, 1, 0))'],
  [
    'a function of the parameter',
    "SELECT path FROM logs.events WHERE tenant = if(@word = 'x', 'b', @tenant)",
  ],
  ['another parameter', 'SELECT path FROM logs.events WHERE user_id = @user'],
  [
    'a condition that is always true',
    'SELECT path FROM logs.events WHERE if(@flag = 1, 1, tenant = @tenant)',
  ],
  [
    'CASE with another branch',
    'SELECT path FROM logs.events WHERE CASE WHEN ms > 50 THEN 1 ELSE tenant = @tenant END',
  ],
  ['a condition in the projection only', 'SELECT path, tenant = @tenant AS mine FROM logs.events'],
  ['a condition inside an aggregate', 'SELECT sum(ms * (tenant != @tenant)) FROM logs.events'],
  ['countIf of the inverse', 'SELECT countIf(tenant != @tenant) FROM logs.events'],
  [
    'QUALIFY beside a window over everything',
    'SELECT sum(ms) OVER () FROM logs.events QUALIFY tenant = @tenant',
  ],
  [
    'a filter outside a window',
    'SELECT s FROM (SELECT tenant, sum(ms) OVER (PARTITION BY user_id) AS s FROM logs.events) WHERE tenant = @tenant',
  ],
  [
    'one of two windows without the tenant',
    'SELECT a, b FROM (SELECT tenant, sum(ms) OVER (PARTITION BY tenant) AS a, sum(ms) OVER (PARTITION BY user_id) AS b FROM logs.events) WHERE tenant = @tenant',
  ],
  [
    'a filter outside an aggregate',
    'SELECT s FROM (SELECT any(tenant) AS t, sum(ms) AS s FROM logs.events GROUP BY user_id) WHERE t = @tenant',
  ],
  [
    'HAVING on an aggregate',
    'SELECT user_id, sum(ms) FROM logs.events GROUP BY user_id HAVING max(tenant = @tenant)',
  ],
  [
    'a filter outside a limit',
    'SELECT path FROM (SELECT * FROM logs.events ORDER BY ts LIMIT 3) WHERE tenant = @tenant',
  ],
  [
    'a filter outside an offset',
    'SELECT path FROM (SELECT * FROM logs.events ORDER BY ts OFFSET 2) WHERE tenant = @tenant',
  ],
  [
    'a filter outside LIMIT BY',
    'SELECT path FROM (SELECT * FROM logs.events ORDER BY ts LIMIT 1 BY user_id) WHERE tenant = @tenant',
  ],
  [
    'a filter outside a limit in SETTINGS',
    'SELECT path FROM (SELECT * FROM logs.events ORDER BY ts SETTINGS limit = 3) WHERE tenant = @tenant',
    'hidden',
  ],
  [
    'DISTINCT ON',
    'SELECT path FROM (SELECT DISTINCT ON (user_id) * FROM logs.events ORDER BY ts) WHERE tenant = @tenant',
  ],
  [
    'WITH TOTALS',
    "SELECT s FROM (SELECT tenant, sum(ms) AS s FROM logs.events GROUP BY ROLLUP(tenant)) WHERE tenant IN ('', @tenant)",
  ],
  [
    'a LEFT JOIN without the tenant',
    'SELECT u.email FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id WHERE e.tenant = @tenant',
  ],
  [
    'a JOIN without the tenant',
    'SELECT u.email FROM logs.events e JOIN logs.users u ON u.id = e.user_id WHERE e.tenant = @tenant',
  ],
  [
    'USING without the tenant',
    'SELECT e.path, o.amount FROM logs.events e JOIN logs.orders o USING (user_id) WHERE e.tenant = @tenant',
  ],
  [
    'LEFT JOIN instead of INNER JOIN',
    'SELECT e.path FROM logs.events e LEFT JOIN (SELECT id FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id',
  ],
  [
    'ON filters no left rows',
    'SELECT e.path FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant AND e.tenant = @tenant',
  ],
  [
    'ANTI instead of SEMI',
    'SELECT e.path FROM logs.events e LEFT ANTI JOIN (SELECT id, tenant FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id AND u.tenant = e.tenant',
  ],
  [
    'tables exchanged around a LEFT JOIN',
    'SELECT e.path, u.email FROM logs.users u LEFT JOIN logs.events e ON u.id = e.user_id AND u.tenant = e.tenant AND e.tenant = @tenant',
  ],
  [
    'RIGHT JOIN',
    'SELECT u.email FROM (SELECT * FROM logs.events WHERE tenant = @tenant) e RIGHT JOIN logs.users u ON u.id = e.user_id',
  ],
  [
    'FULL JOIN',
    'SELECT e.path, u.email FROM logs.events e FULL JOIN logs.users u ON u.id = e.user_id AND u.tenant = e.tenant AND u.tenant = @tenant',
  ],
  ['CROSS JOIN', 'SELECT e.path FROM logs.events e CROSS JOIN logs.users u WHERE e.tenant = @tenant'],
  [
    'a filter above an ANY JOIN',
    'SELECT e.path, u.email FROM logs.events e ANY LEFT JOIN logs.users u ON u.id = e.user_id WHERE e.tenant = @tenant AND u.tenant = @tenant',
  ],
  [
    'ASOF without the tenant',
    'SELECT e.path, o.amount FROM logs.events e ASOF JOIN logs.orders o ON e.user_id = o.user_id AND e.ms >= o.amount WHERE e.tenant = @tenant AND o.tenant = @tenant',
  ],
  [
    'a SEMI JOIN without the tenant',
    'SELECT e.path FROM logs.events e LEFT SEMI JOIN logs.users u ON u.id = e.user_id WHERE e.tenant = @tenant',
  ],
  [
    'a filter above SEMI JOIN on what was picked',
    'SELECT e.path FROM logs.events e LEFT SEMI JOIN logs.users u ON u.id = e.user_id WHERE e.tenant = @tenant AND u.tenant = @tenant',
  ],
  [
    'PASTE JOIN',
    'SELECT path, email FROM (SELECT tenant, path FROM logs.events ORDER BY ts) e PASTE JOIN (SELECT tenant AS t, email FROM logs.users ORDER BY email) u WHERE tenant = @tenant AND t = @tenant',
  ],
  [
    'column names of a derived table exchanged',
    "SELECT p FROM (SELECT path, tenant FROM logs.events) AS e(tenant, p) WHERE tenant = @tenant OR p != ''",
  ],
  [
    'a second branch without a condition',
    'SELECT path FROM logs.events WHERE tenant = @tenant UNION ALL SELECT email FROM logs.users',
  ],
  [
    'a second branch with other columns',
    'SELECT x FROM (SELECT tenant AS t, path AS x FROM logs.events UNION ALL SELECT @tenant, email FROM logs.users) WHERE t = @tenant',
  ],
  [
    'columns exchanged in a second branch',
    "SELECT x FROM (SELECT tenant AS t, path AS x FROM logs.events UNION ALL SELECT path, tenant FROM logs.events) WHERE t = @tenant OR x = 'b'",
  ],
  [
    'EXCEPT of all',
    'SELECT user_id FROM logs.events WHERE tenant = @tenant EXCEPT SELECT id FROM logs.users',
  ],
  [
    'INTERSECT with all',
    'SELECT user_id FROM logs.events WHERE tenant = @tenant INTERSECT SELECT id FROM logs.users',
  ],
  [
    'a subquery in IN without a condition',
    'SELECT path FROM logs.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM logs.users)',
  ],
  [
    'a limited subquery in IN',
    'SELECT path FROM logs.events WHERE tenant = @tenant AND (tenant, user_id) IN (SELECT tenant, id FROM logs.users ORDER BY email DESC LIMIT 1)',
  ],
  [
    'IN of the tenants of a table',
    'SELECT path FROM logs.events WHERE tenant IN (SELECT tenant FROM logs.users)',
  ],
  [
    'EXISTS without the tenant',
    'SELECT path FROM logs.events e WHERE e.tenant = @tenant AND EXISTS (SELECT 1 FROM logs.users u WHERE u.id = e.user_id)',
  ],
  [
    'a scalar subquery without a condition',
    'SELECT path, (SELECT count() FROM logs.users) FROM logs.events WHERE tenant = @tenant',
  ],
  [
    'a scalar WITH without a condition',
    'WITH (SELECT max(ms) FROM logs.events) AS m SELECT path, m FROM logs.events WHERE tenant = @tenant',
  ],
  [
    'a scalar subquery as the condition',
    'SELECT path FROM logs.events WHERE if((SELECT count() FROM logs.users) > 3, 1, tenant = @tenant)',
  ],
  [
    'a scalar subquery of another tenant',
    'SELECT path FROM logs.events WHERE tenant = (SELECT max(tenant) FROM logs.users)',
  ],
  [
    'a dictionary without the tenant',
    "SELECT dictGet('logs.emails', 'email', user_id) FROM logs.events WHERE tenant = @tenant",
  ],
  [
    'a dictionary with another tenant',
    "SELECT dictGet('logs.tenant_emails', 'email', ('b', user_id)) FROM logs.events WHERE tenant = @tenant",
  ],
  ['dictHas', "SELECT dictHas('logs.emails', user_id) FROM logs.events WHERE tenant = @tenant"],
  ['a table function that reads', "SELECT path FROM merge('other', '^events$')", 'hidden'],
  [
    'a recursive WITH table whose second part is open',
    'WITH RECURSIVE r AS (SELECT id FROM logs.orders WHERE tenant = @tenant AND parent = 0 UNION ALL SELECT o.id FROM logs.orders o JOIN r ON o.parent = r.id WHERE o.id > r.id) SELECT id FROM r',
  ],
  ['elements of an array', 'SELECT t FROM logs.events ARRAY JOIN tags AS t WHERE t = @tenant'],
  [
    'a filter above an arrayJoin of other columns',
    "SELECT path FROM (SELECT arrayJoin(['a', tenant]) AS t, path FROM logs.events) WHERE t = @tenant",
  ],
  [
    'a computed column called tenant',
    "SELECT path FROM (SELECT if(ms > 50, 'a', tenant) AS tenant, path FROM logs.events) WHERE tenant = @tenant",
  ],
  [
    'a constant called tenant',
    'SELECT path FROM (SELECT @tenant AS tenant, path FROM logs.events) WHERE tenant = @tenant',
  ],
  [
    'the parameter in another column of the left side',
    'SELECT e.path FROM (SELECT *, @tenant AS own FROM logs.events) e JOIN logs.users u ON e.own = u.tenant AND u.id = e.user_id',
  ],
  ['a literal instead of the parameter', "SELECT path FROM logs.events WHERE tenant = 'b'"],
  [
    'a text that looks like a marked parameter',
    "SELECT path FROM logs.events WHERE tenant = tupleElement(('b', 'millrace:tenant'), 1)",
  ],
  ['xor', 'SELECT path FROM logs.events WHERE xor(tenant = @tenant, 1)'],
  ['ifNull of true', 'SELECT path FROM logs.events WHERE ifNull(nullIf(tenant = @tenant, 0), 1)'],
  [
    'a filled series',
    "SELECT user_id, t FROM (SELECT user_id, tenant AS t FROM logs.events ORDER BY user_id WITH FILL INTERPOLATE (t AS 'a')) WHERE t = @tenant",
  ],
  [
    'a lambda over an array of all rows',
    'SELECT arrayFilter(x -> x = @tenant OR 1, groupArray(tenant)) FROM logs.events',
  ],
  ['a view with a window', 'SELECT total FROM logs.totals WHERE tenant = @tenant'],
  ['a view of a view without a condition', 'SELECT path FROM logs.paths_again'],
  [
    'a view in IN',
    'SELECT email FROM logs.users WHERE tenant = @tenant AND id + 1 IN (SELECT user_id FROM logs.paths)',
  ],
  ['a view with parameters', "SELECT path FROM logs.of_tenant(name = 'b')"],
];
