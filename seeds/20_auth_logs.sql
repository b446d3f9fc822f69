-- Authentication server: every request that reaches it, and before a failed one a line that says why. The line is the
-- event as JSON. People sign in with their e-mail address, which this server writes down.

INSERT INTO logs.auth_logs (project, timestamp, id, event_message, metadata)
WITH
    line = 'failed' AS failed,
    NOT failed AND done IS NOT NULL AS has_event,
    has_event AND done IN ('login', 'token_refreshed') AS issues_token,
    if(has_event, user_id, NULL) AS user,
    if(has_event, email, NULL) AS address,
    (if(has_event, identity, NULL), address, user) AS traits
SELECT
    project,
    timestamp + toIntervalMillisecond(if(failed, took - 1, took)) AS timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'auth', if(failed, failure.2, 'request completed')))) AS id,
    toJSONString(metadata) AS event_message,
    tuple(
        'api' AS component,
        multiIf(NOT failed, 'info', status < 500, 'warning', 'error') AS level,
        if(failed, failure.2, 'request completed') AS msg,
        method,
        auth_path AS path,
        status,
        if(name = 'shop' AND client != '', 'https://shop.example.com/', NULL) AS referer,
        ip AS remote_addr,
        ray AS request_id,
        -- Nanoseconds, as this server writes them.
        took * 1000000 + (seed % 1000) * 1000 AS duration,
        duration / 1000000 AS duration_ms,
        'auth-' || left(project, 6) AS host,
        if(failed, failure.1, NULL) AS error_code,
        if(has_event, done, NULL) AS action,
        user AS user_id,
        if(issues_token, grant, NULL) AS grant_type,
        if(issues_token, transform(grant, ['refresh_token'], ['token'], grant), NULL) AS login_method,
        if(issues_token, identity, NULL) AS provider,
        if(issues_token, true, NULL) AS metering,
        (action, user, address, if(has_event, 'account', NULL), traits.1, traits)::Tuple(
            action Nullable(String), actor_id Nullable(String), actor_username Nullable(String),
            log_type Nullable(String), provider Nullable(String), traits Tuple(
                provider Nullable(String), user_email Nullable(String), user_id Nullable(String))) AS auth_event
    ) AS metadata
FROM
(
    SELECT
        *,
        replaceOne(path, '/auth/v1', '') AS auth_path,
        multiIf(search = '', 'oauth', substring(search, length('?grant_type=') + 1)) AS grant,
        multiIf(
            auth_path = '/callback', 'github',
            auth_path = '/otp', 'otp',
            'email') AS identity,
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
SETTINGS enable_named_columns_in_function_tuple = 1, output_format_json_skip_null_value_in_named_tuples = 1,
    output_format_json_escape_forward_slashes = 0;
