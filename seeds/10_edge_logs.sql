-- Edge proxy: every request, one row. Most rows are of this source, so their JSON is written as it is parsed fastest:
-- dotted keys, without nulls (concatenation with NULL is NULL, and arrayStringConcat ignores it). No value has a quote.

INSERT INTO logs.edge_logs (project, timestamp, id, event_message, metadata)
WITH
    multiIf(agent = 'node', 'service_role', seed % 10 < 7, 'authenticated', 'anon') AS role,
    if(role = 'authenticated', user_id, NULL) AS user,
    method IN ('POST', 'PATCH') AS has_body,
    map(
        'identifier', project,
        'request.method', method,
        'request.host', project || '.example.net',
        'request.path', path,
        'request.search', search,
        'request.url', url,
        'request.protocol', if(seed % 5 = 0, 'HTTP/1.1', 'HTTP/2'),
        'request.headers.user_agent', agent,
        'request.headers.cf_connecting_ip', ip,
        'request.headers.cf_ray', ray,
        'request.headers.x_client_info', nullIf(client, ''),
        'request.headers.x_forwarded_for', ip,
        'request.headers.x_real_ip', ip,
        'request.headers.referer', if(name = 'shop' AND startsWith(agent, 'Mozilla'), 'https://shop.example.com/', NULL),
        'request.headers.content_type', if(has_body, 'application/json', NULL),
        'request.headers.content_length', if(has_body, toString(20 + seed % 900), NULL),
        'request.headers.access_authenticated_user_email', if(name = 'intranet', email, NULL),
        'request.cf.country', place.1,
        'request.cf.city', place.2,
        'request.cf.colo', place.3,
        'request.cf.asn', toString(place.4),
        'request.cf.continent', place.5,
        'request.cf.region', place.6,
        'request.cf.timezone', place.7,
        'request.jwt.role', role,
        'request.jwt.subject', user,
        'request.sb.auth_user', user,
        'request.sb.jwt.authorization.payload.role', role,
        'response.status_code', toString(status),
        'response.origin_time', toString(took),
        'response.headers.content_type', multiIf(
            area = 'storage' AND status = 200 AND endsWith(path, '.webp'), 'image/webp',
            status = 200 AND endsWith(path, '.pdf'), 'application/pdf',
            'application/json'),
        'response.headers.content_length', toString(multiIf(
            status IN (101, 204, 304) OR method IN ('HEAD', 'OPTIONS'), 0,
            area = 'storage' AND status = 200, 4000 + seed % 400000,
            40 + seed % 20000)),
        'response.headers.content_range',
            if(area = 'rest' AND method = 'GET' AND status = 200, '0-' || toString(seed % 20) || '/*', NULL),
        'response.headers.cf_cache_status', cache,
        'response.headers.cf_ray', ray,
        'response.headers.x_sb_error_code', multiIf(
            area != 'auth' OR status < 400, NULL,
            status = 400 AND search = '?grant_type=password', 'invalid_credentials',
            status = 400, 'validation_failed',
            status = 401, 'no_authorization',
            status = 403, 'bad_jwt',
            status = 429, 'over_request_rate_limit',
            status = 504, 'request_timeout',
            'unexpected_failure')
    ) AS paths,
    (path, value) -> '"' || path || '":"' || value || '"' AS member
SELECT
    project,
    timestamp,
    id,
    arrayStringConcat([method, toString(status), ip, ray, url, agent], ' | ') AS event_message,
    '{' || arrayStringConcat(arrayMap(member, mapKeys(paths), mapValues(paths)), ',') || '}' AS metadata
FROM sample.requests;
