-- Relational database: connections, slow statements, errors behind failed requests, checkpoints, strangers at the door.

INSERT INTO logs.database_logs (project, timestamp, id, event_message, metadata)
WITH
    timestamp - toIntervalSecond(seed % 1800) AS session_start
SELECT
    project,
    timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'database', event_message))) AS id,
    event_message,
    tuple(
        project AS identifier,
        'db-' || project AS host,
        tuple(
            severity AS error_severity,
            code AS sql_state_code,
            user_name,
            'app' AS database_name,
            if(user_name = '', 'checkpointer', 'client backend') AS backend_type,
            toUInt32(1000 + seed % 60000) AS process_id,
            command_tag,
            duration_ms,
            query,
            toInt64(bitShiftRight(sipHash64(query), 1)) AS query_id,
            detail,
            if(code = '40P01', 'See server log for query details.', NULL) AS hint,
            connection_from,
            if(user_name = 'authenticator', 'rest-api', NULL) AS application_name,
            lower(hex(toUnixTimestamp(session_start)) || '.' || hex(process_id)) AS session_id,
            toUInt32(1 + seed % 40) AS session_line_num,
            formatDateTime(session_start, '%Y-%m-%d %H:%i:%S UTC') AS session_start_time,
            toString(1 + seed % 90) || '/' || toString(seed % 1000000) AS virtual_transaction_id,
            if(code = '00000', 0, toUInt32(90000 + seed % 900000)) AS transaction_id
        ) AS parsed
    ) AS metadata
FROM
(
    -- One in fifteen requests needs a new connection.
    SELECT project, seed, timestamp + toIntervalMillisecond(line) AS timestamp,
        'LOG' AS severity, '00000' AS code, user AS user_name, NULL::Nullable(String) AS command_tag,
        NULL::Nullable(Float64) AS duration_ms, NULL::Nullable(String) AS query, NULL::Nullable(String) AS detail,
        origin::Nullable(String) AS connection_from,
        if(line = 1, 'connection received: host=' || replaceOne(origin, ':', ' port='),
            'connection authorized: user=' || user || ' database=app SSL enabled (protocol=TLSv1.3)') AS event_message
    FROM
    (
        SELECT *, if(area = 'auth', 'auth_admin', 'authenticator') AS user,
            '10.0.' || toString(seed % 4) || '.' || toString(1 + seed % 250) || ':' || toString(32768 + seed % 28000)
                AS origin
        FROM sample.requests
        WHERE area IN ('rest', 'auth') AND seed % 15 = 0
    )
    ARRAY JOIN [1, 3] AS line

    UNION ALL

    SELECT project, seed, timestamp + toIntervalMillisecond(took), 'LOG', '00000', 'authenticator', 'SELECT', duration,
        statement, NULL, NULL, 'duration: ' || toString(duration) || ' ms  statement: ' || statement
    FROM
    (
        SELECT *,
            took + (seed % 1000) / 1000 AS duration,
            if(startsWith(path, '/rest/v1/rpc/'),
                'SELECT * FROM public.' || substring(path, 14) || '($1)',
                'SELECT * FROM public.' || substring(path, 10) || ' ORDER BY created_at DESC LIMIT 20') AS statement
        FROM sample.requests
        WHERE area = 'rest' AND took > 600 AND status < 400
    )

    UNION ALL

    SELECT project, seed, timestamp + toIntervalMillisecond(took), failure.1, failure.2,
        if(area = 'auth', 'auth_admin', 'authenticator'), transform(method, ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
            ['SELECT', 'SELECT', 'INSERT', 'UPDATE', 'DELETE'], NULL), NULL, failure.5, failure.4, NULL, failure.3
    FROM
    (
        SELECT *,
            substring(path, 10) AS relation,
            -- severity, code, message, detail, statement
            multiIf(
                status = 409, ('ERROR', '23505',
                    'duplicate key value violates unique constraint "' || relation || '_email_key"',
                    'Key (email)=(' || email || ') already exists.',
                    'INSERT INTO public.' || relation || ' (name, email) VALUES ($1, $2)'),
                status = 403, ('ERROR', '42501',
                    'new row violates row-level security policy for table "' || relation || '"', NULL, NULL),
                status = 400, ('ERROR', '22P02', 'invalid input syntax for type uuid: "undefined"',
                    NULL, 'SELECT * FROM public.' || relation || ' WHERE owner = $1'),
                status = 503, ('FATAL', '53300',
                    'remaining connection slots are reserved for roles with the SUPERUSER attribute', NULL, NULL),
                status = 504, ('ERROR', '57014', 'canceling statement due to statement timeout',
                    NULL, 'SELECT * FROM public.' || relation || ' ORDER BY created_at DESC LIMIT 20'),
                incident = 'database down', ('FATAL', '57P03', 'the database system is in recovery mode',
                    NULL, NULL),
                ('ERROR', '40P01', 'deadlock detected',
                    'Process 4711 waits for ShareLock on transaction 90210; blocked by process 4712.',
                    'UPDATE public.' || relation || ' SET note = $2 WHERE id = $1')) AS failure
        FROM sample.requests
        WHERE (area = 'rest' AND status IN (400, 403, 409, 500, 503, 504)) OR (area = 'auth' AND status >= 500)
    )

    UNION ALL

    SELECT project, sipHash64(project, ago) AS hash, tick, 'LOG', '00000', '', NULL, NULL, NULL, NULL, NULL,
        if(ago % 30 = 0, 'checkpoint starting: time',
            'checkpoint complete: wrote ' || toString(40 + hash % 900) || ' buffers; 0 WAL file(s) added, 0 removed, '
                || '1 recycled; write=' || toString(4 + hash % 80) || '.101 s, sync=0.005 s')
    FROM sample.minutes
    WHERE ago % 30 IN (0, 29)

    UNION ALL

    SELECT project, sipHash64(project, ago, 'stranger') AS hash, tick, 'FATAL', '28P01',
        ['admin', 'root', 'test', 'backup'][1 + hash % 4] AS guessed, NULL, NULL, NULL,
        'Role "' || guessed || '" does not exist.',
        '198.51.100.' || toString(hash % 16) || ':' || toString(40000 + hash % 20000),
        'password authentication failed for user "' || guessed || '"'
    FROM sample.minutes
    WHERE sipHash64(project, ago, 'stranger') % 45 = 0
)
SETTINGS enable_named_columns_in_function_tuple = 1, output_format_json_skip_null_value_in_named_tuples = 1;
