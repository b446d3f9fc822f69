-- What happens in the sample data, before any source writes it down: projects, people, minutes of traffic, routes.
--
-- Nothing here is random: every choice is a hash of what it is made for, so two loads at the same instant give the same
-- rows. sample.minutes is the only place that asks for the time; all other rows count back from it.
-- Names, addresses and hosts are from the ranges reserved for examples.

DROP DATABASE IF EXISTS sample;
CREATE DATABASE sample;

-- rate: requests a minute at the busiest time; peak: that hour, in UTC; people: how many use it.
CREATE TABLE sample.projects ENGINE = MergeTree ORDER BY project AS
SELECT *
FROM values(
    'project String, name String, rate Float64, peak Float64, people UInt32,
     tables Array(String), buckets Array(String), functions Array(String)',
    ('xvzyeivudksfanncdekp', 'shop', 15.5, 14, 900,
     ['products', 'orders', 'order_items', 'customers', 'reviews', 'inventory'],
     ['product-images', 'avatars', 'invoices'], ['checkout', 'send-receipt', 'stock-webhook']),
    ('songgkuvkkncuqzpmcgs', 'chat', 9.5, 20, 700,
     ['messages', 'channels', 'members', 'reactions', 'profiles'],
     ['attachments', 'avatars'], ['link-preview', 'push-notify', 'moderate']),
    ('hbgdcgiwyjjwiftdaiwh', 'field-service', 6.0, 4, 400,
     ['visits', 'tasks', 'sites', 'customers', 'photos'],
     ['site-photos', 'signatures'], ['route-planner', 'export-pdf']),
    ('hshbazutjiewuktxoeui', 'shop-staging', 3.2, 13, 30,
     ['products', 'orders', 'order_items', 'customers', 'reviews', 'inventory'],
     ['product-images', 'avatars', 'invoices'], ['checkout', 'send-receipt', 'stock-webhook']),
    ('rnffmwdweysnlhdtbqgn', 'intranet', 1.9, 9, 60,
     ['pages', 'employees', 'rooms', 'bookings'],
     ['documents', 'portraits'], ['calendar-sync']),
    ('ffcdzjazuzkvxmoqyyxb', 'hobby', 0.8, 19, 25,
     ['recipes', 'ingredients', 'comments'],
     ['photos'], ['og-image']));

-- What went wrong, in minutes before the load. load: how busy it is then, against the busiest usual time.
CREATE TABLE sample.incidents ENGINE = MergeTree ORDER BY project_name AS
SELECT *
FROM values(
    'project_name String, since UInt32, until UInt32, incident String, load Float64',
    ('shop', 38, 21, 'database down', 1.2),
    ('shop', 1620, 1560, 'crawler', 2.0),
    ('shop', 4400, 4280, 'slow storage', 0.7),
    ('shop', 7300, 7240, 'password spray', 1.5),
    ('chat', 560, 500, 'password spray', 2.0),
    ('chat', 3000, 2900, 'bad release', 0.7),
    ('chat', 8800, 8680, 'launch', 3.0),
    ('field-service', 5900, 5830, 'database down', 1.0),
    ('intranet', 8000, 7880, 'sockets flapping', 1.5));

-- One row a project and minute, eight days back: how many requests (load) come, under which incident; tick is a moment
-- in that minute.
CREATE TABLE sample.minutes ENGINE = MergeTree ORDER BY (project, ago) AS
WITH
    -- A little ago, so that what takes its time has ended too.
    now64(6, 'UTC') - toIntervalSecond(15) AS last_moment,
    toHour(starts) + toMinute(starts) / 60 AS hour,
    0.15 + 0.85 * pow((1 + cos(2 * pi() * (hour - peak) / 24)) / 2, 1.5) AS daylight,
    if(toDayOfWeek(starts) >= 6, 0.55, 1) AS week,
    -- Busier and calmer stretches of ten minutes, and now and then a burst.
    0.6 + 0.8 * sipHash64(project, intDiv(ago, 10), 'stretch') / pow(2, 64) AS stretch,
    if(sipHash64(project, intDiv(ago, 12), 'burst') % 120 = 0, 3, 1) AS burst
SELECT
    project,
    minutes.ago AS ago,
    last_moment - toIntervalMinute(ago) AS starts,
    starts + toIntervalMicrosecond(sipHash64(project, ago, 'tick') % 60000000) AS tick,
    incidents.incident AS incident,
    rate * if(incident = '', daylight * week * stretch * burst, incidents.load) AS load
FROM sample.projects AS projects
CROSS JOIN (SELECT number + 1 AS ago FROM numbers(8 * 24 * 60)) AS minutes
LEFT JOIN sample.incidents AS incidents
    ON project_name = name AND minutes.ago <= since AND minutes.ago > until;

-- Who uses the projects. The same person always comes from the same address with the same program.
CREATE TABLE sample.people ENGINE = MergeTree ORDER BY (project, person) AS
WITH
    ['ada', 'amir', 'bea', 'chen', 'dara', 'elif', 'farid', 'grace', 'hugo', 'ines', 'jonas', 'kei', 'lena', 'mila',
     'nadia', 'omar', 'priya', 'quinn', 'rosa', 'sven', 'tariq', 'uma', 'vera', 'wei', 'yara', 'zoe'] AS first_names,
    ['abe', 'berg', 'costa', 'diaz', 'eriksen', 'fischer', 'garcia', 'haddad', 'ito', 'jansen', 'kumar', 'lind',
     'meyer', 'novak', 'okafor', 'petrov', 'rossi', 'silva', 'tanaka', 'weber'] AS last_names,
    ['example.com', 'example.org', 'example.net', 'mail.example.com'] AS domains,
    ['203.0.113.', '198.51.100.', '192.0.2.'] AS networks,
    -- country, city, colo, asn, continent, region, time zone
    [('DE', 'Frankfurt', 'FRA', 64496, 'EU', 'Hesse', 'Europe/Berlin'),
     ('FR', 'Paris', 'CDG', 64497, 'EU', 'Ile-de-France', 'Europe/Paris'),
     ('GB', 'London', 'LHR', 64498, 'EU', 'England', 'Europe/London'),
     ('US', 'New York', 'EWR', 64499, 'NA', 'New York', 'America/New_York'),
     ('US', 'San Jose', 'SJC', 64500, 'NA', 'California', 'America/Los_Angeles'),
     ('BR', 'Sao Paulo', 'GRU', 64501, 'SA', 'Sao Paulo', 'America/Sao_Paulo'),
     ('IN', 'Mumbai', 'BOM', 64502, 'AS', 'Maharashtra', 'Asia/Kolkata'),
     ('JP', 'Tokyo', 'NRT', 64503, 'AS', 'Tokyo', 'Asia/Tokyo'),
     ('AU', 'Sydney', 'SYD', 64504, 'OC', 'New South Wales', 'Australia/Sydney')] AS places,
    'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36' AS chrome,
    'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1' AS safari,
    [('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ' || chrome, 'client-js/2.50.2'),
     ('Mozilla/5.0 (Windows NT 10.0; Win64; x64) ' || chrome || ' Edg/138.0.0.0', 'client-js/2.50.2'),
     ('Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ' || safari, 'client-js/2.49.8'),
     ('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'client-js/2.50.0'),
     ('Dart/3.8 (dart:io)', 'client-flutter/2.9.1'),
     ('okhttp/4.12.0', 'client-kt/3.2.0'),
     ('node', 'client-js/2.50.2')] AS programs,
    sipHash64(project, person) AS seed,
    (list, what) -> list[1 + sipHash64(seed, what) % length(list)] AS pick
SELECT
    project,
    person,
    toString(reinterpretAsUUID(sipHash128(project, person, 'user'))) AS user_id,
    pick(first_names, 'first') || '.' || pick(last_names, 'last') || toString(person) AS account,
    account || '@' || pick(domains, 'domain') AS email,
    if(sipHash64(seed, 'v6') % 3 = 0,
        toString(toIPv6('2001:db8:' || hex(toUInt16(seed)) || ':' || hex(toUInt16(person)) || '::1')),
        pick(networks, 'network') || toString(1 + sipHash64(seed, 'host') % 254)) AS ip,
    pick(places, 'place') AS place,
    pick(programs, 'program') AS program
FROM sample.projects
ARRAY JOIN range(people) AS person;

-- Where requests go. share: how many in a thousand (they sum to that); ms: a usual answer takes about this long;
-- ok: the usual status.
CREATE TABLE sample.routes ENGINE = MergeTree ORDER BY slot AS
SELECT
    toUInt64(row_number() OVER (ORDER BY area, method, path, search, copy) - 1) AS slot,
    area, method, path, search, ok, ms
FROM values(
    'share UInt16, area String, method String, path String, search String, ok UInt16, ms UInt32',
    (190, 'rest', 'GET', '/rest/v1/{table}', '?select=*&order=created_at.desc&limit=20', 200, 32),
    (100, 'rest', 'GET', '/rest/v1/{table}', '?select=*&id=eq.{n}', 200, 14),
    (50, 'rest', 'GET', '/rest/v1/{table}', '?select=id,name&owner=eq.{user}', 200, 21),
    (8, 'rest', 'GET', '/rest/v1/{table}', '?select=*&email=eq.{email}', 200, 24),
    (12, 'rest', 'HEAD', '/rest/v1/{table}', '?select=id', 200, 60),
    (70, 'rest', 'POST', '/rest/v1/{table}', '', 201, 38),
    (55, 'rest', 'PATCH', '/rest/v1/{table}', '?id=eq.{n}', 204, 34),
    (15, 'rest', 'DELETE', '/rest/v1/{table}', '?id=eq.{n}', 204, 26),
    (18, 'rest', 'OPTIONS', '/rest/v1/{table}', '', 200, 2),
    (22, 'rest', 'POST', '/rest/v1/rpc/search', '', 200, 180),
    (6, 'rest', 'POST', '/rest/v1/rpc/monthly_report', '', 200, 2100),
    (4, 'rest', 'POST', '/rest/v1/rpc/storage_usage', '', 200, 75),
    (30, 'auth', 'POST', '/auth/v1/token', '?grant_type=refresh_token', 200, 45),
    (22, 'auth', 'POST', '/auth/v1/token', '?grant_type=password', 200, 140),
    (35, 'auth', 'GET', '/auth/v1/user', '', 200, 18),
    (7, 'auth', 'POST', '/auth/v1/signup', '', 200, 190),
    (5, 'auth', 'POST', '/auth/v1/recover', '', 200, 95),
    (5, 'auth', 'POST', '/auth/v1/otp', '', 200, 110),
    (6, 'auth', 'GET', '/auth/v1/authorize', '?provider=github', 302, 12),
    (6, 'auth', 'GET', '/auth/v1/callback', '', 302, 260),
    (8, 'auth', 'POST', '/auth/v1/logout', '', 204, 22),
    (110, 'storage', 'GET', '/storage/v1/object/public/{bucket}/{n}.webp', '', 200, 85),
    (32, 'storage', 'GET', '/storage/v1/render/image/public/{bucket}/{n}.webp', '?width=320&quality=75', 200, 240),
    (18, 'storage', 'GET', '/storage/v1/object/sign/{bucket}/{user}/{n}.pdf', '?download=', 200, 70),
    (16, 'storage', 'POST', '/storage/v1/object/{bucket}/{user}/{n}.webp', '', 200, 320),
    (8, 'storage', 'POST', '/storage/v1/object/list/{bucket}', '', 200, 55),
    (4, 'storage', 'DELETE', '/storage/v1/object/{bucket}', '', 200, 90),
    (50, 'realtime', 'GET', '/realtime/v1/websocket', '?vsn=1.0.0', 101, 9),
    (8, 'realtime', 'POST', '/realtime/v1/api/broadcast', '', 202, 16),
    (45, 'functions', 'POST', '/functions/v1/{function}', '', 200, 210),
    (10, 'functions', 'OPTIONS', '/functions/v1/{function}', '', 200, 3),
    (12, 'other', 'POST', '/graphql/v1', '', 200, 65),
    (7, 'other', 'GET', '/', '', 404, 4),
    (3, 'other', 'GET', '/favicon.ico', '', 404, 3),
    (3, 'other', 'GET', '/.env', '', 404, 3))
ARRAY JOIN range(share) AS copy;
