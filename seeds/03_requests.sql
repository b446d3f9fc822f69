-- Every request of the sample: who asked which project for what, when, and how it ended. No log yet, but what the edge
-- proxy and each server behind it write down in their logs, so that the nine sources tell the same story.

CREATE TABLE sample.requests ENGINE = MergeTree ORDER BY (area, project, timestamp) AS
WITH
    -- A number from 0 to 1, fixed for this request and purpose.
    (what) -> sipHash64(seed, what) / pow(2, 64) AS chance,
    -- One of a list, the first ones more often.
    (list, what) -> list[1 + toUInt32(floor(pow(chance(what), 1.7) * length(list)))] AS pick,

    arrivals AS
    (
        SELECT
            project,
            incident,
            sipHash64(project, ago, nth) AS seed,
            starts + toIntervalMicrosecond(sipHash64(seed, 'moment') % 60000000) AS timestamp,
            sipHash64(seed, 'route') % 1000 AS slot
        FROM sample.minutes
        ARRAY JOIN range(toUInt32(floor(load + sipHash64(project, ago, 'round') / pow(2, 64)))) AS nth
    ),

    asked AS
    (
        SELECT
            arrivals.project AS project, name, incident, seed, timestamp, ok, ms, user_id, email, place,
            incident = 'password spray' AND chance('who') < 0.6 AS sprays,
            incident = 'crawler' AND chance('who') < 0.6 AS crawls,
            1 + sipHash64(seed, 'number') % 5000 AS number,
            ['/wp-login.php', '/.git/config', '/admin', '/sitemap.xml'] AS crawled,
            multiIf(sprays, 'auth', crawls, 'other', routes.area) AS area,
            multiIf(sprays, 'POST', crawls, 'GET', routes.method) AS method,
            multiIf(
                sprays, '/auth/v1/token',
                crawls, pick(crawled, 'crawled'),
                replaceOne(replaceOne(replaceOne(replaceOne(replaceOne(routes.path,
                    '{table}', pick(tables, 'table')),
                    '{bucket}', pick(buckets, 'bucket')),
                    '{function}', pick(functions, 'function')),
                    '{n}', toString(number)),
                    '{user}', user_id)) AS path,
            multiIf(
                sprays, '?grant_type=password',
                crawls, '',
                replaceOne(replaceOne(replaceOne(routes.search,
                    '{n}', toString(number)),
                    '{user}', user_id),
                    '{email}', encodeURLComponent(email))) AS search,
            multiIf(
                sprays, '2001:db8:bad::' || lower(hex(toUInt8(16 + sipHash64(seed, 'sprayer') % 240))),
                crawls, '192.0.2.66',
                people.ip) AS ip,
            multiIf(
                sprays, 'python-requests/2.32.4',
                crawls, 'Mozilla/5.0 (compatible; crawler/1.0; +https://crawler.example.org/bot)',
                program.1) AS agent,
            if(sprays OR crawls, '', program.2) AS client
        FROM arrivals
        JOIN sample.projects AS projects ON projects.project = arrivals.project
        JOIN sample.routes AS routes ON routes.slot = arrivals.slot
        -- Few people do most of the work.
        JOIN sample.people AS people ON people.project = arrivals.project
            AND people.person = toUInt32(floor(pow(sipHash64(seed, 'person') / pow(2, 64), 2) * projects.people))
    ),

    answered AS
    (
        SELECT
            *,
            multiIf(
                sprays, if(chance('sprayed') < 0.82, 400, 429),
                crawls, 404,
                method = 'OPTIONS', ok,
                incident = 'database down' AND area IN ('rest', 'auth') AND chance('down') < 0.45,
                    [504, 503, 500][1 + sipHash64(seed, 'how') % 3],
                incident = 'bad release' AND area = 'functions' AND chance('down') < 0.6, 500,
                incident = 'slow storage' AND area = 'storage' AND chance('down') < 0.15, 504,
                chance('status') < 0.003, 500,
                chance('status') < 0.004, 503,
                chance('status') < 0.012, 401,
                chance('status') < 0.017, 403,
                chance('status') < 0.024, 400,
                chance('status') < 0.027, 429,
                search = '?grant_type=password' AND chance('password') < 0.14, 400,
                area = 'functions' AND chance('throws') < 0.02, 500,
                area = 'storage' AND method = 'GET' AND chance('missing') < 0.03, 404,
                area = 'storage' AND method = 'GET' AND chance('unchanged') < 0.07, 304,
                area = 'rest' AND method = 'POST' AND chance('duplicate') < 0.02, 409,
                ok) AS status,
            multiIf(
                area != 'storage' OR method != 'GET' OR search = '?download=' OR status >= 400, 'DYNAMIC',
                status = 304, 'REVALIDATED',
                chance('cache') < if(incident = 'slow storage', 0.3, 0.78), 'HIT',
                chance('cache') < 0.82, 'EXPIRED',
                'MISS') AS cache
        FROM asked
    )
SELECT
    project, name, timestamp, seed, incident, area, method, path, search,
    'https://' || project || '.example.net' || path || search AS url,
    user_id, email, ip, agent, client, place, status, cache,
    toString(reinterpretAsUUID(sipHash128(seed, 'id'))) AS id,
    lower(hex(seed)) || '-' || place.3 AS ray,
    -- Long tail: most answers take about their usual time, one in a hundred four times that, none over 12 s.
    toUInt32(least(12000, 1 + multiIf(
        status = 504, 10000 + 300 * chance('ms'),
        cache IN ('HIT', 'REVALIDATED'), 2 + 6 * chance('ms'),
        status >= 400, 4 + 20 * chance('ms'),
        ms * (0.6 - 0.75 * log(1 - chance('ms'))) * multiIf(
            incident = 'database down' AND area IN ('rest', 'auth'), 6,
            incident = 'slow storage' AND area = 'storage', 12,
            1)))) AS took
FROM answered;
