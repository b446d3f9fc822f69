-- Rows of the project "demo" on 1 May 2024, for the queries in this folder. Every value follows from the row's number n, so that
-- expected results can be calculated. The project "live" has the same requests, within the last two hours.

-- 240 requests from 10:00:00, one each 30 seconds. Methods are GET, GET, POST, DELETE in turn, with five paths, three countries and
-- four addresses; n % 20 is 0: status 500, 10: 404, 15: 401, otherwise 200 (204, 12, 12, 12 rows); origin_time is n.
INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata)
SELECT
    project,
    start + toIntervalSecond(30 * n),
    'edge-' || leftPad(toString(n), 3, '0'),
    concat(method, ' | ', toString(status), ' | ', ip, ' | ', url, ' | ', agent),
    tuple(
        tuple(method, path, search, 'demo.example.net' AS host, url, 'HTTP/2' AS protocol,
            tuple(agent AS user_agent, ip AS cf_connecting_ip) AS headers,
            tuple(country, 'Berlin' AS city, 64500 AS asn) AS cf, tags) AS request,
        tuple(status AS status_code, n AS origin_time) AS response
    ) AS metadata
FROM
(
    SELECT
        number AS n,
        arrayJoin([('demo', toDateTime64('2024-05-01 10:00:00', 6, 'UTC')), ('live', now64(6) - 7200)]) AS place,
        place.1 AS project,
        place.2 AS start,
        ['GET', 'GET', 'POST', 'DELETE'][n % 4 + 1] AS method,
        multiIf(n % 20 = 0, 500, n % 20 = 10, 404, n % 20 = 15, 401, 200) AS status,
        ['/rest/v1/users', '/rest/v1/orders', '/auth/v1/token', '/storage/v1/object/a.png', '/functions/v1/hello'][n % 5 + 1] AS path,
        if(n % 2 = 0, '?select=*', '') AS search,
        ['DE', 'US', 'IN'][n % 3 + 1] AS country,
        if(n % 6 = 0, ['slow', 'edge'], ['edge']) AS tags,
        '203.0.113.' || toString(n % 4 + 1) AS ip,
        'https://demo.example.net' || path || search AS url,
        if(n % 2 = 0, 'curl/8.5.0', 'Mozilla/5.0 (X11; Linux x86_64)') AS agent
    FROM numbers(240)
)
SETTINGS enable_named_columns_in_function_tuple = 1;

-- 60 lines from 10:00:00, one each two minutes: n % 10 is 0: ERROR, 5: FATAL, otherwise LOG (48, 6, 6 rows); process_id is 100 + n % 4.
INSERT INTO logs.database_logs (project, timestamp, id, event_message, metadata)
SELECT
    'demo',
    toDateTime64('2024-05-01 10:00:00', 6, 'UTC') + toIntervalMinute(2 * number),
    'db-' || leftPad(toString(number), 2, '0'),
    multiIf(severity = 'ERROR', 'relation "items" does not exist', severity = 'FATAL', 'password authentication failed for user "app"',
        'duration: ' || toString(number * 10) || '.5 ms'),
    tuple('db-demo' AS host, tuple(severity AS error_severity, state AS sql_state_code, if(number % 2 = 0, 'app', 'admin') AS user_name,
        'postgres' AS database_name, 'client backend' AS backend_type, 100 + number % 4 AS process_id) AS parsed) AS metadata
FROM
(
    SELECT number, multiIf(number % 10 = 0, 'ERROR', number % 10 = 5, 'FATAL', 'LOG') AS severity,
        multiIf(number % 10 = 0, '42P01', number % 10 = 5, '28P01', '00000') AS state
    FROM numbers(60)
)
SETTINGS enable_named_columns_in_function_tuple = 1;

-- 40 lines from 10:00:00, one each three minutes: n % 8 is 0: error with status 400, otherwise info with status 200; logins are n % 4 = 1.
INSERT INTO logs.auth_logs (project, timestamp, id, event_message, metadata)
SELECT
    'demo',
    toDateTime64('2024-05-01 10:00:00', 6, 'UTC') + toIntervalMinute(3 * number),
    'auth-' || leftPad(toString(number), 2, '0'),
    concat('{"level":"', level, '","msg":"', message, '","status":"', toString(status), '","path":"/token"}'),
    tuple(level, 'api' AS component, 'POST' AS method, '/token' AS path, status, message AS msg, number + 0.5 AS duration_ms,
        '203.0.113.7' AS remote_addr,
        tuple(if(number % 4 = 1, 'login', NULL) AS action, if(number % 4 = 1, 'email', NULL) AS provider) AS auth_event) AS metadata
FROM
(
    SELECT number, if(number % 8 = 0, 'error', 'info') AS level, if(number % 8 = 0, 400, 200) AS status,
        if(number % 8 = 0, 'invalid grant', 'request completed') AS message
    FROM numbers(40)
)
SETTINGS enable_named_columns_in_function_tuple = 1;

-- 30 calls from 10:00:00, one each four minutes: two functions in turn; n % 10 is 0: status 500; execution_time_ms is 10 * n.
INSERT INTO logs.function_edge_logs (timestamp, id, event_message, metadata)
SELECT
    toDateTime64('2024-05-01 10:00:00', 6, 'UTC') + toIntervalMinute(4 * number),
    'call-' || leftPad(toString(number), 2, '0'),
    'POST | ' || toString(if(number % 10 = 0, 500, 200)) || ' | https://demo.example.net/functions/v1/' || name,
    tuple('demo' AS project_ref, name AS function_id, 'run-' || toString(number) AS execution_id, 10 * number AS execution_time_ms, 3 AS version,
        tuple('POST' AS method, '/functions/v1/' || name AS pathname) AS request,
        tuple(if(number % 10 = 0, 500, 200) AS status_code) AS response) AS metadata
FROM (SELECT number, if(number % 2 = 0, 'hello', 'thumbnail') AS name FROM numbers(30))
SETTINGS enable_named_columns_in_function_tuple = 1;

-- Two lines of each of the 30 calls: Boot with level info, and the result with level error if the call's status is 500.
INSERT INTO logs.function_logs (timestamp, id, event_message, metadata)
SELECT
    toDateTime64('2024-05-01 10:00:00', 6, 'UTC') + toIntervalMinute(4 * intDiv(number, 2)) + toIntervalSecond(number % 2),
    'line-' || leftPad(toString(number), 2, '0'),
    if(number % 2 = 0, 'booted', if(number % 20 = 1, 'Error: out of memory', 'done')),
    tuple('demo' AS project_ref, if(intDiv(number, 2) % 2 = 0, 'hello', 'thumbnail') AS function_id,
        'run-' || toString(intDiv(number, 2)) AS execution_id, if(number % 2 = 0, 'Boot', 'Log') AS event_type,
        if(number % 20 = 1, 'error', 'info') AS level, 'eu' AS region, 3 AS version) AS metadata
FROM numbers(60)
SETTINGS enable_named_columns_in_function_tuple = 1;

-- 20 uploads and downloads from 10:00:00, one each six minutes: n % 5 is 0: status 404.
INSERT INTO logs.storage_logs (timestamp, id, event_message, metadata)
SELECT
    toDateTime64('2024-05-01 10:00:00', 6, 'UTC') + toIntervalMinute(6 * number),
    'file-' || leftPad(toString(number), 2, '0'),
    'GET | ' || toString(status),
    tuple('demo' AS project, if(status = 404, 'warning', 'info') AS level, 'request' AS type, if(number % 2 = 0, 'avatars', 'documents') AS bucket,
        if(number % 4 = 0, 'upload', 'download') AS operation, number * 2.5 AS response_time_ms,
        tuple('GET' AS method, '/object/a.png' AS url) AS req, tuple(status AS status_code) AS res) AS metadata
FROM (SELECT number, if(number % 5 = 0, 404, 200) AS status FROM numbers(20))
SETTINGS enable_named_columns_in_function_tuple = 1;
