-- Edge proxy: every request, one row.

INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata)
SELECT
    project,
    timestamp,
    id,
    arrayStringConcat([method, toString(status), ip, ray, url, agent], ' | ') AS event_message,
    tuple(
        request,
        tuple(
            status AS status_code,
            took AS origin_time,
            tuple(
                multiIf(area = 'storage' AND status = 200 AND endsWith(path, '.webp'), 'image/webp',
                        status = 200 AND endsWith(path, '.pdf'), 'application/pdf',
                        'application/json') AS content_type,
                multiIf(status IN (101, 204, 304) OR method IN ('HEAD', 'OPTIONS'), 0,
                        area = 'storage' AND status = 200, 4000 + seed % 400000,
                        40 + seed % 20000) AS content_length,
                cache AS cf_cache_status
            ) AS headers
        ) AS response
    ) AS metadata
FROM
(
    SELECT
        *,
        project || '.example.net' AS host,
        multiIf(agent = 'node', 'service_role', seed % 10 < 7, 'authenticated', 'anon') AS role,
        tuple(
            method,
            host,
            path,
            search,
            url,
            if(seed % 5 = 0, 'HTTP/1.1', 'HTTP/2') AS protocol,
            tuple(
                agent AS user_agent,
                ip AS cf_connecting_ip,
                ip AS x_forwarded_for,
                ray AS cf_ray,
                nullIf(client, '') AS x_client_info,
                if(method IN ('POST', 'PATCH'), 'application/json', NULL) AS content_type,
                if(name = 'shop' AND startsWith(agent, 'Mozilla'), 'https://shop.example.com/', NULL) AS referer,
                if(name = 'intranet', email, NULL) AS access_authenticated_user_email
            ) AS headers,
            tuple(
                place.1 AS country,
                place.2 AS city,
                place.3 AS colo,
                place.4 AS asn
            ) AS cf,
            tuple(
                role,
                if(role = 'authenticated', user_id, NULL) AS subject
            ) AS jwt
        ) AS request
    FROM sample.requests
)
SETTINGS enable_named_columns_in_function_tuple = 1;
