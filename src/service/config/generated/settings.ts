// Generated from schemas/settings.schema.json by `npm run generate`; change the schema instead.

/**
 * Settings of the service. Each can also be set by the environment variable listed with it or by a command-line flag. Flags override environment variables, which override this file.
 */
export interface SettingsFile {
  /**
   * Address to listen on.
   */
  host?: string;
  /**
   * Port of the API; 0 selects a free port.
   */
  port?: number;
  /**
   * Serve ClickHouse's HTTP interface at /clickhouse of the API listener. clickhouse_port does not depend on it.
   */
  clickhouse_interface?: boolean;
  /**
   * Port of a listener of its own for ClickHouse's HTTP interface, on host, where it is at / as on a ClickHouse server; 0 selects a free port. Default: none.
   */
  clickhouse_port?: number;
  /**
   * Serve Tinybird's API at /tinybird of the API listener. tinybird_port does not depend on it.
   */
  tinybird_interface?: boolean;
  /**
   * Port of a listener of its own for Tinybird's API, on host, where it is at / as on the hosts of Tinybird; 0 selects a free port. Default: none.
   */
  tinybird_port?: number;
  /**
   * Secret that JSON Web Tokens in the form of Tinybird are signed with (HS256): they are accepted as keys. Requires tinybird_workspace; at least 32 characters.
   */
  tinybird_signing_key?: string;
  /**
   * Workspace (workspace_id) required in these tokens.
   */
  tinybird_workspace?: string;
  /**
   * Serve the Model Context Protocol at /mcp of the API listener.
   */
  mcp?: boolean;
  /**
   * Folder of endpoint files.
   */
  endpoints?: string;
  /**
   * The parameter that separates tenants in every endpoint whose file has no tenancy of its own: its name, or in the file also { parameter, columns, shared } as in endpoint files. millrace validate then reports queries that depend on other tenants' rows.
   */
  tenancy?:
    | string
    | {
        /**
         * Name of the parameter.
         */
        parameter: string;
        /**
         * Columns that hold the tenant, with dots for parts of them. Default: any column.
         */
        columns?: string[];
        /**
         * Tables and dictionaries with the same rows for every tenant, each with the reason.
         */
        shared?: {
          [k: string]: string;
        };
      };
  /**
   * What the call of an example may read by the estimate of millrace cost: rows, such as 10M, and in the file also { rows, growth }. A call that reads more rows is an error of millrace cost, and one that reads more than growth times the rows of before is one of millrace cost --compare and a change that millrace diff reports. The service does not use it.
   */
  budget?:
    | string
    | {
        /**
         * Rows of tables, such as 500000 or 10M.
         */
        rows?: string | number;
        /**
         * Factor, such as 2x.
         */
        growth?: string | number;
      };
  /**
   * File of hashed keys; required except in development mode.
   */
  tokens?: string;
  /**
   * Issuer (iss) whose JSON Web Tokens are accepted as keys. Requires jwt_audience and jwt_jwks_url.
   */
  jwt_issuer?: string;
  /**
   * Audience (aud) required in JSON Web Tokens.
   */
  jwt_audience?: string;
  /**
   * URL of the issuer's public keys (JWKS): https, or http on localhost.
   */
  jwt_jwks_url?: string;
  /**
   * Accepted signature algorithms, comma-separated; public-key algorithms only.
   */
  jwt_algorithms?: string;
  /**
   * Claim with the permissions of a JSON Web Token: endpoints, allow, parameters, pii, rate.
   */
  jwt_claim?: string;
  /**
   * Maximum clock skew of the issuer, in seconds.
   */
  jwt_clock_skew?: number;
  /**
   * URL of the service for its clients, such as https://api.example.com, or with the path under which a proxy serves it. It is the resource of OAuth for clients of MCP. Unset: as the request says, or X-Forwarded-Proto and X-Forwarded-Host.
   */
  public_url?: string;
  /**
   * Data folder of the embedded engine.
   */
  data?: string;
  /**
   * Folder of *.sql files, run once in name order on an empty embedded database.
   */
  seeds?: string;
  /**
   * What queries, seeds, fixtures and the files of a schema may reach outside of the embedded engine's data folder, comma-separated: file, url, s3, gcs, azure, hdfs, remote, mysql, postgresql, mongodb, redis, sqlite, odbc, jdbc, kafka, nats, rabbitmq, hive, arrowflight, ytsaurus, executable. Anything else is an error in the file that names it. With clickhouse_url, the grants of the server's user decide about saved queries. Commands that check files read it from their flag and the environment only, since the settings file may be part of what they check. Default: none.
   */
  engine_sources?: string;
  /**
   * Prefix of the service's request headers, as in SVC-ENDPOINT-REDACT-PII.
   */
  header_prefix?: string;
  /**
   * Allowed CORS origins, comma-separated, such as https://app.example.com; * for all. Compared as browsers do: capitals and default ports make no difference. Default: none.
   */
  cors_origins?: string;
  /**
   * Secret key for hashed columns (pii.columns in endpoint files); at least 16 characters, the same in every replica.
   */
  pii_hash_key?: string;
  /**
   * URL of a ClickHouse server (http or https), or a comma-separated list of servers with the same tables. Unset: the embedded engine.
   */
  clickhouse_url?: string;
  /**
   * User for the ClickHouse server.
   */
  clickhouse_user?: string;
  /**
   * Password for the ClickHouse server; in a file, write ${VARIABLE}.
   */
  clickhouse_password?: string;
  /**
   * ClickHouse user for consumer queries: one that may read only the endpoints' tables. Unset: clickhouse_user.
   */
  clickhouse_consumer_user?: string;
  /**
   * Password of clickhouse_consumer_user.
   */
  clickhouse_consumer_password?: string;
  /**
   * Send consumer queries with the settings that the row policies of `millrace doctor --row-policies` compare with. Create the policies and their settings profile on the server first.
   */
  clickhouse_row_policies?: boolean;
  /**
   * PEM file of the certificate authorities trusted for the ClickHouse server. Unset: those that Node.js trusts.
   */
  clickhouse_ca?: string;
  /**
   * PEM file of the client certificate for the ClickHouse server. With an empty clickhouse_password it replaces the password. Requires clickhouse_key.
   */
  clickhouse_certificate?: string;
  /**
   * PEM file of the private key of clickhouse_certificate.
   */
  clickhouse_key?: string;
  /**
   * Compress responses from the ClickHouse server: for slow or metered networks.
   */
  clickhouse_compression?: boolean;
  /**
   * Milliseconds after which a ClickHouse server that does not answer a ping counts as down; raise it for a distant or overloaded server.
   */
  clickhouse_ping_timeout?: number;
  /**
   * Maximum number of concurrent queries in the engine; further queries wait. Default: the number of cores plus one, at least 3.
   */
  connections?: number;
  /**
   * Maximum number of connections for consumer queries (sql, lql); the rest are reserved for saved queries. Default: one less than connections.
   */
  consumer_connections?: number;
  /**
   * Maximum number of connections for the consumer queries of one key. Default: half of consumer_connections, rounded up.
   */
  consumer_connections_per_key?: number;
  /**
   * Maximum number of queries waiting for a connection; further queries get 503 immediately.
   */
  queue?: number;
  /**
   * Memory limit for all queries of the embedded engine together, in bytes or with the unit KiB, MiB or GiB. Unset: half of the memory of the machine or the container.
   */
  memory?: number | string;
  /**
   * Confinement of the embedded engine's process by the operating system (Landlock and seccomp on Linux): preferred uses what the system has, required does not start without all of it, off uses none.
   */
  engine_confinement?: 'required' | 'preferred' | 'off';
  /**
   * Absolute paths of files and folders that saved queries and seeds may read, separated by commas, besides the data folder, where engine_sources names file: the confinement denies all others.
   */
  engine_files?: string;
  /**
   * Accept consumer queries with a ClickHouse user that can do more than read the endpoints' tables: the checks of the service are then the only protection.
   */
  accept_single_layer?: boolean;
  /**
   * Maximum seconds from the first byte of a request to the last byte of its response; queries are limited by limits.time of the endpoint.
   */
  request_timeout?: number;
  /**
   * Maximum seconds for a client to receive a response; slower clients are disconnected.
   */
  send_timeout?: number;
  /**
   * Memory for responses that clients have not yet received, in bytes or with the unit KiB, MiB or GiB; above it, the client whose response has been pending longest is disconnected. Unset: 512MiB, at most an eighth of the memory of the machine or the container.
   */
  send_memory?: number | string;
  /**
   * Maximum number of live streams that are open at once; further ones get 503. 0: live calls are not accepted.
   */
  live_streams?: number;
  /**
   * Maximum number of live streams of one key that are open at once; further ones get 429.
   */
  live_streams_per_key?: number;
  /**
   * Exports that run at once, beside the calls; further ones wait. 0: no exports are accepted.
   */
  export_places?: number;
  /**
   * Disk space for exports in the data folder, in bytes or with the unit KiB, MiB, GiB or TiB: those that can be downloaded and those being made. An export that would use more fails.
   */
  export_disk?: number | string;
  /**
   * Seconds that an export may run.
   */
  export_time?: number;
  /**
   * The ClickHouse workload that exports run in. Unset: that of calls.
   */
  export_workload?: string;
  /**
   * The bucket of exports to s3. Unset: there is none.
   */
  export_s3_bucket?: string;
  /**
   * URL of the object store, such as https://s3.example.com. Unset: Amazon S3.
   */
  export_s3_url?: string;
  /**
   * Region of the bucket.
   */
  export_s3_region?: string;
  /**
   * Names of objects, with {endpoint}, {date}, {id} and {format} replaced; {id} must be there.
   */
  export_s3_object?: string;
  /**
   * Access key of the object store. Unset: the credentials of the machine, as AWS tools find them.
   */
  export_s3_key?: string;
  /**
   * Secret of the access key.
   */
  export_s3_secret?: string;
  /**
   * Addresses of trusted reverse proxies, comma-separated, whose X-Forwarded-For is honoured: for example 10.0.0.0/8, ::1, loopback, linklocal, uniquelocal. Default: none.
   */
  trusted_proxies?: string;
  /**
   * URL of the OpenTelemetry collector for traces (OTLP over HTTP), such as http://collector:4318. Default: none.
   */
  otlp_endpoint?: string;
  /**
   * Header fields for the collector, as comma-separated name=value pairs; values are percent-decoded (Authorization=Basic%20QTpC).
   */
  otlp_headers?: string;
  /**
   * Name of the service in traces. Default: service.name in otel_resource_attributes, or millrace.
   */
  otel_service_name?: string;
  /**
   * Attributes of all spans, as comma-separated name=value pairs; values are percent-decoded (deployment.environment.name=production,service.instance.id=replica-1).
   */
  otel_resource_attributes?: string;
  /**
   * Sampling ratio of traces, from 0 to 1, for requests without an incoming traceparent; at most 100 traces per second.
   */
  trace_ratio?: number;
  /**
   * Write one row per endpoint call to the table millrace.calls.
   */
  usage?: boolean;
  /**
   * Retention of millrace.calls, in days; applies if the service creates the table.
   */
  usage_days?: number;
  /**
   * If true, queries read rollups in place of rows, where the response is the same.
   */
  rollups?: boolean;
  /**
   * Seconds for which the service goes on accepting requests after SIGTERM, while /health/ready is 503: longer than a load balancer takes to notice. Then it stops listening.
   */
  shutdown_delay?: number;
  /**
   * Seconds for in-flight requests to finish after the service has stopped listening.
   */
  drain_timeout?: number;
  /**
   * URL of the Redis cache that replicas share, such as redis://:password@host:6379/0, without query: one server, neither Redis Cluster nor Sentinel. Unset: each process has its own cache.
   */
  redis_url?: string;
  /**
   * Timeout of a Redis call, in milliseconds. After a timeout, requests bypass Redis until it responds again; raise it for a distant Redis.
   */
  redis_timeout?: number;
  /**
   * Rate limiting while the shared Redis is unavailable: open (each process counts separately) or closed (calls of rate-limited keys get 503).
   */
  rate_limit_failure?: 'open' | 'closed';
  /**
   * Prefix of every key in Redis, so that several services can share one Redis.
   */
  cache_namespace?: string;
  /**
   * Secret that authenticates cached responses in Redis; at least 32 characters, the same in every replica, as from openssl rand -hex 32. Unset: derived from pii_hash_key, clickhouse_password and the password in redis_url, with a warning at startup.
   */
  cache_key?: string;
  /**
   * Memory for responses cached in this process, in bytes or with the unit KiB, MiB or GiB. Unset: 256MiB, at most an eighth of the memory of the machine or the container.
   */
  cache_memory?: number | string;
  /**
   * Port of the admin listener (metrics, cache purging), on admin_host; 0 selects a free port.
   */
  admin_port?: number;
  /**
   * Address of the admin listener. Only loading rows requires a key: restrict it to localhost or a private network.
   */
  admin_host?: string;
  /**
   * Host names that the admin listener accepts, comma-separated, in addition to IP addresses, localhost and admin_host. Others are rejected, to prevent DNS rebinding.
   */
  admin_names?: string;
  /**
   * Places that watches send messages to, by name: { kind, … }; in the file only. Secrets are read from environment variables, written as ${NAME}.
   */
  channels?: {
    [k: string]: {
      /**
       * webhook: a signed request (Standard Webhooks). slack: an incoming webhook of Slack, or of a program that has the same. pagerduty: an event of the Events API v2. email: by SMTP.
       */
      kind: 'webhook' | 'slack' | 'pagerduty' | 'email';
      /**
       * Where requests are sent: https://…, or ${NAME} if it is a secret, as that of Slack is. Default of pagerduty: https://events.pagerduty.com/v2/enqueue.
       */
      url?: string;
      /**
       * Of webhook: the variable with the secret that signs requests, whsec_ and 24 to 64 bytes in base64.
       */
      secret?: string;
      /**
       * Of pagerduty: the variable with the integration key.
       */
      routing_key?: string;
      /**
       * Of email: the SMTP server.
       */
      host?: string;
      /**
       * Of email. Default: 465 with tls: always, otherwise 587.
       */
      port?: number;
      /**
       * Of email. always: from the first byte. starttls: the connection is encrypted before anything is sent. never: only for a server at an inside address.
       */
      tls?: 'always' | 'starttls' | 'never';
      /**
       * Of email: the user of the SMTP server.
       */
      user?: string;
      /**
       * Of email: the variable with the password.
       */
      password?: string;
      /**
       * Of email: the sender's address.
       */
      from?: string;
      /**
       * Of email: the addresses of the recipients.
       */
      to?: string[];
      /**
       * Allows a target at an inside address, such as 127.0.0.1, 10.0.0.0/8 or fc00::/7, and http without encryption.
       */
      inside?: boolean;
    };
  };
  /**
   * An e-mail address or a URL where callers reach the operator, shown in /openapi.json.
   */
  contact?: string;
  /**
   * Ratio of the requests with a status below 400 that are logged, from 0 to 1; the others always are. Metrics and the table of calls have all.
   */
  log_request_ratio?: number;
  /**
   * Minimum log level.
   */
  log_level?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}
