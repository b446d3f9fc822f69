-- Function relay: every call of a function, one row. execution_id finds its lines in function_logs.

INSERT INTO logs.function_edge_logs (timestamp, id, event_message, metadata)
SELECT
    timestamp + toIntervalMillisecond(took) AS timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'function edge'))) AS id,
    arrayStringConcat([method, toString(status), url], ' | ') AS event_message,
    tuple(
        project AS project_ref,
        project AS identifier,
        substring(path, 15) AS function_id,
        toString(reinterpretAsUUID(sipHash128(seed, 'execution'))) AS execution_id,
        project || '_' || function_id || '_' || toString(version) AS deployment_id,
        toString(reinterpretAsUUID(sipHash128(seed, 'call'))) AS request_id,
        took AS execution_time_ms,
        if(incident = 'bad release', 8, 7) AS version,
        request,
        tuple(
            status AS status_code,
            tuple(
                'application/json' AS content_type,
                40 + seed % 4000 AS content_length,
                'edge-runtime' AS x_served_by,
                if(name = 'chat', 'us-east-1', 'eu-central-1') AS x_sb_edge_region
            ) AS headers
        ) AS response
    ) AS metadata
FROM
(
    SELECT
        *,
        tuple(
            method,
            path AS pathname,
            url,
            project || '.example.net' AS host,
            tuple(agent AS user_agent, ip AS x_forwarded_for, nullIf(client, '') AS x_client_info) AS headers
        ) AS request
    FROM sample.requests
    WHERE area = 'functions'
)
SETTINGS enable_named_columns_in_function_tuple = 1;
