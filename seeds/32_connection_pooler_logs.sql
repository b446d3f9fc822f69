-- Connection pooler: clients that come and go, those refused, and every ten minutes how full the pool is.

INSERT INTO logs.connection_pooler_logs (project, timestamp, id, event_message, metadata)
SELECT
    project,
    timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'pooler', event_message))) AS id,
    event_message,
    tuple(
        project,
        'pooler-1' AS host,
        'eu-central-1' AS region,
        level,
        if(user = 'migrations', 'session', 'transaction') AS mode,
        user,
        'app' AS db_name,
        peer,
        tuple(active, waiting) AS clients
    ) AS metadata
FROM
(
    SELECT project, seed,
        timestamp + toIntervalMillisecond(if(line = 'Client connected', 0, took)) AS timestamp, 'info' AS level,
        if(seed % 97 = 0, 'migrations', 'app_user') AS user, ip::Nullable(String) AS peer,
        NULL::Nullable(UInt32) AS active, NULL::Nullable(UInt32) AS waiting,
        line || ' from ' || ip || if(line = 'Client connected', '', ' after ' || toString(took) || ' ms')
            AS event_message
    FROM sample.requests
    ARRAY JOIN ['Client connected', 'Client disconnected'] AS line
    WHERE area IN ('functions', 'other') AND method = 'POST'

    UNION ALL

    SELECT project, seed, timestamp, 'error', 'app_user', ip, 15, 40 + seed % 60,
        'Max client connections reached: client ' || ip || ' refused'
    FROM sample.requests
    WHERE status = 503 AND area IN ('rest', 'auth', 'functions')

    UNION ALL

    SELECT project, seed, timestamp + toIntervalMillisecond(took), 'warning', 'app_user', ip, NULL, NULL,
        'Query cancelled: the client gave up after ' || toString(took) || ' ms'
    FROM sample.requests
    WHERE status = 504 AND area IN ('rest', 'auth', 'functions')

    UNION ALL

    SELECT project, sipHash64(project, ago), tick, if(waiting > 0, 'warning', 'info'), 'app_user', NULL, active,
        waiting,
        'Pool: ' || toString(active) || ' of 15 connections active, ' || toString(waiting) || ' clients waiting'
    FROM
    (
        SELECT *, toUInt32(least(15, 1 + load / 2 + if(incident = 'database down', 15, 0))) AS active,
            toUInt32(if(active = 15, load, 0)) AS waiting
        FROM sample.minutes
        WHERE ago % 10 = 0
    )
)
SETTINGS enable_named_columns_in_function_tuple = 1, output_format_json_skip_null_value_in_named_tuples = 1;
