// Queries that seem confined by @tenant, or by another parameter, and are not; and some that seem open and are not.
import type { OpenQuery } from './queries.ts';

/** As a name in the engine's tree: lines of another table instead of the query's. */
const LINES = 'x\\n  JOIN TREE\\n    TABLE id: 3, alias: __table1, table_name: system.one\\n  ZZ\\n    y';

/** Open, although rows of the other tenant are compared with the parameter. */
export const HOLES: readonly OpenQuery[] = [
  [
    'a branch of if() that is not valid for the sample values',
    'SELECT path FROM logs.events WHERE if(@flag = 1, tenant = @tenant, user_id = toUInt64(@word))',
    'hidden',
  ],
  [
    'a branch of multiIf that is not valid for the sample values',
    'SELECT path FROM logs.events WHERE multiIf(@flag = 1, tenant = @tenant, user_id = toUInt64(@word))',
    'hidden',
  ],
  [
    'a table in a branch that is not valid for the sample values',
    "SELECT path, if(@flag = 1, 'x', (SELECT toString(max(id + toUInt64(@word))) FROM logs.users)) FROM logs.events WHERE tenant = @tenant",
    'hidden',
  ],
  [
    'a WITH table that is read in a branch that is left out',
    "WITH u AS (SELECT max(id + toUInt64(@word)) AS m FROM logs.users) SELECT path, if(@flag = 1, 'x', (SELECT toString(m + toUInt64(@word)) FROM u)) FROM logs.events WHERE tenant = @tenant",
    'hidden',
  ],
  [
    'an array of all rows',
    'SELECT path, (SELECT groupArray(email) FROM logs.users) FROM logs.events WHERE tenant = @tenant',
  ],
  [
    'a tuple of all rows',
    'SELECT path, (SELECT max(id), min(email) FROM logs.users) FROM logs.events WHERE tenant = @tenant',
  ],
  [
    'ANY INNER JOIN, whose sides the engine exchanges by their sizes',
    'SELECT e.path, o.amount FROM logs.events e ANY INNER JOIN logs.orders o ON e.tenant = toString(o.tenant) AND e.user_id >= o.id WHERE e.tenant = @tenant',
  ],
  ['a narrower number', 'SELECT x FROM logs.nums WHERE tenant_id = toUInt8(@id)'],
  ['a narrower number by CAST', 'SELECT x FROM logs.nums WHERE tenant_id = CAST(@id AS UInt8)'],
  ['a narrower number in IN', 'SELECT x FROM logs.nums WHERE tenant_id IN (toUInt8(@id))'],
  ['a narrower column', 'SELECT x FROM logs.nums WHERE toUInt8(tenant_id) = @five'],
  ['a number from a text that is too large', 'SELECT x FROM logs.nums WHERE tenant_id = toUInt64(@large)'],
  ['a rounded number', 'SELECT x FROM logs.nums WHERE toFloat32(tenant_id) = toFloat32(@id)', 'hidden'],
  ['a text as a list', 'SELECT path FROM logs.events WHERE tenant IN CAST(@list AS Array(String))'],
  ['a UUID in upper and lower case', 'SELECT x FROM logs.uuids WHERE toUUID(tenant) = toUUID(@uuid)'],
  ['the same by CAST', 'SELECT x FROM logs.uuids WHERE CAST(tenant AS UUID) = @uuid'],
  ['NULL as the default', 'SELECT x FROM logs.nulls WHERE assumeNotNull(tenant) = @empty'],
  [
    'NULL instead of a number',
    'SELECT x FROM logs.nulls WHERE tenant IS NOT DISTINCT FROM toUUIDOrNull(@word)::Nullable(String)',
  ],
  ['a text and a padded text', 'SELECT x FROM logs.padded WHERE tenant = toFixedString(@tenant, 3)'],
  [
    'an alias that is a wildcard',
    'SELECT x FROM (SELECT tenant AS `*`, email AS x FROM logs.users) WHERE x = @tenant',
    'hidden',
  ],
  [
    'an alias with a dot',
    "SELECT path FROM (SELECT attributes AS x, tenant AS `x.y`, path FROM logs.events) WHERE x['y'] = @tenant",
    'hidden',
  ],
  [
    'a filter above an outer join on the side that may have no match',
    'SELECT e.x, u.email FROM logs.kinds e LEFT JOIN logs.owners u ON u.id = e.id WHERE e.tenant = @tenant AND u.tenant = @tenant',
  ],
  [
    'the same of RIGHT JOIN',
    'SELECT e.x, u.email FROM logs.owners u RIGHT JOIN logs.kinds e ON u.id = e.id WHERE e.tenant = @tenant AND u.tenant = @tenant',
  ],
  [
    'the same of FULL JOIN',
    'SELECT e.x, u.email FROM logs.kinds e FULL JOIN logs.owners u ON u.id = e.id WHERE e.tenant = @tenant AND u.tenant = @tenant',
  ],
  [
    'a dictionary by the key of a subtotal',
    "SELECT tenant, dictGet('logs.tenant_emails', 'email', (tenant, toUInt64(1))) FROM logs.events WHERE tenant = @tenant GROUP BY ROLLUP(tenant)",
    'hidden',
  ],
  [
    'a subquery by the key of a subtotal',
    'SELECT tenant, (tenant, toUInt64(1)) IN (SELECT tenant, id FROM logs.users) FROM logs.events WHERE tenant = @tenant GROUP BY ROLLUP(tenant)',
    'hidden',
  ],
  ['coalesce of three', 'SELECT x FROM logs.nulls WHERE coalesce(tenant = @tenant, NULL, 1)'],
  ['FINAL', 'SELECT x FROM logs.latest FINAL WHERE tenant = @tenant'],
  ['FINAL in SETTINGS', 'SELECT x FROM logs.latest WHERE tenant = @tenant SETTINGS final = 1', 'hidden'],
  ['SAMPLE of rows', 'SELECT id FROM logs.sampled SAMPLE 1000 WHERE tenant = @tenant'],
  ['SAMPLE of more than all rows', 'SELECT id FROM logs.sampled SAMPLE 3000/3 WHERE tenant = @tenant'],
  [
    'a window in LIMIT BY',
    'SELECT path FROM (SELECT tenant, path, ts FROM logs.events ORDER BY ts LIMIT 1 BY tenant, intDiv(row_number() OVER (ORDER BY ts), 2)) WHERE tenant = @tenant',
  ],
  ['parents of an entry', "SELECT dictGetHierarchy('logs.orgs', @id)"],
  ['the root of an entry', "SELECT dictIsIn('logs.orgs', @id, toUInt64(7))"],
  ['a dictionary of prefixes', "SELECT dictGet('logs.networks', 'owner', tuple(@ip))"],
  [
    'a default for a missing key',
    "SELECT path FROM logs.events WHERE tenant = dictGetOrDefault('logs.names', 'name', @word, 'b')",
  ],
  [
    'a constant beside a reference table',
    "SELECT path FROM logs.events WHERE tenant IN (SELECT arrayJoin(['a', 'b']) FROM logs.plans WHERE tenant = @tenant)",
  ],
  [
    'numbers beside a reference table',
    'SELECT x FROM logs.nums WHERE tenant_id IN (SELECT n.number FROM numbers(1000) n, logs.plans p WHERE p.tenant = @tenant)',
  ],
  [
    'lines of the tree in the name of an element',
    `SELECT email, untuple(CAST(tuple('v'), 'Tuple(\`${LINES}\` String)')) AS u FROM logs.users`,
  ],
  [
    'the end of the tree, and a query, in the name of an element',
    `SELECT email, untuple(CAST(tuple('v'), 'Tuple(\`${LINES}\\n\\nSELECT 1\\n\` String)')) AS u FROM logs.users`,
  ],
  [
    'the same in a setting',
    `SELECT email FROM logs.users WHERE tenant = @tenant SETTINGS log_comment = '${LINES}\\n\\nSELECT 1'`,
    'hidden',
  ],
  [
    'lines of the tree in the name of an element of a subquery',
    `SELECT email, u.* FROM (SELECT email, CAST(tuple('v'), 'Tuple(\`${LINES}\` String)') AS u FROM logs.users)`,
  ],
  [
    'lines of the tree in a computed name',
    `SELECT email, u.* FROM (SELECT email, CAST(tuple('v'), concat('Tuple(\`x', char(10), 'y\` String)')) AS u FROM logs.users WHERE tenant = @tenant)`,
    'hidden',
  ],
  [
    'lines of the tree in a key',
    `SELECT email, CAST('{"${LINES.replaceAll('\\n', '\\\\n')}":1}' AS JSON) FROM logs.users WHERE tenant = @tenant`,
    'hidden',
  ],
  [
    'lines of the tree in the name of a column of data',
    `SELECT email, (SELECT * FROM format('JSONEachRow', '{"x\\\\ny":1}')) FROM logs.users WHERE tenant = @tenant`,
    'hidden',
  ],
  [
    'lines of the tree in a setting',
    `SELECT email FROM logs.users WHERE tenant = @tenant SETTINGS log_comment = '${LINES}'`,
    'hidden',
  ],
  [
    'a filter in SETTINGS',
    "SELECT path FROM logs.events WHERE tenant = @tenant SETTINGS additional_table_filters = {'logs.events': 'user_id IN (SELECT id FROM logs.users)'}",
  ],
  [
    'the row before',
    'SELECT n FROM (SELECT tenant, neighbor(path, -1) AS n FROM logs.events ORDER BY ts) WHERE tenant = @tenant SETTINGS allow_deprecated_error_prone_window_functions = 1',
  ],
  [
    'numbers of rows',
    'SELECT n FROM (SELECT tenant, rowNumberInAllBlocks() AS n FROM (SELECT * FROM logs.events ORDER BY ts)) WHERE tenant = @tenant',
  ],
  [
    'positions in a dictionary of values',
    'SELECT lowCardinalityIndices(c) FROM logs.low WHERE tenant = @tenant',
    'hidden',
  ],
  ['a position in a part', 'SELECT _part_offset FROM logs.events WHERE tenant = @tenant', 'hidden'],
  [
    'two functions that read one name',
    "SELECT dictGet('logs.tenant_emails', 'email', (simpleJSONExtractString(body, 'tenant'), toUInt64(1))) FROM logs.documents WHERE tenant = @tenant AND JSONExtractString(body, 'tenant') = @tenant",
  ],
  ['a view with narrower columns', 'SELECT x FROM logs.narrow WHERE tenant_id = @five'],
  ['a constant of a view', 'SELECT email FROM logs.constants WHERE tenant = @tenant'],
  ['a view whose name has a comma', 'SELECT email FROM logs.`we, ird` WHERE tenant = @tenant'],
  ['merge() of a view', "SELECT email FROM merge('other', '^constants$') WHERE tenant = @tenant", 'hidden'],
  ['aggregates of which one has no condition', 'SELECT countIf(tenant = @tenant), sum(ms) FROM logs.events'],
  [
    'aggregates with a condition beside keys',
    'SELECT path, countIf(tenant = @tenant) FROM logs.events GROUP BY path',
  ],
  ['sums of numbers that may be infinite', 'SELECT sum((ms / 0) * (tenant = @tenant)) FROM logs.events'],
  [
    'sums that are NULL without rows',
    'SELECT sum(if(tenant = @word, toNullable(ms), 0)) FROM logs.events WHERE @word = @word',
    'hidden',
  ],
  ['averages with zeros', 'SELECT avg(ms * (tenant = @tenant)) FROM logs.events'],
  ['counts of rows without a condition', 'SELECT count(tenant = @tenant) FROM logs.events'],
  ['an array of zeros', 'SELECT groupArray(if(tenant = @tenant, ms, 0)) FROM logs.events'],
  ['an alternative that is computed', 'SELECT path FROM logs.events WHERE tenant = @tenant OR 2 > 1'],
  ['CASE of another value', 'SELECT path FROM logs.events WHERE CASE tenant WHEN @tenant THEN 0 ELSE 1 END'],
  ['BETWEEN with another value', "SELECT path FROM logs.events WHERE tenant BETWEEN @tenant AND 'b'"],
  [
    'a list with another value',
    "SELECT path FROM logs.events WHERE tenant IN (SELECT arrayJoin([@tenant, 'b']))",
  ],
  [
    'a recursive WITH table that hands down another column',
    'WITH RECURSIVE r AS (SELECT id, tenant FROM logs.orders WHERE tenant = @tenant AND parent = 0 UNION ALL SELECT o.id, o.tenant FROM logs.orders o JOIN r ON o.parent = r.id AND o.id > r.id) SELECT id FROM r',
  ],
];

/** Confined, although the condition is written in another way. */
export const HARMLESS: readonly (readonly [why: string, sql: string])[] = [
  ['a wider number', 'SELECT x FROM logs.nums WHERE tenant_id = toUInt256(@id)'],
  [
    'a number that fits, or none',
    "SELECT x FROM logs.nums WHERE tenant_id = accurateCastOrNull(@id, 'UInt16')",
  ],
  ['a number from a text', 'SELECT x FROM logs.nums WHERE tenant_id = toUInt64OrNull(@digits)'],
  ['a number as a text', 'SELECT x FROM logs.nums WHERE toString(tenant_id) = @digits'],
  ['a padded text', 'SELECT x FROM logs.fixed WHERE tenant = @tenant'],
  ['an Enum', 'SELECT x FROM logs.kinds WHERE tenant = @tenant'],
  ['a nullable column', 'SELECT x FROM logs.nulls WHERE tenant = @tenant'],
  ['a part of a text', "SELECT 1 FROM logs.documents WHERE JSONExtractString(body, 'tenant') = @tenant"],
  ['CASE', 'SELECT path FROM logs.events WHERE CASE tenant WHEN @tenant THEN 1 ELSE 0 END'],
  ['BETWEEN', 'SELECT path FROM logs.events WHERE tenant BETWEEN @tenant AND @tenant'],
  ['a list of one', 'SELECT path FROM logs.events WHERE tenant IN (SELECT arrayJoin([@tenant]))'],
  [
    'aggregates with the condition',
    'SELECT countIf(tenant = @tenant), sumIf(ms, tenant = @tenant AND ms > 1) FROM logs.events',
  ],
  [
    'aggregates of what is zero or NULL for others',
    'SELECT sum(ms * (tenant = @tenant)), sum(if(tenant = @tenant, ms, 0)), uniq(if(tenant = @tenant, user_id, NULL)), sum(tenant = @tenant AND ms > 1) FROM logs.events',
  ],
  [
    'an impossible alternative that is computed',
    'SELECT path FROM logs.events WHERE tenant = @tenant OR 1 = 2',
  ],
  [
    'a key of SEMI JOIN in another spelling',
    'SELECT e.path FROM logs.events e LEFT SEMI JOIN logs.users u ON NOT (NOT (e.tenant = u.tenant)) AND e.user_id = u.id WHERE e.tenant = @tenant',
  ],
  ['FILTER', 'SELECT count() FILTER (WHERE tenant = @tenant) FROM logs.events'],
  ['FINAL by the tenant', 'SELECT x FROM logs.latest_by_tenant FINAL WHERE tenant = @tenant'],
  ['SAMPLE of a share', 'SELECT id FROM logs.sampled SAMPLE 1/10 OFFSET 1/2 WHERE tenant = @tenant'],
  [
    'a harmless setting',
    'SELECT path FROM logs.events WHERE tenant = @tenant SETTINGS max_threads = 1, max_execution_time = 5',
  ],
  [
    'an array of own rows',
    'SELECT path FROM logs.events WHERE tenant = @tenant AND has((SELECT groupArray(id) FROM logs.users WHERE tenant = @tenant), user_id)',
  ],
  [
    'a chain of four tables',
    'SELECT a.path FROM logs.events a JOIN logs.users b ON b.tenant = a.tenant JOIN logs.users c ON c.tenant = b.tenant JOIN logs.events d ON d.tenant = c.tenant WHERE a.tenant = @tenant',
  ],
  [
    'a chain of tables that a subquery begins',
    'SELECT x.path FROM (SELECT a.path, a.tenant AS t, b.tenant AS u FROM logs.events a JOIN logs.users b ON b.tenant = a.tenant) x JOIN logs.users c ON c.tenant = x.u WHERE x.t = @tenant',
  ],
  ['an ALIAS column', 'SELECT x FROM logs.aliased WHERE tenant = @tenant'],
  [
    'a recursive WITH table that hands down the tenant',
    'WITH RECURSIVE r AS (SELECT id, tenant FROM logs.orders WHERE tenant = @tenant AND parent = 0 UNION ALL SELECT o.id, o.tenant FROM logs.orders o JOIN r ON o.parent = r.id AND o.tenant = r.tenant) SELECT id FROM r',
  ],
  [
    'unused elements of the WITH clause',
    'WITH @word AS w, events AS (SELECT path FROM logs.events WHERE user_id = @user) SELECT path FROM logs.events WHERE tenant = @tenant',
  ],
  [
    'a LEFT JOIN of three tables',
    'SELECT e.path, u.email, o.amount FROM logs.events e LEFT JOIN logs.users u ON u.id = e.user_id AND u.tenant = e.tenant LEFT JOIN logs.orders o ON o.user_id = u.id AND toString(o.tenant) = e.tenant WHERE e.tenant = @tenant',
  ],
];
