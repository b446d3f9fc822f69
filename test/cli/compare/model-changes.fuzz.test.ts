// Changes of queries that let somebody see more, and rewrites that do not, by the models of both versions.
import { afterAll, describe, expect, test } from 'vitest';
import { CHANGES } from '../../../src/cli/compare/changes.ts';
import { areEqual, compareModels } from '../../../src/cli/compare/model-changes.ts';
import { openTwoTenants } from '../../guard/query/world.ts';

const world = await openTwoTenants();
afterAll(() => world.close());

type Pair = readonly [before: string, after: string];

async function securityCodes([before, after]: Pair, isTable: boolean): Promise<readonly string[]> {
  const [old, now] = [await world.model(before), await world.model(after)];
  return compareModels(old, now, { isTable })
    .map(({ code }) => code)
    .filter((code) => CHANGES[code].class === 'security');
}

const DANGEROUS: readonly Pair[] = [
  ["SELECT e.path FROM logs.events e JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant", "SELECT e.path FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant"],
  ["SELECT e.path FROM logs.events e INNER JOIN (SELECT id FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id", "SELECT e.path FROM logs.events e LEFT JOIN (SELECT id FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id"],
  ["SELECT e.path FROM logs.events e LEFT SEMI JOIN (SELECT id FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id", "SELECT e.path FROM logs.events e LEFT ANTI JOIN (SELECT id FROM logs.users WHERE tenant = @tenant) u ON u.id = e.user_id"],
  ["SELECT e.path, o.amount FROM logs.events e JOIN logs.orders o USING (tenant, user_id) WHERE e.tenant = @tenant", "SELECT e.path, o.amount FROM logs.events e JOIN logs.orders o USING (user_id) WHERE e.tenant = @tenant"],
  ["SELECT e.path, u.email FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = e.tenant WHERE e.tenant = @tenant", "SELECT e.path, u.email FROM logs.users u LEFT JOIN logs.events e ON u.id = e.user_id AND u.tenant = e.tenant AND e.tenant = @tenant"],
  ["SELECT path, sum(ms) OVER () AS s FROM logs.events WHERE tenant = @tenant", "SELECT path, sum(ms) OVER () AS s FROM logs.events QUALIFY tenant = @tenant"],
  ["SELECT sum(ms * (tenant = @tenant)) AS s FROM logs.events", "SELECT sum(ms * (tenant != @tenant)) AS s FROM logs.events"],
  ["SELECT if(id = @user, email, '***') AS email FROM logs.users WHERE tenant = @tenant", "SELECT if(id != @user, email, '***') AS email FROM logs.users WHERE tenant = @tenant"],
  ["SELECT hex(SHA256(email)) AS email FROM logs.users WHERE tenant = @tenant", "SELECT email FROM logs.users WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path, dictGet('logs.emails', 'email', user_id) AS email FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant = @tenant UNION ALL SELECT email FROM logs.users"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE path = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant LIKE @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant = @tenant OR ms > 5"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant IN (@tenant, 'b')"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant >= @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND user_id >= @user", "SELECT path FROM logs.events WHERE tenant = @tenant"],
  ["SELECT e.path FROM logs.events e, logs.users u WHERE e.tenant = @tenant AND u.tenant = e.tenant", "SELECT e.path FROM logs.events e, logs.users u WHERE e.tenant = @tenant AND u.country = e.tenant"],
  ["SELECT countIf(tenant = @tenant) AS n FROM logs.events", "SELECT count() AS n FROM logs.events"],
  ["SELECT countIf(tenant = @tenant) AS n FROM logs.events", "SELECT countIf(tenant = @tenant) AS n, count() AS all FROM logs.events"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant LIMIT @count", "SELECT path FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM logs.users WHERE tenant = @tenant)", "SELECT path FROM logs.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM logs.users)"],
  ["SELECT arrayFilter(x -> x = @tenant, tags) AS t FROM logs.events WHERE tenant = @tenant", "SELECT arrayFilter(x -> x != @tenant, tags) AS t FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant = @tenant SETTINGS join_use_nulls = 1"],
  ["SELECT path, row_number() OVER (PARTITION BY tenant ORDER BY ts) AS n FROM logs.events QUALIFY tenant = @tenant", "SELECT path, row_number() OVER (ORDER BY ts) AS n FROM logs.events QUALIFY tenant = @tenant"],
  ["SELECT path FROM (SELECT tenant, path, ts FROM logs.events ORDER BY ts LIMIT 1 BY tenant) WHERE tenant = @tenant", "SELECT path FROM (SELECT tenant, path, ts FROM logs.events ORDER BY ts LIMIT 1) WHERE tenant = @tenant"],
  ["SELECT path, max(ms) AS m FROM logs.events WHERE tenant = @tenant GROUP BY path", "SELECT path, max(ms) AS m FROM logs.events GROUP BY path HAVING any(tenant) = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND path IN (SELECT path FROM logs.events WHERE user_id = @user)", "SELECT path FROM logs.events WHERE tenant = @tenant OR path IN (SELECT path FROM logs.events WHERE user_id = @user)"],
  ["SELECT path FROM logs.events WHERE has(@tenants, tenant)", "SELECT path FROM logs.events WHERE has(@tenants, tenant) OR empty(@tenants)"],
  ["SELECT path FROM logs.events WHERE tenant IN @tenants", "SELECT path FROM logs.events WHERE tenant NOT IN @tenants"],
  ["SELECT path FROM logs.events WHERE tenant IN @tenants", "SELECT path FROM logs.events WHERE path IN @tenants"],
  ["SELECT path FROM logs.events WHERE has(tags, @word)", "SELECT path FROM logs.events WHERE NOT has(tags, @word)"],
  ["SELECT path FROM logs.events WHERE arrayExists(x -> x = @word, tags)", "SELECT path FROM logs.events WHERE arrayExists(x -> x != @word, tags)"],
  ["SELECT dictGet('logs.tenant_emails', 'email', (@tenant, user_id)) AS e FROM logs.events WHERE tenant = @tenant", "SELECT dictGet('logs.tenant_emails', 'email', ('b', user_id)) AS e FROM logs.events WHERE tenant = @tenant"],
  ["SELECT dictGet('logs.tenant_emails', 'email', (@tenant, user_id)) AS e FROM logs.events WHERE tenant = @tenant", "SELECT dictGet('logs.tenant_emails', 'email', (path, user_id)) AS e FROM logs.events WHERE tenant = @tenant"],
  ["SELECT arrayMap(x -> if(x = @word, x, '*'), tags) AS t FROM logs.events WHERE tenant = @tenant", "SELECT arrayMap(x -> if(x != @word, x, '*'), tags) AS t FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.paths WHERE tenant = @tenant", "SELECT path FROM logs.paths WHERE path = @tenant"],
  ["SELECT path FROM logs.paths WHERE tenant = @tenant", "SELECT total AS path FROM logs.totals WHERE tenant = @tenant"],
  ["SELECT o.amount AS amount FROM logs.orders o JOIN logs.orders p ON o.parent = p.id AND p.tenant = o.tenant WHERE o.tenant = @tenant", "SELECT p.amount AS amount FROM logs.orders o LEFT JOIN logs.orders p ON o.parent = p.id WHERE o.tenant = @tenant"],
  ["SELECT o.amount AS amount FROM logs.orders o JOIN logs.orders p ON o.parent = p.id AND p.tenant = o.tenant WHERE o.tenant = @tenant AND p.user_id >= @user", "SELECT o.amount AS amount FROM logs.orders o JOIN logs.orders p ON o.parent = p.id AND p.tenant = o.tenant WHERE o.tenant = @tenant AND o.user_id >= @user"],
  ["SELECT count() AS n FROM logs.events WHERE tenant = @tenant", "SELECT (SELECT count() FROM logs.events) AS n FROM logs.events WHERE tenant = @tenant"],
  ["SELECT email FROM logs.users WHERE tenant = @tenant AND id = @user", "SELECT email FROM logs.users WHERE tenant = @tenant AND (id = @user OR manager = @user)"],
  ["SELECT email FROM logs.users WHERE tenant = @tenant AND (@flag = 0 OR id = @user)", "SELECT email FROM logs.users WHERE tenant = @tenant AND (@flag = 1 OR id = @user)"],
  ["SELECT email FROM logs.users WHERE if(@flag = 1, tenant = @tenant, 0)", "SELECT email FROM logs.users WHERE if(@flag = 1, tenant = @tenant, 1)"],
  ["SELECT left(email, 1) AS e FROM logs.users WHERE tenant = @tenant", "SELECT left(email, 100) AS e FROM logs.users WHERE tenant = @tenant"],
  ["SELECT replaceRegexpAll(email, '.', '*') AS e FROM logs.users WHERE tenant = @tenant", "SELECT replaceRegexpAll(email, 'zz', '*') AS e FROM logs.users WHERE tenant = @tenant"],
  ["SELECT uniq(email) AS e FROM logs.users WHERE tenant = @tenant", "SELECT groupArray(email) AS e FROM logs.users WHERE tenant = @tenant"],
  ["SELECT concat(left(email, 1), '***') AS e FROM logs.users WHERE tenant = @tenant", "SELECT concat(email, '***') AS e FROM logs.users WHERE tenant = @tenant"],
  ["SELECT sumIf(ms, tenant = @tenant) AS s FROM logs.events", "SELECT sumIf(ms, tenant >= @tenant) AS s FROM logs.events"],
  ["SELECT sumIf(ms, tenant = @tenant) AS s FROM logs.events", "SELECT sumIf(ms, tenant = @tenant) + sum(ms) AS s FROM logs.events"],
  ["SELECT sumIf(ms, tenant = @tenant) AS s FROM logs.events", "SELECT sumIf(ms, tenant = @tenant) AS s, max(user_id) AS u FROM logs.events"],
  ["SELECT sumIf(ms, tenant = @tenant) AS s FROM logs.events", "SELECT sumIf(ms, tenant = @tenant) AS s, path FROM logs.events GROUP BY path"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant EXCEPT SELECT path FROM logs.events WHERE tenant = @tenant AND ms < 5", "SELECT path FROM logs.events WHERE tenant = @tenant EXCEPT SELECT path FROM logs.events WHERE ms < 5"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant INTERSECT SELECT path FROM logs.events WHERE user_id = @user", "SELECT path FROM logs.events WHERE tenant = @tenant"],
  ["SELECT e.path FROM logs.events e WHERE e.tenant = @tenant AND EXISTS (SELECT 1 FROM logs.users u WHERE u.tenant = e.tenant AND u.id = @user)", "SELECT e.path FROM logs.events e WHERE e.tenant = @tenant AND NOT EXISTS (SELECT 1 FROM logs.users u WHERE u.tenant = e.tenant AND u.id = @user)"],
  ["WITH RECURSIVE r AS (SELECT id, parent FROM logs.orders WHERE tenant = @tenant UNION ALL SELECT o.id, o.parent FROM logs.orders o JOIN r ON o.parent = r.id WHERE o.tenant = @tenant) SELECT id FROM r", "WITH RECURSIVE r AS (SELECT id, parent FROM logs.orders WHERE tenant = @tenant UNION ALL SELECT o.id, o.parent FROM logs.orders o JOIN r ON o.parent = r.id) SELECT id FROM r"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant ORDER BY ts LIMIT 10 OFFSET @count", "SELECT path FROM logs.events WHERE tenant = @tenant ORDER BY ts LIMIT 10"],
  ["SELECT meta.host AS h FROM logs.events WHERE tenant = @tenant", "SELECT meta AS h FROM logs.events WHERE tenant = @tenant"],
  ["SELECT attributes['x'] AS h FROM logs.events WHERE tenant = @tenant", "SELECT attributes['y'] AS h FROM logs.events WHERE tenant = @tenant"],
  ["SELECT e.path AS p FROM logs.events e ASOF JOIN logs.orders o ON o.user_id = e.user_id AND o.id <= e.user_id AND o.tenant = e.tenant WHERE e.tenant = @tenant", "SELECT e.path AS p FROM logs.events e ASOF JOIN logs.orders o ON o.user_id = e.user_id AND o.id <= e.user_id WHERE e.tenant = @tenant AND o.tenant = @tenant"],
  ["SELECT t AS x FROM logs.events ARRAY JOIN tags AS t WHERE tenant = @tenant AND t = @word", "SELECT t AS x FROM logs.events ARRAY JOIN tags AS t WHERE tenant = @tenant AND has(tags, @word)"],
  ["SELECT max(path) AS p FROM logs.events WHERE tenant = @tenant GROUP BY user_id = @user HAVING user_id = @user", "SELECT max(path) AS p FROM logs.events WHERE tenant = @tenant GROUP BY user_id = @user"],
]; // prettier-ignore

/** If consumer queries read the whole result. */
const DANGEROUS_TABLES: readonly Pair[] = [
  ["SELECT e.path FROM logs.events e JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant", "SELECT e.path FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 5", "SELECT path FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 5", "SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 4"],
  ["SELECT path, s FROM (SELECT path, sum(ms) OVER () AS s FROM logs.events WHERE tenant = @tenant AND ms > 5)", "SELECT path, s FROM (SELECT path, ms, sum(ms) OVER () AS s FROM logs.events WHERE tenant = @tenant) WHERE ms > 5"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND user_id NOT IN (SELECT id FROM logs.users WHERE tenant = @tenant AND country = 'DE')", "SELECT path FROM logs.events WHERE tenant = @tenant AND user_id NOT IN (SELECT id FROM logs.users WHERE tenant = @tenant AND country = 'DE' AND manager > 5)"],
  ["SELECT path, count() AS n FROM logs.events WHERE tenant = @tenant GROUP BY path HAVING n > 5", "SELECT path, count() AS n FROM logs.events WHERE tenant = @tenant GROUP BY path"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND path NOT LIKE '/admin%'", "SELECT path FROM logs.events WHERE tenant = @tenant AND path NOT LIKE '/admin/x%'"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ms IN (1, 2)", "SELECT path FROM logs.events WHERE tenant = @tenant AND ms IN (1, 2, 3)"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ms NOT IN (1, 2)", "SELECT path FROM logs.events WHERE tenant = @tenant AND ms NOT IN (1)"],
  ["SELECT sum(ms) AS s, path FROM logs.events WHERE tenant = @tenant GROUP BY path", "SELECT ms AS s, path FROM logs.events WHERE tenant = @tenant"],
]; // prettier-ignore

/** Of equal text, and so of equal rows. */
const EQUAL: readonly Pair[] = [
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE ((@tenant == tenant))"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events PREWHERE tenant IN (@tenant)"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ms BETWEEN 1 AND 5", "SELECT path FROM logs.events WHERE ms >= 1 AND tenant = @tenant AND 5 >= ms"],
  ["SELECT path FROM (SELECT * FROM logs.events WHERE tenant = @tenant) WHERE ms > 1", "WITH e AS (SELECT path, ms, tenant AS t FROM logs.events) SELECT path FROM e WHERE t = @tenant AND ms > 1"],
  ["SELECT e.path, u.email FROM logs.events e JOIN logs.users u ON e.tenant = u.tenant AND e.user_id = u.id WHERE e.tenant = @tenant", "SELECT e.path, u.email FROM logs.users AS u INNER JOIN logs.events AS e ON u.tenant = e.tenant AND e.user_id = u.id WHERE e.tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ts > now() - INTERVAL 1 HOUR", "SELECT path FROM logs.events WHERE tenant = @tenant AND ts > now() - toIntervalHour(1)"],
  ["SELECT path FROM logs.events WHERE NOT (tenant != @tenant)", "SELECT path FROM logs.events WHERE tenant = @tenant AND true"],
  ["SELECT count() AS n FROM logs.events WHERE tenant = @tenant", "SELECT count(*) AS n FROM logs.events WHERE tenant = @tenant"],
  ["SELECT CASE WHEN ms > 5 THEN 'a' ELSE 'b' END AS x FROM logs.events WHERE tenant = @tenant", "SELECT if(ms > 5, 'a', 'b') AS x FROM logs.events WHERE tenant = @tenant"],
  ["SELECT CASE WHEN ms > 5 THEN 'a' WHEN ms > 3 THEN 'c' ELSE 'b' END AS x FROM logs.events WHERE tenant = @tenant", "SELECT multiIf(ms > 5, 'a', ms > 3, 'c', 'b') AS x FROM logs.events WHERE tenant = @tenant"],
  ["SELECT CAST(ms AS String) AS x FROM logs.events WHERE tenant = @tenant", "SELECT ms::String AS x FROM logs.events WHERE tenant = @tenant"],
  ["WITH e AS (SELECT path, count() AS n FROM logs.events WHERE tenant = @tenant GROUP BY path) SELECT path, n FROM e WHERE n > 1", "WITH a AS (SELECT * FROM logs.events WHERE tenant = @tenant), e AS (SELECT path, count() AS n FROM a GROUP BY path) SELECT path, n FROM e WHERE n > 1"],
]; // prettier-ignore

/** Not equal, but not security either. */
const HARMLESS: readonly Pair[] = [
  ["SELECT tenant, o.amount FROM logs.events e JOIN logs.orders o USING (tenant, user_id) WHERE e.tenant = @tenant", "SELECT e.tenant, o.amount FROM logs.events e JOIN logs.orders o ON e.tenant = o.tenant AND e.user_id = o.user_id WHERE e.tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 3 LIMIT 5"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path, upper(path) AS p FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM logs.users WHERE tenant = @tenant)", "SELECT path FROM logs.events WHERE tenant = @tenant AND user_id IN (SELECT id FROM logs.users WHERE tenant = @tenant AND country = 'DE')"],
  ["SELECT * FROM logs.users WHERE tenant = @tenant", "SELECT tenant, id, email, country, manager FROM logs.users WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE has(@tenants, tenant)", "SELECT path FROM logs.events WHERE has(@tenants, tenant) AND ms > 3"],
  ["SELECT path, count() AS n FROM logs.events WHERE tenant = @tenant GROUP BY path", "SELECT path, count() AS n, avg(ms) AS a FROM logs.events WHERE tenant = @tenant GROUP BY path ORDER BY n DESC"],
  ["SELECT path, ms FROM logs.events WHERE tenant = @tenant", "SELECT path, round(ms / 1000, 2) AS seconds, ms FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path, ts FROM logs.events WHERE tenant = @tenant ORDER BY ts DESC LIMIT 100"],
  ["SELECT e.path, u.email FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = e.tenant WHERE e.tenant = @tenant", "WITH a AS (SELECT * FROM logs.events WHERE tenant = @tenant), b AS (SELECT * FROM logs.users WHERE tenant = @tenant) SELECT a.path, b.email FROM a LEFT JOIN b ON b.id = a.user_id AND b.tenant = a.tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND user_id = @user", "SELECT path FROM logs.events WHERE (tenant, user_id) = (@tenant, @user)"],
  ["SELECT path FROM logs.paths WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 0"],
  ["SELECT count() AS n FROM (SELECT DISTINCT path FROM logs.events WHERE tenant = @tenant)", "SELECT count() AS n FROM (SELECT path FROM logs.events WHERE tenant = @tenant GROUP BY path)"],
  ["SELECT path, s FROM (SELECT path, sum(ms) AS s FROM logs.events WHERE tenant = @tenant GROUP BY path) WHERE s > 5", "SELECT path, sum(ms) AS s FROM logs.events WHERE tenant = @tenant GROUP BY path HAVING s > 5"],
  ["SELECT if(ms > 5, 'slow', 'fast') AS speed FROM logs.events WHERE tenant = @tenant", "SELECT if(ms > 50, 'slow', 'fast') AS speed FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path, sum(ms) OVER (PARTITION BY path) AS s FROM logs.events WHERE tenant = @tenant", "SELECT path, sum(ms) OVER w AS s FROM logs.events WHERE tenant = @tenant WINDOW w AS (PARTITION BY path)"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant", "SELECT path FROM logs.events WHERE tenant = @tenant SETTINGS max_threads = 2"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND (@word = '' OR path = @word)", "SELECT path FROM logs.events WHERE tenant = @tenant AND (path = @word OR empty(@word))"],
]; // prettier-ignore

describe('dangerous', () => {
  test.each(DANGEROUS)('%s to %s', async (...pair) => {
    expect(await securityCodes(pair, false)).not.toEqual([]);
  });
  test.each(DANGEROUS_TABLES)('a table: %s to %s', async (...pair) => {
    expect(await securityCodes(pair, true)).not.toEqual([]);
  });
});

describe('harmless', () => {
  test.each(EQUAL)('equal: %s and %s', async (...pair) => {
    expect(areEqual(await world.model(pair[0]), await world.model(pair[1]))).toBe(true);
    expect(await world.rows(pair[0])).toBe(await world.rows(pair[1]));
  });
  test.each(HARMLESS)('%s to %s', async (...pair) => {
    expect(await securityCodes(pair, false)).toEqual([]);
  });
});
