-- Authentication server: every request that reaches it, and before a failed one a line that says why.
-- People sign in with their e-mail address, which this server writes down.

INSERT INTO logs.auth_logs (project, timestamp, id, event_message, metadata)
WITH
    line = 'failed' AS failed,
    if(failed, failure.2, 'request completed') AS msg,
    multiIf(NOT failed, 'info', status < 500, 'warning', 'error') AS level,
    if(failed, NULL, done) AS action,
    if(failed, failure.1, NULL) AS error_code
SELECT
    project,
    timestamp + toIntervalMillisecond(if(failed, took - 1, took)) AS timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'auth', msg))) AS id,
    '{"component":"api","level":"' || level || '","method":"' || method || '","msg":"' || msg
        || '","path":"' || auth_path || '","remote_addr":"' || ip || '","request_id":"' || ray
        || '","status":' || toString(status)
        || if(action IS NULL, '',
            ',"auth_event":{"action":"' || assumeNotNull(action) || '","actor_username":"' || email || '"}')
        || '}' AS event_message,
    tuple(
        level,
        'api' AS component,
        method,
        auth_path AS path,
        status,
        msg,
        took + (seed % 1000) / 1000 AS duration_ms,
        ip AS remote_addr,
        ray AS request_id,
        error_code,
        tuple(
            action,
            if(action IS NULL, NULL, user_id) AS actor_id,
            if(action IS NULL, NULL, email) AS actor_username,
            if(action IS NULL, NULL, provider) AS provider
        ) AS auth_event
    ) AS metadata
FROM
(
    SELECT
        *,
        replaceOne(path, '/auth/v1', '') AS auth_path,
        multiIf(
            auth_path = '/callback', 'github',
            auth_path = '/otp', 'otp',
            'email') AS provider,
        multiIf(
            status = 200 AND search = '?grant_type=password', 'login',
            status = 200 AND search = '?grant_type=refresh_token', 'token_refreshed',
            status = 200 AND auth_path = '/signup', 'user_signedup',
            status = 200 AND auth_path = '/recover', 'user_recovery_requested',
            status = 200 AND auth_path = '/otp', 'user_otp_requested',
            status = 302 AND auth_path = '/callback', 'login',
            status = 204, 'logout',
            NULL) AS done,
        multiIf(
            status = 400 AND search = '?grant_type=password', ('invalid_credentials', 'Invalid login credentials'),
            status = 400, ('validation_failed', 'Request body could not be read'),
            status = 401, ('no_authorization', 'This endpoint requires a bearer token'),
            status = 403, ('bad_jwt', 'Invalid token: token has expired'),
            status = 429, ('over_request_rate_limit', 'Request rate limit reached'),
            status = 503, ('unexpected_failure', 'Unable to connect to the database'),
            status = 504, ('request_timeout', 'Processing this request timed out'),
            ('unexpected_failure', 'Database error querying schema')) AS failure
    FROM sample.requests
    WHERE area = 'auth'
)
ARRAY JOIN if(status < 400, ['completed'], ['failed', 'completed']) AS line
SETTINGS enable_named_columns_in_function_tuple = 1;
