// Changes of queries that let somebody see more, and rewrites that do not, by the models of both versions.
import { afterAll, describe, expect, test } from 'vitest';
import { CHANGES } from '../../src/compatibility/changes.ts';
import { areEqual, compareModels } from '../../src/compatibility/model-changes.ts';
import { openTwoTenants } from '../query-model/world.ts';

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
]; // prettier-ignore

/** If consumer queries read the whole result. */
const DANGEROUS_TABLES: readonly Pair[] = [
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 5", "SELECT path FROM logs.events WHERE tenant = @tenant"],
  ["SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 5", "SELECT path FROM logs.events WHERE tenant = @tenant AND ms > 4"],
  ["SELECT path, s FROM (SELECT path, sum(ms) OVER () AS s FROM logs.events WHERE tenant = @tenant AND ms > 5)", "SELECT path, s FROM (SELECT path, ms, sum(ms) OVER () AS s FROM logs.events WHERE tenant = @tenant) WHERE ms > 5"],
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
  ["SELECT e.path FROM logs.events e JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant", "SELECT e.path FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = @tenant WHERE e.tenant = @tenant"],
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
