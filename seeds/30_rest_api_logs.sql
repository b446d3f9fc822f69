-- REST API server: every failed request and one in six others as an access line, its schema cache, lost connections.

INSERT INTO logs.rest_api_logs (project, timestamp, id, event_message, metadata)
SELECT
    project,
    timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'rest', level, event_message))) AS id,
    event_message,
    tuple(
        project AS identifier,
        'rest-' || left(project, 6) AS host,
        level,
        tuple(method, path, remote_address) AS request,
        tuple(status_code) AS response
    ) AS metadata
FROM
(
    SELECT project, seed, timestamp + toIntervalMillisecond(took) AS timestamp,
        multiIf(status < 400, 'info', status < 500, 'warning', 'error') AS level,
        method::Nullable(String) AS method,
        path::Nullable(String) AS path,
        ip::Nullable(String) AS remote_address,
        status::Nullable(UInt16) AS status_code,
        format('{} - {} [{}] "{} {} HTTP/1.1" {} - "" "{}"', ip, if(seed % 10 < 7, 'authenticated', 'anon'),
            formatDateTime(timestamp, '%d/%b/%Y:%H:%i:%S +0000'), method, replaceOne(path, '/rest/v1', '') || search,
            toString(status), agent) AS event_message
    FROM sample.requests
    WHERE area = 'rest' AND (status >= 400 OR seed % 6 = 0)

    UNION ALL

    SELECT project, seed, timestamp + toIntervalMillisecond(took), 'error', NULL, NULL, NULL, NULL,
        'Failed to acquire a database connection: timeout. Retrying in ' || toString(1 + seed % 16) || ' seconds...'
    FROM sample.requests
    WHERE area = 'rest' AND status = 503

    UNION ALL

    SELECT project, sipHash64(project, ago), tick, 'notice', NULL, NULL, NULL, NULL, line
    FROM sample.minutes
    ARRAY JOIN [
        'Config reloaded',
        'Schema cache queried in ' || toString(20 + sipHash64(project, ago) % 30) || ' ms',
        'Schema cache loaded: ' || toString(12 + length(project)) || ' relations, 9 relationships, 4 functions'
    ] AS line
    WHERE ago % 240 = 17
)
SETTINGS enable_named_columns_in_function_tuple = 1;
