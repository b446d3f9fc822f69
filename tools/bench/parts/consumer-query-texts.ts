// Consumer queries over `logs.all`, each with the same query as an author would write it over the stored tables.
import type { ConsumerQuery } from '../../../src/service/request/consumer/consumer-query.ts';

export interface ComparedQuery extends Pick<ConsumerQuery, 'language' | 'dialect' | 'text'> {
  readonly name: string;
  readonly hand: string;
}

/** The conditions of `logs.all`. */
const OWN = `project = @project
  AND (@iso_timestamp_start IS NULL OR timestamp > @iso_timestamp_start)
  AND (@iso_timestamp_end IS NULL OR timestamp <= @iso_timestamp_end)`;

/** The same query over the stored table: only the table and its conditions differ. */
function sql(name: string, text: string): ComparedQuery {
  const hand = text
    .replaceAll(/FROM (edge|auth)_logs WHERE /g, `FROM logs.$1_logs WHERE ${OWN} AND `)
    .replaceAll(/FROM (edge|auth)_logs\b/g, `FROM logs.$1_logs WHERE ${OWN}`);
  return { name, language: 'sql', dialect: 'clickhouse', text, hand };
}

export const BY_HAND: readonly ComparedQuery[] = [
  sql(
    'top paths',
    'SELECT metadata.request.path AS path, count() AS n FROM edge_logs GROUP BY path ORDER BY n DESC LIMIT 10',
  ),
  sql(
    '5xx by hour',
    'SELECT toStartOfHour(timestamp) AS hour, countIf(metadata.response.status_code >= 500) AS n FROM edge_logs GROUP BY hour ORDER BY hour',
  ),
  sql(
    'newest failed POSTs',
    "SELECT timestamp, id, metadata.request.path AS path, metadata.response.status_code AS status FROM edge_logs WHERE metadata.request.method = 'POST' AND metadata.response.status_code >= 400 ORDER BY timestamp DESC LIMIT 100",
  ),
  sql(
    'p95 by country',
    'SELECT metadata.request.cf.country AS country, quantile(0.95)(metadata.response.origin_time) AS p95 FROM edge_logs GROUP BY country ORDER BY p95 DESC',
  ),
  sql(
    'newest rows',
    'SELECT timestamp, id, event_message, metadata FROM edge_logs ORDER BY timestamp DESC LIMIT 100',
  ),
  sql('count by text', "SELECT count() AS n FROM edge_logs WHERE position(event_message, '/rest/v1/') > 0"),
  sql(
    'whole rows by a path',
    'SELECT timestamp, id, metadata FROM edge_logs WHERE metadata.response.status_code >= 500 ORDER BY timestamp DESC LIMIT 100',
  ),
  sql(
    'two tables',
    `SELECT e.hour AS hour, e.n AS requests, a.n AS logins FROM (SELECT toStartOfHour(timestamp) AS hour, count() AS n FROM edge_logs GROUP BY hour) AS e
LEFT JOIN (SELECT toStartOfHour(timestamp) AS hour, count() AS n FROM auth_logs GROUP BY hour) AS a ON e.hour = a.hour ORDER BY hour`,
  ),
  sql(
    'own WITH',
    `WITH failed AS (SELECT timestamp, metadata.request.path AS path FROM edge_logs WHERE metadata.response.status_code >= 500)
SELECT path, count() AS n, max(timestamp) AS last FROM failed GROUP BY path ORDER BY n DESC LIMIT 10`,
  ),
  {
    name: 'LQL chart',
    language: 'lql',
    dialect: undefined,
    text: 'f:edge_logs m.response.status_code:>=500 c:count(*) c:group_by(t::hour)',
    hand: `SELECT toStartOfHour(timestamp) AS timestamp, count() AS count FROM logs.edge_logs AS l
  WHERE project = @project AND (@iso_timestamp_start IS NULL OR l.timestamp > @iso_timestamp_start)
  AND (@iso_timestamp_end IS NULL OR l.timestamp <= @iso_timestamp_end) AND metadata.response.status_code >= 500
  GROUP BY timestamp ORDER BY timestamp`,
  },
  {
    name: 'BigQuery unnest',
    language: 'sql',
    dialect: 'bigquery',
    text: `select id, t.timestamp, request.method, request.path, response.status_code from edge_logs t cross join unnest(metadata) as m
cross join unnest(m.request) as request cross join unnest(m.response) as response where request.method = 'POST' order by timestamp desc limit 100`,
    hand: `SELECT id, timestamp, metadata.request.method AS method, metadata.request.path AS path, metadata.response.status_code AS status_code
  FROM logs.edge_logs WHERE ${OWN} AND metadata.request.method = 'POST' ORDER BY timestamp DESC LIMIT 100`,
  },
  sql(
    'a cast within a day',
    'SELECT metadata.request.path AS path, count() AS n FROM edge_logs WHERE timestamp > now() - INTERVAL 1 DAY AND toInt64(metadata.response.status_code) >= 400 GROUP BY path ORDER BY n DESC LIMIT 10',
  ),
];
