// The guide to SQL for agents. `test/service/fronts/mcp/guides.service.test.ts` runs every example, and checks that what it says is rejected is.

export const SQL_GUIDE = `# SQL in short

A query is one SELECT, in ClickHouse SQL or, if the endpoint lists it, in BigQuery SQL (\`dialect\`; without it, the first
dialect of the endpoint, or one of which the query has constructs). It reads only the tables of the endpoint, which already contain only the rows that the key and the parameters allow: do not filter by
tenant. The examples use a table \`logs\` with the columns \`timestamp\`, \`event_message\`, \`metadata\` (JSON) and \`attributes\` (Map): replace the
names by those that describe_tables shows. Check a query without running it with explain.

- Table names have no database: \`FROM logs\`. There are no system tables, no table functions, and no other statements than SELECT.
- Not allowed: SETTINGS, FORMAT, INTO OUTFILE, parameters (\`@name\`, \`{name:Type}\`, \`$1\`, \`?\`), several statements.
- Write a LIMIT, and aggregate: at most the endpoint's maximum of rows is returned.
- Read only what you need: \`metadata.request.path\` costs a fraction of \`metadata\` or \`*\`.
- Strings have single quotes. Names with other characters than letters, digits and _ have backquotes.

## ClickHouse

\`\`\`sql
SELECT timestamp, event_message FROM logs ORDER BY timestamp DESC LIMIT 20
SELECT count() AS n, min(timestamp) AS first, max(timestamp) AS last FROM logs
SELECT toStartOfHour(timestamp) AS hour, count() AS n FROM logs WHERE timestamp > now() - INTERVAL 1 DAY GROUP BY hour ORDER BY hour
SELECT toStartOfInterval(timestamp, INTERVAL 15 MINUTE) AS bucket, count() AS n FROM logs GROUP BY bucket ORDER BY bucket
SELECT count() AS n FROM logs WHERE timestamp >= '2024-03-01T00:00:00Z' AND timestamp < '2024-03-02T00:00:00Z'
SELECT metadata.request.path AS path, count() AS n FROM logs GROUP BY path ORDER BY n DESC LIMIT 10
SELECT countIf(metadata.response.status_code >= 500) / count() AS error_rate FROM logs
SELECT quantile(0.95)(metadata.response.origin_time) AS p95 FROM logs
SELECT uniqExact(metadata.request.headers.user_agent) AS agents FROM logs
SELECT count() AS n FROM logs WHERE event_message ILIKE '%timeout%' OR match(event_message, '(?i)out of memory')
SELECT attributes['request.path'] AS path, count() AS n FROM logs WHERE attributes['request.method'] = 'GET' GROUP BY path ORDER BY n DESC LIMIT 10
SELECT arrayJoin(mapKeys(attributes)) AS key, count() AS n FROM logs GROUP BY key ORDER BY n DESC LIMIT 20
WITH errors AS (SELECT timestamp, metadata.request.path AS path FROM logs WHERE metadata.response.status_code >= 500) SELECT path, count() AS n FROM errors GROUP BY path ORDER BY n DESC LIMIT 5
SELECT formatDateTime(timestamp, '%Y-%m-%d') AS day, count() AS n FROM logs GROUP BY day ORDER BY day
\`\`\`

- A path of a JSON column is written with dots. A path that a row does not have is NULL, also one that is misspelled; a key that a map does not have is ''.
- Paths without a declared type have values of several types: \`metadata.extra.:String\` reads the strings, \`toFloat64OrNull(toString(metadata.extra))\` numbers.
- Values of a Map are strings if it is a Map(String, String): convert them with toFloat64OrZero, toInt64OrNull.
- A condition on timestamp compares the column itself with a constant: \`timestamp > now() - INTERVAL 1 HOUR\`. Times are UTC.
- In GROUP BY and ORDER BY, aliases and positions work. Every other column of the SELECT has to be aggregated.

## BigQuery

\`\`\`bigquery
SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, COUNT(*) AS n FROM logs GROUP BY hour ORDER BY hour
SELECT COUNT(*) AS n FROM logs WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
SELECT JSON_VALUE(metadata, '$.request.path') AS path, COUNTIF(metadata.response.status_code >= 500) AS errors FROM logs GROUP BY path ORDER BY errors DESC LIMIT 10
SELECT COUNT(*) AS n FROM logs WHERE REGEXP_CONTAINS(event_message, r'(?i)timeout')
\`\`\`

## Instead of

| instead of | write (ClickHouse) |
|---|---|
| \`SHOW TABLES\`, \`DESCRIBE logs\`, information_schema | the tool describe_tables |
| \`metadata->>'level'\`, \`metadata['level']\` | \`metadata.level\` |
| \`"a string"\` | \`'a string'\` |
| \`date_bin('5 minutes', timestamp)\`, \`time_bucket\` | \`toStartOfInterval(timestamp, INTERVAL 5 MINUTE)\` |
| \`to_char(timestamp, 'YYYY-MM-DD')\`, \`strftime\` | \`formatDateTime(timestamp, '%Y-%m-%d')\` |
| \`INTERVAL '1h'\` | \`INTERVAL 1 HOUR\` |
| \`percentile_cont(0.95) WITHIN GROUP (ORDER BY x)\`, \`APPROX_QUANTILES\` | \`quantile(0.95)(x)\` |
| \`COUNT_IF(c)\`, \`SAFE_DIVIDE(a, b)\` | \`countIf(c)\`, \`a / nullIf(b, 0)\` |
| \`x ~ 'pattern'\`, \`REGEXP_CONTAINS\` | \`match(x, 'pattern')\` |
`;
