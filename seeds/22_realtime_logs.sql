-- Realtime server: sockets that open, join a channel and close, and every ten minutes how many are open.

INSERT INTO logs.realtime_logs (timestamp, id, event_message, metadata)
WITH
    (SELECT max(starts) + toIntervalMinute(1) FROM sample.minutes) AS last_moment
SELECT
    timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'realtime', module))) AS id,
    event_message,
    tuple(
        project,
        project AS external_id,
        level,
        topic,
        tuple(module, 'realtime@' || region AS node) AS context,
        tuple(
            connected,
            connected AS connected_cluster,
            connected AS sum,
            if(connected IS NULL, NULL, 500) AS limit
        ) AS measurements,
        client_ip
    ) AS metadata
FROM
(
    SELECT project, seed, timestamp, 'info' AS level, 'Socket' AS module, NULL::Nullable(String) AS topic,
        'Client connected from ' || ip AS event_message, NULL::Nullable(UInt32) AS connected,
        ip::Nullable(String) AS client_ip, lower(place.3) AS region
    FROM sample.requests
    WHERE area = 'realtime' AND status = 101

    UNION ALL

    SELECT project, seed, timestamp + toIntervalMillisecond(120 + seed % 200), 'info', 'Channel', channel,
        'Joined ' || channel || ' as ' || user_id, NULL, ip, lower(place.3)
    FROM
    (
        SELECT *,
            ['public:*', 'room:lobby', 'presence', 'room:' || toString(seed % 40)] AS rooms,
            'realtime:' || rooms[1 + seed % 4] AS channel
        FROM sample.requests
        WHERE area = 'realtime' AND status = 101
    )

    UNION ALL

    SELECT project, seed, timestamp + toIntervalSecond(session) AS closed, if(flapping, 'error', 'info'), 'Disconnect',
        NULL, if(flapping, 'Socket closed: heartbeat timeout after ' || toString(session) || ' s',
            'Client disconnected after ' || toString(session) || ' s'), NULL, ip, lower(place.3)
    FROM
    (
        SELECT *,
            incident = 'sockets flapping' AS flapping,
            if(flapping, 30 + seed % 30, 5 + intDiv(seed, 7) % 2400) AS session
        FROM sample.requests
        WHERE area = 'realtime' AND status = 101
    )
    WHERE closed < last_moment

    UNION ALL

    SELECT project, seed, timestamp, if(status < 500, 'warning', 'error'), 'Broadcast', NULL,
        'Broadcast refused with status ' || toString(status), NULL, ip, lower(place.3)
    FROM sample.requests
    WHERE area = 'realtime' AND status >= 400

    UNION ALL

    SELECT project, sipHash64(project, ago), tick, if(load > 30, 'warning', 'info'), 'Gauge', NULL,
        'Connected clients: ' || toString(clients), clients, NULL, 'fra'
    FROM (SELECT *, toUInt32(3 + load * 8) AS clients FROM sample.minutes WHERE ago % 10 = 0)
)
SETTINGS enable_named_columns_in_function_tuple = 1, output_format_json_skip_null_value_in_named_tuples = 1;
