// Generated from schemas/settings.schema.json by `npm run generate`; change the schema instead.

/**
 * Settings of the service. Each one can also be given as the environment variable or the flag that its description names; a flag wins over the environment, the environment over this file.
 */
export interface SettingsFile {
  /**
   * Address to listen on.
   */
  host?: string;
  /**
   * Port of the API; 0 takes a free one.
   */
  port?: number;
  /**
   * Folder of endpoint files.
   */
  endpoints?: string;
  /**
   * File of hashed keys; the service does not start without it, except in development mode.
   */
  tokens?: string;
  /**
   * Issuer (iss) whose JSON Web Tokens are taken as keys. Needs jwt_audience and jwt_jwks_url.
   */
  jwt_issuer?: string;
  /**
   * Audience (aud) that JSON Web Tokens have to name.
   */
  jwt_audience?: string;
  /**
   * Where the issuer's public keys are (JWKS): https, or http on this machine.
   */
  jwt_jwks_url?: string;
  /**
   * Signatures that are taken, with commas between; public-key ones only.
   */
  jwt_algorithms?: string;
  /**
   * Claim that holds what a JSON Web Token may do: endpoints, allow, parameters, pii, rate.
   */
  jwt_claim?: string;
  /**
   * Seconds by which the issuer's clock may differ.
   */
  jwt_clock_skew?: number;
  /**
   * Folder of the embedded engine's data.
   */
  data?: string;
  /**
   * Folder of *.sql files, run in name order once on an empty embedded database.
   */
  seeds?: string;
  /**
   * Prefix of the service's own request headers, as in SVC-ENDPOINT-REDACT-PII.
   */
  header_prefix?: string;
  /**
   * Origins of web pages that may call the API from a browser, with commas between, as https://app.example.com; * for all of them. None when left out.
   */
  cors_origins?: string;
  /**
   * Secret under which columns are hashed where an endpoint file says so (pii.columns); at least 16 characters. Other replicas need the same one.
   */
  pii_hash_key?: string;
  /**
   * Address of a ClickHouse server (http or https), or of several with the same tables, with commas between. Unset: the embedded engine.
   */
  clickhouse_url?: string;
  /**
   * User for the ClickHouse server.
   */
  clickhouse_user?: string;
  /**
   * Password for the ClickHouse server; in a file write ${VARIABLE}.
   */
  clickhouse_password?: string;
  /**
   * User that consumers' own queries run as on the ClickHouse server: one that may read the endpoints' tables and nothing else. Unset: clickhouse_user.
   */
  clickhouse_consumer_user?: string;
  /**
   * Password of clickhouse_consumer_user.
   */
  clickhouse_consumer_password?: string;
  /**
   * PEM file of the authorities that may vouch for the ClickHouse server. Unset: those that Node trusts.
   */
  clickhouse_ca?: string;
  /**
   * PEM file of our own certificate, for servers that ask for one. With an empty clickhouse_password it takes the password's place. Needs clickhouse_key.
   */
  clickhouse_certificate?: string;
  /**
   * PEM file of the key of clickhouse_certificate.
   */
  clickhouse_key?: string;
  /**
   * Have answers of the ClickHouse server compressed on the way: for slow or paid lines.
   */
  clickhouse_compression?: boolean;
  /**
   * Queries that run in the engine at the same time; further ones wait. One more than the machine has cores when left out, at least 3.
   */
  connections?: number;
  /**
   * How many of the connections consumer queries (sql, lql) may take at the same time; the others are kept for saved queries. One less than connections when left out.
   */
  consumer_connections?: number;
  /**
   * How many connections the consumer queries of one key may take at the same time. Half of consumer_connections when left out, rounded up.
   */
  consumer_connections_per_key?: number;
  /**
   * Queries that may wait for a connection; further ones get 503 at once.
   */
  queue?: number;
  /**
   * Memory for all queries of the embedded engine together, in bytes or with a unit KiB, MiB or GiB. Unset: half of the machine's.
   */
  memory?: number | string;
  /**
   * Take consumers' queries over a ClickHouse server whose user could do more than read the endpoints' tables: then only our own checks stand between them.
   */
  accept_single_wall?: boolean;
  /**
   * Seconds from the first byte of a request to the last of its answer; a query's own limit is the endpoint's limits.time.
   */
  request_timeout?: number;
  /**
   * Seconds that a caller has to take an answer that is ready; who is slower is cut off.
   */
  send_timeout?: number;
  /**
   * Memory for answers that callers have not taken yet, in bytes or with a unit KiB, MiB or GiB; above it, who has waited longest is cut off.
   */
  send_memory?: number | string;
  /**
   * Addresses of proxies in front, with commas between, whose X-Forwarded-For is believed: as 10.0.0.0/8, ::1, or loopback, linklocal, uniquelocal. None when left out.
   */
  trusted_proxies?: string;
  /**
   * OpenTelemetry collector that traces are sent to (OTLP over HTTP), as http://collector:4318. None when left out.
   */
  otlp_endpoint?: string;
  /**
   * Header fields for the collector, as name=value with commas between.
   */
  otlp_headers?: string;
  /**
   * Share of requests that are traced, from 0 to 1, where the caller's traceparent does not decide; at most 100 a second.
   */
  trace_ratio?: number;
  /**
   * Write a row for each call of an endpoint into the table millrace.calls.
   */
  usage?: boolean;
  /**
   * Days that rows of millrace.calls are kept; holds for a table that the service makes.
   */
  usage_days?: number;
  /**
   * Seconds that running requests get to finish after SIGTERM.
   */
  drain_timeout?: number;
  /**
   * Redis that replicas share answers through, as redis://host:6379/0. Unset: each process keeps its own.
   */
  redis_url?: string;
  /**
   * Milliseconds that a call to Redis may take. After one that takes longer, requests go on without Redis until it answers again: raise it where Redis is far away.
   */
  redis_timeout?: number;
  /**
   * What holds while Redis, where replicas count calls together, is away: open (each process counts for itself) or closed (calls of limited keys get 503).
   */
  rate_limit_failure?: 'open' | 'closed';
  /**
   * In front of every key in Redis, so that several services can share one.
   */
  cache_namespace?: string;
  /**
   * Secret that authenticates cached responses in Redis; at least 32 characters, the same in every replica, as from openssl rand -hex 32. Unset: derived from pii_hash_key, clickhouse_password and the password in redis_url, with a warning at startup.
   */
  cache_key?: string;
  /**
   * Memory for answers kept in this process, in bytes or with a unit KiB, MiB or GiB.
   */
  cache_memory?: number | string;
  /**
   * Port of the admin listener (metrics, purging the cache), on admin_host; 0 takes a free one.
   */
  admin_port?: number;
  /**
   * Address of the admin listener. It asks for no key: keep it to the machine or a private network.
   */
  admin_host?: string;
  /**
   * Host names under which the admin listener may be asked, separated by commas, beside IP addresses, localhost and admin_host. Others are refused: a web page could give its own name the address of the listener.
   */
  admin_names?: string;
  /**
   * The least level that is logged.
   */
  log_level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}
