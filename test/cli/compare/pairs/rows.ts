// Pairs of queries of which one returns rows that the other does not, by what excludes them; each is compared in both directions.

/** What one version excludes; `alike`: both return rows that the other does not. */
export interface RowPair {
  readonly name: string;
  /** Returns more rows. */
  readonly wide: string;
  /** Returns fewer of them, or others. */
  readonly narrow: string;
  readonly isTable: boolean;
  readonly areOthers: boolean;
}

type Row = readonly [name: string, wide: string, narrow: string];

function rows(
  list: readonly Row[],
  options: Partial<Pick<RowPair, 'isTable' | 'areOthers'>> = {},
): readonly RowPair[] {
  return list.map(([name, wide, narrow]) => ({
    name,
    wide,
    narrow,
    isTable: false,
    areOthers: false,
    ...options,
  }));
}

const EVENTS = 'SELECT path, ms FROM app.events WHERE tenant = @tenant';
const ORDERS = 'SELECT id, status FROM app.orders WHERE shop = @shop';
const VALUES = 'SELECT device, value FROM app.readings WHERE org = @org';
const JOINED = 'SELECT o.id AS id FROM app.orders AS o';
const BUYERS = 'c.shop = o.shop AND c.id = o.customer';

/** Conditions without parameters. */
const CONDITIONS: readonly Row[] = [
  ['a bound of a float', `${VALUES} AND value > 21`, `${VALUES} AND value > 39.5`],
  ['a bound of a float, beside OR', `${VALUES} AND (value < 30 OR metric = 'none')`, `${VALUES} AND (value < 21 OR metric = 'none')`],
  ['a constant', EVENTS, `${EVENTS} AND path = '/x'`],
  ['a constant beside no tenant', 'SELECT path FROM app.events', "SELECT path FROM app.events WHERE path = '/x'"],
  ['a constant in PREWHERE', EVENTS, EVENTS.replace('WHERE', "PREWHERE path = '/x' WHERE")],
  ['a constant in a WITH table', `WITH e AS (${EVENTS}) SELECT * FROM e`, `WITH e AS (${EVENTS} AND path != '/z') SELECT * FROM e`],
  ['a constant around a subquery', `SELECT * FROM (${EVENTS})`, `SELECT * FROM (${EVENTS}) WHERE ms < 25`],
  ['a flag', 'SELECT id FROM app.agents WHERE account = @account', 'SELECT id FROM app.agents WHERE account = @account AND NOT hidden'],
  ['LIKE', EVENTS, `${EVENTS} AND path NOT LIKE '/z%'`],
  ['IN of a subquery', EVENTS, `${EVENTS} AND user_id IN (SELECT id FROM app.users WHERE tenant = @tenant)`],
  ['a filter of the subquery of IN', `${EVENTS} AND user_id IN (SELECT id FROM app.users WHERE tenant = @tenant)`, `${EVENTS} AND user_id IN (SELECT id FROM app.users WHERE tenant = @tenant AND plan = 'gold')`],
  ['a filter of the subquery of NOT IN', `${EVENTS} AND user_id NOT IN (SELECT id FROM app.users WHERE tenant = @tenant AND plan = 'gold')`, `${EVENTS} AND user_id NOT IN (SELECT id FROM app.users WHERE tenant = @tenant)`],
  ['an alternative', `${EVENTS} AND (path = '/x' OR ms > 25)`, `${EVENTS} AND path = '/x'`],
  ['a branch of if()', `${EVENTS} AND if(ms > 15, 1, path = '/q')`, `${EVENTS} AND if(ms > 25, 1, path = '/q')`],
  ['a branch of CASE', `${EVENTS} AND CASE WHEN ms > 25 THEN 1 WHEN path = '/x' THEN 1 ELSE 0 END`, `${EVENTS} AND CASE WHEN ms > 25 THEN 1 ELSE 0 END`],
  ['NULL as true', 'SELECT id FROM app.customers WHERE shop = @shop AND ifNull(segment = \'vip\', 1)', 'SELECT id FROM app.customers WHERE shop = @shop AND ifNull(segment = \'vip\', 0)'],
  ['IS NOT NULL', 'SELECT id FROM app.customers WHERE shop = @shop', 'SELECT id FROM app.customers WHERE shop = @shop AND segment IS NOT NULL'],
  ['a lower bound', `${EVENTS} AND ms > 5`, `${EVENTS} AND ms > 15`],
  ['an upper bound', `${EVENTS} AND ms <= 20`, `${EVENTS} AND ms < 20`],
  ['the bounds of BETWEEN', `${EVENTS} AND ms BETWEEN 10 AND 20`, `${EVENTS} AND ms BETWEEN 10 AND 19`],
  ['a bound of NOT', `${EVENTS} AND NOT ms < 10`, `${EVENTS} AND NOT ms < 11`],
  ['a bound of a Decimal', `${ORDERS} AND total < 9`, `${ORDERS} AND total < 7`],
  ['a list', `${ORDERS} AND status IN ('paid', 'new')`, `${ORDERS} AND status IN ('paid')`],
  ['a list of an Enum', "SELECT id FROM app.gates WHERE org = @org AND state IN ('open', 'shut')", "SELECT id FROM app.gates WHERE org = @org AND state IN ('open')"],
  ['a list of a Nullable', "SELECT id FROM app.customers WHERE shop = @shop AND (segment IN ('vip', 'old') OR segment IS NULL)", "SELECT id FROM app.customers WHERE shop = @shop AND segment IN ('vip')"],
  ['a number of elements', 'SELECT visitor FROM app.hits WHERE site = @site AND length(goals.name) >= 1', 'SELECT visitor FROM app.hits WHERE site = @site AND length(goals.name) >= 2'],
  ['a list as OR', `${ORDERS} AND (status = 'paid' OR status = 'new')`, `${ORDERS} AND status = 'paid'`],
  ['a list of NOT IN', `${ORDERS} AND status NOT IN ('void')`, `${ORDERS} AND status NOT IN ('void', 'new')`],
  ['a list as has()', `${ORDERS} AND has(['paid', 'new'], status)`, `${ORDERS} AND has(['paid'], status)`],
  ['a list of != and AND', `${ORDERS} AND status != 'void'`, `${ORDERS} AND status != 'void' AND status != 'new'`],
  ['HAVING', 'SELECT path, count() AS n FROM app.events WHERE tenant = @tenant GROUP BY path', 'SELECT path, count() AS n FROM app.events WHERE tenant = @tenant GROUP BY path HAVING n > 5'],
  ['a bound in HAVING', 'SELECT path, sum(ms) AS s FROM app.events WHERE tenant = @tenant GROUP BY path HAVING s > 5', 'SELECT path, sum(ms) AS s FROM app.events WHERE tenant = @tenant GROUP BY path HAVING s > 15'],
  ['a filter of groups outside', 'SELECT * FROM (SELECT path, count() AS n FROM app.events WHERE tenant = @tenant GROUP BY path)', 'SELECT * FROM (SELECT path, count() AS n FROM app.events WHERE tenant = @tenant GROUP BY path) WHERE n > 5'],
  ['QUALIFY', 'SELECT path, row_number() OVER (PARTITION BY tenant ORDER BY ms) AS r FROM app.events WHERE tenant = @tenant', 'SELECT path, row_number() OVER (PARTITION BY tenant ORDER BY ms) AS r FROM app.events WHERE tenant = @tenant QUALIFY r < 3'],
  ['a bound in QUALIFY', 'SELECT path, row_number() OVER (ORDER BY ms) AS r FROM app.events WHERE tenant = @tenant QUALIFY r < 3', 'SELECT path, row_number() OVER (ORDER BY ms) AS r FROM app.events WHERE tenant = @tenant QUALIFY r < 2'],
]; // prettier-ignore

const JOINS: readonly Row[] = [
  ['LEFT and INNER', `${JOINED} LEFT JOIN app.refunds AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop`, `${JOINED} INNER JOIN app.refunds AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop`],
  ['LEFT and INNER with USING', 'SELECT order_id FROM (SELECT shop, id AS order_id FROM app.orders) AS o LEFT JOIN app.refunds AS r USING (shop, order_id) WHERE shop = @shop', 'SELECT order_id FROM (SELECT shop, id AS order_id FROM app.orders) AS o JOIN app.refunds AS r USING (shop, order_id) WHERE shop = @shop'],
  ['RIGHT and INNER', 'SELECT o.id AS id FROM app.refunds AS r RIGHT JOIN app.orders AS o ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop', 'SELECT o.id AS id FROM app.refunds AS r JOIN app.orders AS o ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop'],
  ['a join and none', `${JOINED} WHERE o.shop = @shop`, `${JOINED} SEMI JOIN app.refunds AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop`],
  ['ANTI and none', `${JOINED} WHERE o.shop = @shop`, `${JOINED} LEFT ANTI JOIN app.refunds AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop`],
  ['the link of a comma', `${JOINED}, app.customers AS c WHERE o.shop = @shop AND c.shop = @shop`, `${JOINED}, app.customers AS c WHERE o.shop = @shop AND c.shop = @shop AND c.id = o.customer`],
  ['the link of CROSS JOIN', `${JOINED} CROSS JOIN app.customers AS c WHERE o.shop = @shop AND c.shop = o.shop`, `${JOINED} CROSS JOIN app.customers AS c WHERE o.shop = @shop AND c.shop = o.shop AND o.customer = c.id`],
  ['a key of ON', `${JOINED} JOIN app.customers AS c ON c.shop = o.shop WHERE o.shop = @shop`, `${JOINED} JOIN app.customers AS c ON ${BUYERS} WHERE o.shop = @shop`],
  ['a key of USING', 'SELECT id FROM app.orders AS o JOIN app.customers AS c USING (shop) WHERE shop = @shop', 'SELECT id FROM app.orders AS o JOIN app.customers AS c USING (shop, id) WHERE shop = @shop'],
  ['a constant in ON', `${JOINED} JOIN app.customers AS c ON ${BUYERS} WHERE o.shop = @shop`, `${JOINED} JOIN app.customers AS c ON ${BUYERS} AND c.segment = 'vip' WHERE o.shop = @shop`],
  ['a constant of the other side', `${JOINED} JOIN (SELECT * FROM app.customers WHERE shop = @shop) AS c ON ${BUYERS} WHERE o.shop = @shop`, `${JOINED} JOIN (SELECT * FROM app.customers WHERE shop = @shop AND segment = 'vip') AS c ON ${BUYERS} WHERE o.shop = @shop`],
  ['the elements of ARRAY JOIN', 'SELECT order_id, s FROM app.lines ARRAY JOIN items.sku AS s WHERE shop = @shop', "SELECT order_id, s FROM app.lines ARRAY JOIN arrayFilter(x -> x != 's2', items.sku) AS s WHERE shop = @shop"],
  ['the elements of arrayJoin', 'SELECT order_id, arrayJoin(items.qty) AS q FROM app.lines WHERE shop = @shop', 'SELECT order_id, arrayJoin(arraySlice(arrayReverse(items.qty), 1, 1)) AS q FROM app.lines WHERE shop = @shop'],
  ['ARRAY JOIN and LEFT ARRAY JOIN', 'SELECT order_id FROM app.lines LEFT ARRAY JOIN items AS i WHERE shop = @shop', 'SELECT order_id FROM app.lines ARRAY JOIN items AS i WHERE shop = @shop'],
]; // prettier-ignore

const ANY: Row = ['ALL and ANY',
    'SELECT c.id AS id FROM (SELECT * FROM app.customers WHERE shop = @shop) AS c JOIN (SELECT * FROM app.orders WHERE shop = @shop) AS o ON o.customer = c.id',
    'SELECT c.id AS id FROM (SELECT * FROM app.customers WHERE shop = @shop) AS c ANY JOIN (SELECT * FROM app.orders WHERE shop = @shop) AS o ON o.customer = c.id',
  ]; // prettier-ignore

const GROUPS: readonly Row[] = [
  ['DISTINCT', 'SELECT customer FROM app.orders WHERE shop = @shop', 'SELECT DISTINCT customer FROM app.orders WHERE shop = @shop'],
  ['DISTINCT ON', 'SELECT customer, id FROM app.orders WHERE shop = @shop', 'SELECT DISTINCT ON (customer) customer, id FROM app.orders WHERE shop = @shop ORDER BY id'],
  ['GROUP BY without aggregates', 'SELECT customer FROM app.orders WHERE shop = @shop', 'SELECT customer FROM app.orders WHERE shop = @shop GROUP BY customer'],
  ['UNION DISTINCT', 'SELECT customer AS x FROM app.orders WHERE shop = @shop UNION ALL SELECT id AS x FROM app.customers WHERE shop = @shop', 'SELECT customer AS x FROM app.orders WHERE shop = @shop UNION DISTINCT SELECT id AS x FROM app.customers WHERE shop = @shop'],
  ['LIMIT BY', 'SELECT customer, id FROM app.orders WHERE shop = @shop ORDER BY id', 'SELECT customer, id FROM app.orders WHERE shop = @shop ORDER BY id LIMIT 1 BY customer'],
  ['the count of LIMIT BY', 'SELECT customer, id FROM app.orders WHERE shop = @shop ORDER BY id LIMIT 2 BY customer', 'SELECT customer, id FROM app.orders WHERE shop = @shop ORDER BY id LIMIT 1 BY customer'],
  ['a branch of UNION ALL', `${ORDERS} AND status = 'paid' UNION ALL ${ORDERS} AND status = 'new'`, `${ORDERS} AND status = 'paid'`],
  ['a branch of another table', 'SELECT id FROM app.orders WHERE shop = @shop UNION ALL SELECT order_id FROM app.refunds WHERE shop = @shop AND amount > 1', 'SELECT id FROM app.orders WHERE shop = @shop'],
  ['EXCEPT', ORDERS, `${ORDERS} EXCEPT ${ORDERS} AND status = 'void'`],
  ['INTERSECT', ORDERS, `${ORDERS} INTERSECT ${ORDERS} AND status = 'void'`],
]; // prettier-ignore

const TICKETS = 'SELECT id FROM app.tickets WHERE account = @account';

/** One condition that is narrower than the other: by the strings that pass it, the elements of arrays, the rows of IN. */
const NARROWER: readonly Row[] = [
  ['hasAny', `${TICKETS} AND hasAny(labels, ['vip', 'bug'])`, `${TICKETS} AND hasAny(['bug'], labels)`],
  ['hasAny and has', `${TICKETS} AND hasAny(labels, ['vip', 'bug'])`, `${TICKETS} AND has(labels, 'bug')`],
  ['hasAny and hasAll', `${TICKETS} AND hasAny(labels, ['new', 'bug'])`, `${TICKETS} AND hasAll(labels, ['vip', 'new'])`],
  ['any element and one', `${TICKETS} AND notEmpty(labels)`, `${TICKETS} AND has(labels, 'vip')`],
  ['a lambda of an element', `${TICKETS} AND hasAny(labels, ['vip', 'bug'])`, `${TICKETS} AND arrayExists(l -> l = 'bug', labels)`],
  ['lambdas of strings', `${TICKETS} AND arrayExists(l -> l LIKE '%u%' OR l = 'vip', labels)`, `${TICKETS} AND arrayExists(x -> startsWith(x, 'bu'), labels)`],
  ['lambdas of all elements', `${TICKETS} AND arrayAll(l -> l IN ('new', 'vip', 'bug'), labels)`, `${TICKETS} AND arrayAll(l -> l IN ('new', 'vip'), labels)`],
  ['a filtered array', `${TICKETS} AND notEmpty(arrayFilter(l -> l != 'x', labels))`, `${TICKETS} AND notEmpty(arrayFilter(l -> l NOT IN ('x', 'bug'), labels))`],
  ['a lambda with NOT', `${TICKETS} AND NOT arrayExists(l -> l = 'x', labels)`, `${TICKETS} AND NOT arrayExists(l -> l = 'x' OR l = 'bug', labels)`],
  ['a prefix', `${EVENTS} AND startsWith(path, '/')`, `${EVENTS} AND startsWith(path, '/x')`],
  ['a prefix and its value', `${EVENTS} AND startsWith(path, '/')`, `${EVENTS} AND path = '/x'`],
  ['NOT of a prefix', `${EVENTS} AND NOT startsWith(path, '/xx')`, `${EVENTS} AND NOT startsWith(path, '/x')`],
  ['parts of LIKE', `${EVENTS} AND email LIKE '%a%.eu'`, `${EVENTS} AND email LIKE 'an_@a%.eu'`],
  ['LIKE and a list', `${EVENTS} AND email LIKE 'a%'`, `${EVENTS} AND email IN ('ann@a.eu', 'ax')`],
  ['ILIKE', `${EVENTS} AND email ILIKE 'A%'`, `${EVENTS} AND email ILIKE 'aN%'`],
  ['ILIKE and LIKE', `${EVENTS} AND email ILIKE 'A%'`, `${EVENTS} AND email LIKE 'an%'`],
  ['a regular expression', `${EVENTS} AND match(path, '^(/x|/y)$')`, `${EVENTS} AND path = '/x'`],
  ['a regular expression without anchors', `${EVENTS} AND match(email, 'a')`, `${EVENTS} AND match(email, '^an')`],
  ['rows of IN', `${ORDERS} AND (status, customer) IN (('paid', 1), ('new', 2))`, `${ORDERS} AND (status, customer) IN (('paid', 1))`],
  ['rows of IN and equalities', `${ORDERS} AND (status, customer) IN (('paid', 1), ('new', 2))`, `${ORDERS} AND customer = 2 AND status = 'new'`],
  ['rows of NOT IN', `${ORDERS} AND (status, customer) NOT IN (('paid', 1))`, `${ORDERS} AND (customer, status) NOT IN ((1, 'paid'), (2, 'new'))`],
  ['a tuple', `${ORDERS} AND customer = 1`, `${ORDERS} AND (customer, status) = (1, 'paid')`],
]; // prettier-ignore

const STOCK = 'SELECT sku, qty FROM app.stock';
const OF_SHOP = 'WHERE shop = @shop';

/** The rows that are read of a table. */
const READS: readonly Row[] = [
  ['FINAL', `${STOCK} ${OF_SHOP}`, `${STOCK} FINAL ${OF_SHOP}`],
  ['FINAL of a joined table', `SELECT s.qty AS qty FROM app.lines AS l ARRAY JOIN items.sku AS sku INNER JOIN app.stock AS s ON s.shop = l.shop AND s.sku = sku WHERE l.shop = @shop`, `SELECT s.qty AS qty FROM app.lines AS l ARRAY JOIN items.sku AS sku INNER JOIN app.stock AS s FINAL ON s.shop = l.shop AND s.sku = sku WHERE l.shop = @shop`],
  ['FINAL in a WITH table', `WITH s AS (${STOCK} ${OF_SHOP}) SELECT qty FROM s WHERE qty > 3`, `WITH s AS (${STOCK} FINAL ${OF_SHOP}) SELECT qty FROM s WHERE qty > 3`],
  ['FINAL in IN', `SELECT id FROM app.orders WHERE shop = @shop AND id IN (SELECT toUInt64(qty) FROM app.stock WHERE shop = @shop)`, `SELECT id FROM app.orders WHERE shop = @shop AND id IN (SELECT toUInt64(qty) FROM app.stock FINAL WHERE shop = @shop)`],
  ['SAMPLE', `${STOCK} ${OF_SHOP}`, `${STOCK} SAMPLE 1/4 ${OF_SHOP}`],
  ['the share of SAMPLE', `${STOCK} SAMPLE 0.5 ${OF_SHOP}`, `${STOCK} SAMPLE 1/10 ${OF_SHOP}`],
  ['a value of an Enum', `${STOCK} ${OF_SHOP} AND state != 'late'`, `${STOCK} ${OF_SHOP} AND state IN ('out')`],
]; // prettier-ignore

const NIGHT = "toDateTime('2024-01-03 00:00:00')";

/** Periods, by constants, parameters and the clock. */
const PERIODS: readonly Row[] = [
  ['days before a time', `${EVENTS} AND ts > ${NIGHT} - INTERVAL 1 WEEK`, `${EVENTS} AND ts > ${NIGHT} - INTERVAL 1 DAY`],
  ['days before now', `${EVENTS} AND ts > now() - INTERVAL 100 YEAR`, `${EVENTS} AND ts > now() - INTERVAL 1 DAY`],
  ['days before today', `${ORDERS} AND created >= today() - 20000`, `${ORDERS} AND created >= today() - 1`],
  ['days after a parameter', `${ORDERS} AND created < @from + INTERVAL 7 DAY`, `${ORDERS} AND created < @from + INTERVAL 1 DAY`],
  ['hours by a function', `${VALUES} AND at < @from + toIntervalHour(48)`, `${VALUES} AND at < @from + toIntervalHour(1)`],
  ['an earlier start', `${TICKETS} AND opened >= '2023-01-15'`, `${TICKETS} AND opened >= '2024-01-15'`],
  ['a period and none', EVENTS, `${EVENTS} AND ts > now() - INTERVAL 1 DAY`],
  ['a period in a WITH table', `WITH e AS (${EVENTS} AND ts > ${NIGHT} - INTERVAL 1 WEEK) SELECT * FROM e`, `WITH e AS (${EVENTS} AND ts > ${NIGHT} - INTERVAL 1 DAY) SELECT * FROM e`],
]; // prettier-ignore

const LIMITS: readonly Row[] = [
  ['LIMIT', `${ORDERS} ORDER BY id LIMIT 2`, `${ORDERS} ORDER BY id LIMIT 1`],
  ['LIMIT and none', `${ORDERS} ORDER BY id`, `${ORDERS} ORDER BY id LIMIT 2`],
  ['OFFSET and none', `${ORDERS} ORDER BY id`, `${ORDERS} ORDER BY id OFFSET 1`],
  ['OFFSET within', `${ORDERS} ORDER BY id LIMIT 3`, `${ORDERS} ORDER BY id LIMIT 1 OFFSET 1`],
  ['WITH TIES', 'SELECT shop, id FROM app.orders WHERE shop = @shop ORDER BY shop LIMIT 1 WITH TIES', 'SELECT shop, id FROM app.orders WHERE shop = @shop ORDER BY shop LIMIT 1'],
  ['FETCH', `${ORDERS} ORDER BY id FETCH FIRST 2 ROWS ONLY`, `${ORDERS} ORDER BY id FETCH FIRST 1 ROWS ONLY`],
]; // prettier-ignore

const EXCHANGED: readonly Row[] = [
  ['the offset of SAMPLE', `${STOCK} SAMPLE 1/4 ${OF_SHOP}`, `${STOCK} SAMPLE 1/4 OFFSET 1/2 ${OF_SHOP}`],
  ['a constant tenant', "SELECT path FROM app.events WHERE tenant = 'a'", "SELECT path FROM app.events WHERE tenant = 'b'"],
  ['a constant', `${EVENTS} AND path = '/x'`, `${EVENTS} AND path = '/y'`],
  ['a constant in ON', `${JOINED} JOIN app.customers AS c ON ${BUYERS} AND c.id = 1 WHERE o.shop = @shop`, `${JOINED} JOIN app.customers AS c ON ${BUYERS} AND c.id = 2 WHERE o.shop = @shop`],
  ['a list', `${ORDERS} AND status IN ('paid', 'new')`, `${ORDERS} AND status IN ('paid', 'void')`],
  ['prefixes', `${EVENTS} AND startsWith(path, '/x')`, `${EVENTS} AND startsWith(path, '/y')`],
  ['LIKE and a suffix', `${EVENTS} AND email LIKE 'an%'`, `${EVENTS} AND email LIKE '%l@a.eu'`],
  ['elements', `${TICKETS} AND has(labels, 'vip')`, `${TICKETS} AND hasAny(labels, ['bug', 'x'])`],
  ['lambdas', `${TICKETS} AND arrayExists(l -> l = 'vip' OR l = 'x', labels)`, `${TICKETS} AND arrayExists(l -> l IN ('bug', 'x'), labels)`],
  ['rows of IN', `${ORDERS} AND (status, customer) IN (('paid', 1))`, `${ORDERS} AND (status, customer) IN (('new', 2), ('paid', 2))`],
  ['a bound turned round', `${EVENTS} AND ms > 15`, `${EVENTS} AND ms < 15`],
  ['= and !=', `${ORDERS} AND status = 'paid'`, `${ORDERS} AND status != 'paid'`],
  ['NULL and others', 'SELECT id FROM app.customers WHERE shop = @shop AND segment IS NULL', 'SELECT id FROM app.customers WHERE shop = @shop AND segment IS NOT NULL'],
  ['SEMI and ANTI', `${JOINED} LEFT SEMI JOIN app.refunds AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop`, `${JOINED} LEFT ANTI JOIN app.refunds AS r ON r.shop = o.shop AND r.order_id = o.id WHERE o.shop = @shop`],
  ['IN and NOT IN', `${ORDERS} AND id IN (SELECT order_id FROM app.refunds WHERE shop = @shop)`, `${ORDERS} AND id NOT IN (SELECT order_id FROM app.refunds WHERE shop = @shop)`],
  ['the order of a cut result', `${ORDERS} ORDER BY id LIMIT 1`, `${ORDERS} ORDER BY id DESC LIMIT 1`],
  ['the column of the order of a cut result', `${ORDERS} ORDER BY created LIMIT 1`, `${ORDERS} ORDER BY status, id DESC LIMIT 1`],
  ['the order of LIMIT BY', 'SELECT customer, id FROM app.orders WHERE shop = @shop ORDER BY id LIMIT 1 BY customer', 'SELECT customer, id FROM app.orders WHERE shop = @shop ORDER BY id DESC LIMIT 1 BY customer'],
  ['the order in a WITH table', `WITH o AS (${ORDERS} ORDER BY id LIMIT 1) SELECT * FROM o`, `WITH o AS (${ORDERS} ORDER BY id DESC LIMIT 1) SELECT * FROM o`],
  ['OFFSET of a cut result', `${ORDERS} ORDER BY id LIMIT 1`, `${ORDERS} ORDER BY id LIMIT 1 OFFSET 1`],
  ['a table', 'SELECT count() AS n FROM app.refunds WHERE shop = @shop', 'SELECT count() AS n FROM app.orders WHERE shop = @shop'],
  ['a table in a WITH table', 'WITH t AS (SELECT * FROM app.refunds WHERE shop = @shop) SELECT count() AS n FROM t', 'WITH t AS (SELECT * FROM app.orders WHERE shop = @shop) SELECT count() AS n FROM t'],
]; // prettier-ignore

export const ROW_PAIRS: readonly RowPair[] = [
  ...rows([...CONDITIONS, ...NARROWER, ...JOINS, ...GROUPS, ...PERIODS, ...LIMITS, ...READS, ANY]),
  ...rows([...CONDITIONS, ...JOINS, ...GROUPS, ...PERIODS, ...LIMITS, ...READS], { isTable: true }),
  ...rows(
    [['GROUP BY', 'SELECT customer, 1 AS n FROM app.orders WHERE shop = @shop', 'SELECT customer, 1 AS n FROM app.orders WHERE shop = @shop GROUP BY customer'],
     ['a key of GROUP BY', 'SELECT customer FROM app.orders WHERE shop = @shop GROUP BY customer, id', 'SELECT customer FROM app.orders WHERE shop = @shop GROUP BY customer']],
    { isTable: true },
  ),
  ...rows(EXCHANGED, { areOthers: true }),
  ...rows(EXCHANGED, { areOthers: true, isTable: true }),
]; // prettier-ignore
