// The queries that are compared over a table and over its rollup.

const OF = "FROM bench.requests WHERE project = 'busy'";

export const QUERIES = [
  {
    name: 'requests per hour, last 30 days',
    sql: `SELECT toStartOfHour(timestamp) AS hour, count() AS n ${OF} AND timestamp > now() - INTERVAL 30 DAY GROUP BY hour ORDER BY hour`,
  },
  {
    name: 'by day and status, last 90 days',
    sql: `SELECT toStartOfDay(timestamp) AS day, status, count() AS n ${OF} AND timestamp > now() - INTERVAL 90 DAY GROUP BY day, status ORDER BY day, status`,
  },
  {
    name: 'users per day, last 30 days',
    sql: `SELECT toDate(timestamp) AS day, uniq(user_id) AS users ${OF} AND timestamp > now() - INTERVAL 30 DAY GROUP BY day ORDER BY day`,
  },
  {
    name: 'p95 per day, last 30 days',
    sql: `SELECT toStartOfDay(timestamp) AS day, quantileBFloat16(0.95)(ms) AS p95 ${OF} AND timestamp > now() - INTERVAL 30 DAY GROUP BY day ORDER BY day`,
  },
  {
    name: 'share of failures per hour, last 7 days',
    sql: `SELECT toStartOfHour(timestamp) AS hour, countIf(status >= 500) / count() AS share ${OF} AND timestamp > now() - INTERVAL 7 DAY GROUP BY hour ORDER BY hour`,
  },
  {
    name: 'bytes by method, all rows',
    sql: `SELECT method, sum(bytes) AS total, avg(bytes) AS mean, max(ms) AS slowest ${OF} GROUP BY method ORDER BY method`,
  },
] as const;

/** The same hours, with bounds that are whole hours and with others. */
const HOURS = `SELECT toStartOfHour(timestamp) AS hour, count() AS n ${OF} AND timestamp >= toStartOfHour(now()) - INTERVAL 20 DAY`;
export const ALIGNED = `${HOURS} AND timestamp < toStartOfHour(now()) - INTERVAL 5 DAY GROUP BY hour ORDER BY hour`;
export const RAGGED = `${HOURS} + INTERVAL 1234567 MICROSECOND AND timestamp < toStartOfHour(now()) - INTERVAL 5 DAY - INTERVAL 1234567 MICROSECOND GROUP BY hour ORDER BY hour`;

/** `#` is another number each time, so that the query is not known. */
export const PLANNED = `SELECT toStartOfHour(timestamp) AS hour, count() AS n ${OF} AND status != # AND timestamp > now() - INTERVAL 30 DAY GROUP BY hour ORDER BY hour`;
