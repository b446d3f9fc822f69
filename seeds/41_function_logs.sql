-- Function runtime: a call may boot the function, prints a line or two, may throw, and the runtime is shut down later.

INSERT INTO logs.function_logs (timestamp, id, event_message, metadata)
SELECT
    timestamp + toIntervalMicrosecond(toInt64(took * 1000 * line.1)) AS timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'function', line.1))) AS id,
    line.4 AS event_message,
    tuple(
        project AS project_ref,
        function AS function_id,
        project || '_' || function || '_' || toString(version) AS deployment_id,
        toString(reinterpretAsUUID(sipHash128(seed, 'call'))) AS request_id,
        toString(reinterpretAsUUID(sipHash128(seed, 'execution'))) AS execution_id,
        line.2 AS event_type,
        line.3 AS level,
        if(name = 'chat', 'us-east-1', 'eu-central-1') AS region,
        if(incident = 'bad release', 8, 7) AS version,
        if(line.2 = 'Boot', boot_ms, NULL) AS boot_time,
        if(line.2 = 'Shutdown', toUInt32(20 + seed % 400), NULL) AS cpu_time_used
    ) AS metadata
FROM
(
    SELECT
        *,
        substring(path, 15) AS function,
        24 + seed % 40 AS boot_ms,
        -- when (as a part of the call's time), event_type, level, message
        arrayFilter(line -> line.4 != '', [
            (0.0, 'Boot', 'info', if(seed % 4 = 0, 'booted (time: ' || toString(boot_ms) || 'ms)', '')),
            (0.2, 'Log', 'info', function || ': request ' || ray || ' from ' || ip),
            (0.5, 'Log', 'debug', if(seed % 3 = 0,
                'payload for ' || email || ' is ' || toString(200 + seed % 5000) || ' bytes', '')),
            (0.9, 'UncaughtException', 'error', if(status = 500,
                if(incident = 'bad release',
                    'TypeError: Cannot read properties of undefined (reading ''channel'')',
                    'Error: upstream answered 502')
                || '\n    at handler (/src/' || function || '/index.ts:' || toString(10 + seed % 60) || ':17)', '')),
            (0.95, 'Log', 'warning', if(took > 800, 'slow call: ' || toString(took) || ' ms', '')),
            (1.0, 'Shutdown', 'info', if(seed % 4 = 0, 'shutdown', ''))
        ]) AS lines
    FROM sample.requests
    WHERE area = 'functions' AND method = 'POST'
)
ARRAY JOIN lines AS line
SETTINGS enable_named_columns_in_function_tuple = 1, output_format_json_skip_null_value_in_named_tuples = 1;
