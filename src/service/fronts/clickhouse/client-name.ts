// Which client program sent a request, by its User-Agent: one of a closed list, for metrics and the log.

/** In order: programs that send the name of a library too come first. */
const CLIENTS = [
  ['grafana', /grafana/i],
  ['metabase', /metabase/i],
  ['superset', /superset/i],
  ['dbeaver', /dbeaver/i],
  ['datagrip', /datagrip|jetbrains/i],
  ['tableau', /tableau/i],
  ['dbt', /\bdbt\b/i],
  ['cube', /\bcube(?:js|\.js|-|\/|$)/i],
  ['evidence', /evidence/i],
  ['clickhouse-js', /clickhouse-js/i],
  ['clickhouse-connect', /clickhouse-connect/i],
  ['clickhouse-go', /clickhouse-go/i],
  ['clickhouse-jdbc', /clickhouse[- ]?(?:java|jdbc)/i],
  ['clickhouse-rs', /clickhouse-rs/i],
  ['clickhouse-odbc', /clickhouse-odbc/i],
  ['curl', /^curl\//i],
  ['python', /python|aiohttp/i],
  ['browser', /^Mozilla\//],
] as const;

export type ClientName = (typeof CLIENTS)[number][0] | 'other' | 'none';

/** Characters that are searched. */
const MAX_LENGTH = 500;

/** `other` for an unknown program, `none` without the header. */
export function clientNameOf(userAgent: string | undefined): ClientName {
  if (userAgent === undefined || userAgent === '') return 'none';
  const text = userAgent.slice(0, MAX_LENGTH);
  return CLIENTS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other';
}
