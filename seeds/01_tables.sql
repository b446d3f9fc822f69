-- The nine log tables that the endpoints read, and one with the rows of all nine. Every source keeps timestamp, id, event_message and metadata;
-- each carries the project it belongs to in its own way: a column, or a path inside metadata.
--
-- The sort key begins with the project, wherever that is kept, so that a project and a time window are both found in
-- the primary key. A part holds one day, so that a window is also found where no project is asked for, and old days
-- can be dropped whole. Paths listed in JSON(...) have a fixed type: they are quick to read and can be grouped and
-- ordered by. Nullable ones are null where an event has no such thing; all other paths take whatever type comes.

CREATE DATABASE IF NOT EXISTS logs;

-- The edge proxy in front of a project: one row a request.
CREATE OR REPLACE TABLE logs.edge_logs
(
    project LowCardinality(String),
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        identifier LowCardinality(String),
        request.method LowCardinality(String),
        request.host LowCardinality(String),
        request.path String,
        request.search String,
        request.url String,
        request.protocol LowCardinality(String),
        request.headers.user_agent LowCardinality(String),
        request.headers.cf_connecting_ip LowCardinality(String),
        request.headers.cf_ray String,
        request.headers.x_client_info LowCardinality(Nullable(String)),
        request.headers.x_forwarded_for LowCardinality(String),
        request.headers.x_real_ip LowCardinality(String),
        request.headers.referer LowCardinality(Nullable(String)),
        request.headers.content_type LowCardinality(Nullable(String)),
        request.headers.content_length LowCardinality(Nullable(String)),
        request.cf.country LowCardinality(String),
        request.cf.continent LowCardinality(String),
        request.cf.region LowCardinality(String),
        request.cf.city LowCardinality(String),
        request.cf.timezone LowCardinality(String),
        request.cf.colo LowCardinality(String),
        request.cf.asn UInt32,
        request.jwt.role LowCardinality(String),
        request.jwt.subject LowCardinality(Nullable(String)),
        request.sb.auth_user LowCardinality(Nullable(String)),
        request.sb.jwt.authorization.payload.role LowCardinality(String),
        response.status_code UInt16,
        response.origin_time UInt32,
        response.headers.content_type LowCardinality(String),
        response.headers.content_length UInt32,
        response.headers.content_range LowCardinality(Nullable(String)),
        response.headers.cf_cache_status LowCardinality(String),
        response.headers.cf_ray String,
        response.headers.x_sb_error_code LowCardinality(Nullable(String))
    ),
    -- A column of its own, so that an index can find parts of it (a project reference, a path) without reading rows.
    url String MATERIALIZED metadata.request.url,
    INDEX url_parts url TYPE ngrambf_v1(4, 8192, 3, 0) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (project, timestamp)
COMMENT 'Edge proxy: one row a request';

-- The project's relational database.
CREATE OR REPLACE TABLE logs.database_logs
(
    project LowCardinality(String),
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        identifier LowCardinality(String),
        host LowCardinality(String),
        parsed.error_severity LowCardinality(String),
        parsed.sql_state_code LowCardinality(String),
        parsed.user_name LowCardinality(String),
        parsed.database_name LowCardinality(String),
        parsed.backend_type LowCardinality(String),
        parsed.process_id UInt32,
        parsed.command_tag LowCardinality(Nullable(String)),
        parsed.duration_ms Nullable(Float64),
        parsed.query Nullable(String),
        parsed.query_id Nullable(Int64),
        parsed.detail Nullable(String),
        parsed.hint LowCardinality(Nullable(String)),
        parsed.connection_from Nullable(String),
        parsed.application_name LowCardinality(Nullable(String)),
        parsed.session_id String,
        parsed.session_line_num UInt32,
        parsed.session_start_time String,
        parsed.virtual_transaction_id String,
        parsed.transaction_id UInt32
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (project, timestamp)
COMMENT 'Relational database: connections, statements, errors, checkpoints';

-- The relay in front of serverless functions: one row a call.
CREATE OR REPLACE TABLE logs.function_edge_logs
(
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        project_ref LowCardinality(String),
        identifier LowCardinality(String),
        function_id LowCardinality(String),
        deployment_id LowCardinality(String),
        request_id String,
        execution_id String,
        execution_time_ms UInt32,
        version UInt16,
        request.method LowCardinality(String),
        request.pathname LowCardinality(String),
        request.url LowCardinality(String),
        request.host LowCardinality(String),
        request.headers.user_agent LowCardinality(String),
        request.headers.x_forwarded_for LowCardinality(String),
        request.headers.x_client_info LowCardinality(Nullable(String)),
        response.status_code UInt16,
        response.headers.content_type LowCardinality(String),
        response.headers.content_length UInt32,
        response.headers.x_served_by LowCardinality(String),
        response.headers.x_sb_edge_region LowCardinality(String)
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (metadata.project_ref, timestamp)
COMMENT 'Function relay: one row a call';

-- What serverless functions do and print while they run.
CREATE OR REPLACE TABLE logs.function_logs
(
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        project_ref LowCardinality(String),
        function_id LowCardinality(String),
        deployment_id LowCardinality(String),
        request_id String,
        execution_id String,
        event_type LowCardinality(String),
        level LowCardinality(String),
        region LowCardinality(String),
        version UInt16,
        boot_time Nullable(UInt32),
        cpu_time_used Nullable(UInt32)
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (metadata.project_ref, timestamp)
COMMENT 'Function runtime: boots, printed lines, exceptions, shutdowns';

-- The authentication server.
CREATE OR REPLACE TABLE logs.auth_logs
(
    project LowCardinality(String),
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        component LowCardinality(String),
        level LowCardinality(String),
        msg String,
        method LowCardinality(String),
        path LowCardinality(String),
        status UInt16,
        referer LowCardinality(Nullable(String)),
        remote_addr String,
        request_id String,
        duration UInt64,
        duration_ms Float64,
        host LowCardinality(String),
        error_code LowCardinality(Nullable(String)),
        action LowCardinality(Nullable(String)),
        user_id LowCardinality(Nullable(String)),
        grant_type LowCardinality(Nullable(String)),
        login_method LowCardinality(Nullable(String)),
        provider LowCardinality(Nullable(String)),
        metering Nullable(Bool),
        auth_event.action LowCardinality(Nullable(String)),
        auth_event.actor_id LowCardinality(Nullable(String)),
        auth_event.actor_username LowCardinality(Nullable(String)),
        auth_event.log_type LowCardinality(Nullable(String)),
        auth_event.provider LowCardinality(Nullable(String)),
        auth_event.traits.provider LowCardinality(Nullable(String)),
        auth_event.traits.user_email LowCardinality(Nullable(String)),
        auth_event.traits.user_id LowCardinality(Nullable(String))
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (project, timestamp)
COMMENT 'Authentication server: requests, and the sign-ins, sign-ups and sign-outs in them';

-- The realtime server: web socket clients and channels.
CREATE OR REPLACE TABLE logs.realtime_logs
(
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        project LowCardinality(String),
        external_id LowCardinality(String),
        level LowCardinality(String),
        topic LowCardinality(Nullable(String)),
        context.module LowCardinality(String),
        measurements.connected Nullable(UInt32),
        measurements.connected_cluster Nullable(UInt32),
        measurements.sum Nullable(UInt32),
        measurements.limit Nullable(UInt32)
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (metadata.project, timestamp)
COMMENT 'Realtime server: connections, channels, gauges';

-- The object storage server: one row a request.
CREATE OR REPLACE TABLE logs.storage_logs
(
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        project LowCardinality(String),
        level LowCardinality(String),
        type LowCardinality(String),
        bucket LowCardinality(String),
        operation LowCardinality(String),
        response_time_ms Float64,
        req.method LowCardinality(String),
        req.url String,
        req.remote_address String,
        req.trace_id String,
        res.status_code UInt16,
        error.code LowCardinality(Nullable(String)),
        error.message Nullable(String)
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (metadata.project, timestamp)
COMMENT 'Object storage server: one row a request';

-- The automatic REST API server.
CREATE OR REPLACE TABLE logs.rest_api_logs
(
    project LowCardinality(String),
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        identifier LowCardinality(String),
        host LowCardinality(String),
        level LowCardinality(String),
        request.method LowCardinality(Nullable(String)),
        request.path Nullable(String),
        response.status_code Nullable(UInt16)
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (project, timestamp)
COMMENT 'REST API server: access lines, schema cache, lost connections';

-- The pooler in front of the database's connections.
CREATE OR REPLACE TABLE logs.connection_pooler_logs
(
    project LowCardinality(String),
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String,
    metadata JSON
    (
        project LowCardinality(String),
        host LowCardinality(String),
        region LowCardinality(String),
        level LowCardinality(String),
        mode LowCardinality(String),
        user LowCardinality(String),
        db_name LowCardinality(String),
        clients.active Nullable(UInt32),
        clients.waiting Nullable(UInt32)
    )
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (project, timestamp)
COMMENT 'Connection pooler: clients, pools, rejections';

-- The rows of all nine tables in one shape: metadata as a map from dotted paths to text, and the table in "source".
-- Second in the sort key, so that one source of a project is read without the others.
CREATE OR REPLACE TABLE logs.all_logs
(
    project LowCardinality(String),
    source LowCardinality(String),
    timestamp DateTime64(6, 'UTC'),
    id String,
    event_message String CODEC(ZSTD(1)),
    severity_text String,
    log_attributes Map(String, String) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toDate(timestamp)
ORDER BY (project, source, timestamp)
COMMENT 'All nine sources: one row an event';
