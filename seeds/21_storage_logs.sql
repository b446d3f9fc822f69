-- Object storage server: the requests that the edge could not answer from its cache.

INSERT INTO logs.storage_logs (timestamp, id, event_message, metadata)
SELECT
    timestamp + toIntervalMillisecond(took) AS timestamp,
    toString(reinterpretAsUUID(sipHash128(seed, 'storage'))) AS id,
    arrayStringConcat([method, toString(status), ip, ray, storage_path || search, agent], ' | ') AS event_message,
    tuple(
        project,
        multiIf(status < 400, 'info', status < 500, 'warning', 'error') AS level,
        'request' AS type,
        extract(storage_path, '^/(?:object|render/image)/(?:public/|sign/|list/)?([a-z-]+)') AS bucket,
        multiIf(
            startsWith(storage_path, '/render'), 'image.render',
            startsWith(storage_path, '/object/list'), 'object.list',
            startsWith(storage_path, '/object/sign'), 'object.get_signed',
            method = 'GET', 'object.get_public',
            method = 'POST', 'object.upload',
            'object.delete') AS operation,
        took + (seed % 1000) / 1000 AS response_time_ms,
        tuple(
            method,
            storage_path || search AS url,
            ip AS remote_address,
            ray AS trace_id,
            tuple(agent AS user_agent, nullIf(client, '') AS x_client_info) AS headers
        ) AS req,
        tuple(status AS status_code) AS res,
        if(method = 'POST', user_id, NULL) AS owner,
        tuple(
            multiIf(status < 400, NULL, status = 404, 'NoSuchKey', status IN (401, 403), 'AccessDenied',
                    status = 504, 'DatabaseTimeout', status >= 500, 'InternalError', 'InvalidRequest') AS code,
            multiIf(status < 400, NULL, status = 404, 'Object not found',
                    status IN (401, 403), 'new row violates row-level security policy for table "objects"',
                    status = 504, 'The connection to the database timed out',
                    status >= 500, 'Internal server error', 'The request could not be read') AS message
        ) AS error
    ) AS metadata
FROM (SELECT *, replaceOne(path, '/storage/v1', '') AS storage_path FROM sample.requests WHERE area = 'storage')
WHERE cache != 'HIT'
SETTINGS enable_named_columns_in_function_tuple = 1;
