// Tables of five products with two tenants' rows: web events, a shop, sensors, sites and tickets.
import { openTwoTenants, type TenantTables, type World } from '../../../guard/query/world.ts';

/** Each product has its own name and type of the tenant's column and parameter. */
const TABLES = `
CREATE TABLE {db}.events (tenant String, ts DateTime, user_id UInt64, path String, ms UInt32, email String) ENGINE = MergeTree ORDER BY (tenant, ts);
CREATE TABLE {db}.users (tenant String, id UInt64, name String, email String, country LowCardinality(String), plan String) ENGINE = MergeTree ORDER BY (tenant, id);
CREATE TABLE {db}.orders (shop LowCardinality(String), id UInt64, customer UInt64, total Decimal(10, 2), status String, created DateTime, card String) ENGINE = MergeTree ORDER BY (shop, id);
CREATE TABLE {db}.customers (shop String, id UInt64, name String, phone String, segment Nullable(String)) ENGINE = MergeTree ORDER BY (shop, id);
CREATE TABLE {db}.refunds (shop String, order_id UInt64, amount Decimal(10, 2), reason String) ENGINE = MergeTree ORDER BY (shop, order_id);
CREATE TABLE {db}.stock (shop String, sku String, state Enum8('in' = 1, 'out' = 2, 'late' = 3), qty UInt32, ver UInt32) ENGINE = ReplacingMergeTree(ver) PARTITION BY ver ORDER BY (shop, cityHash64(sku), sku) SAMPLE BY cityHash64(sku);
CREATE TABLE {db}.parcels (shop String, id UInt64, scans Array(Tuple(place String, level UInt8))) ENGINE = MergeTree ORDER BY (shop, id);
CREATE TABLE {db}.products (sku String, title String, cost Decimal(10, 2)) ENGINE = MergeTree ORDER BY sku;
CREATE TABLE {db}.lines (shop String, order_id UInt64, items Nested(sku String, qty UInt32)) ENGINE = MergeTree ORDER BY (shop, order_id);
CREATE TABLE {db}.readings (org UInt32, device UInt64, at DateTime, metric LowCardinality(String), value Float64) ENGINE = MergeTree ORDER BY (org, device, at);
CREATE TABLE {db}.devices (org UInt32, id UInt64, label String, place Tuple(city String, owner String)) ENGINE = MergeTree ORDER BY (org, id);
CREATE TABLE {db}.gates (org UInt32, id UInt64, state Enum8('open' = 1, 'shut' = 2, 'lost' = 3)) ENGINE = MergeTree ORDER BY (org, id);
CREATE TABLE {db}.calibrations (org UInt32, device UInt64, at DateTime, shift Float64) ENGINE = MergeTree ORDER BY (org, device, at);
CREATE TABLE {db}.hits (site UUID, visitor String, at DateTime, url String, query Map(String, String), goals Nested(name String, value UInt32)) ENGINE = MergeTree ORDER BY (site, at);
CREATE TABLE {db}.visitors (site UUID, visitor String, country String, ip IPv4) ENGINE = MergeTree ORDER BY (site, visitor);
CREATE TABLE {db}.tickets (account UInt64, id UInt64, doc JSON, labels Array(String), agent UInt64, opened Date) ENGINE = MergeTree ORDER BY (account, id);
CREATE TABLE {db}.agents (account UInt64, id UInt64, name String, salary UInt32, hidden UInt8) ENGINE = MergeTree ORDER BY (account, id);
CREATE TABLE {db}.phones (id UInt64, phone String) ENGINE = Join(ANY, LEFT, id);
CREATE DICTIONARY {db}.user_cards (id UInt64, name String, email String) PRIMARY KEY id SOURCE(CLICKHOUSE(DB '{db}' TABLE 'users')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY {db}.device_cards (org UInt32, id UInt64, label String) PRIMARY KEY org, id SOURCE(CLICKHOUSE(DB '{db}' TABLE 'devices')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
INSERT INTO {db}.products VALUES ('s1', 'Lamp', 3), ('s2', 'Desk', 40), ('s3', 'Chair', 20);
`;

const ROWS = {
  a: `
INSERT INTO {db}.events VALUES ('a', '2024-01-01 00:00:02', 1, '/x', 10, 'ann@a.eu'), ('a', '2024-01-01 00:00:04', 2, '/y', 20, 'al@a.eu'), ('a', '2024-01-02 00:00:06', 4, '/z', 30, '');
INSERT INTO {db}.users VALUES ('a', 1, 'Ann', 'ann@a.eu', 'DE', 'free'), ('a', 2, 'Al', 'al@a.eu', 'FR', 'gold');
INSERT INTO {db}.orders VALUES ('a', 1, 1, 5, 'paid', '2024-01-01 00:00:02', '4000-1'), ('a', 2, 2, 7, 'new', '2024-01-03 00:00:00', '4000-2'), ('a', 3, 1, 9, 'void', '2024-01-09 00:00:00', '4000-3');
INSERT INTO {db}.customers VALUES ('a', 1, 'Ada', '+49-1', 'vip'), ('a', 2, 'Bo', '+49-2', NULL);
INSERT INTO {db}.refunds VALUES ('a', 1, 2, 'late'), ('a', 3, 9, 'void');
INSERT INTO {db}.lines VALUES ('a', 1, ['s1', 's2'], [1, 2]), ('a', 2, ['s3'], [5]), ('a', 3, [], []);
INSERT INTO {db}.parcels VALUES ('a', 1, [('ham', 1), ('rtm', 3)]), ('a', 2, [('ham', 1)]), ('a', 3, []);
INSERT INTO {db}.stock SELECT 'a', concat('s', toString(number % 20)), 1 + number % 3, number, intDiv(number, 20) FROM numbers(40);
INSERT INTO {db}.readings VALUES (1, 1, '2024-01-01 00:00:05', 'temp', 20), (1, 1, '2024-01-01 00:01:05', 'temp', 22), (1, 2, '2024-01-01 00:00:05', 'hum', 40), (1, 4, '2024-01-02 00:00:05', 'hum', 60);
INSERT INTO {db}.devices VALUES (1, 1, 'roof', ('Bonn', 'Kim')), (1, 2, 'yard', ('Ulm', 'Lee'));
INSERT INTO {db}.gates VALUES (1, 1, 'open'), (1, 2, 'shut'), (1, 3, 'lost');
INSERT INTO {db}.calibrations VALUES (1, 1, '2024-01-01 00:00:01', 0.5), (1, 2, '2024-01-01 00:00:01', 1.5);
INSERT INTO {db}.hits VALUES ('00000000-0000-0000-0000-00000000000a', 'v1', '2024-01-01 00:00:02', '/in', {'q': 'shoes', 'token': 'key-a'}, ['buy'], [3]), ('00000000-0000-0000-0000-00000000000a', 'v2', '2024-01-01 00:00:03', '/out', {'q': 'hats'}, ['see', 'buy'], [1, 4]);
INSERT INTO {db}.visitors VALUES ('00000000-0000-0000-0000-00000000000a', 'v1', 'DE', '10.0.0.1'), ('00000000-0000-0000-0000-00000000000a', 'v2', 'FR', '10.0.0.2');
INSERT INTO {db}.tickets VALUES (10, 1, '{"title": "help", "from": {"email": "joe@a.eu"}, "stars": 4}', ['new', 'vip'], 1, '2024-01-01'), (10, 2, '{"title": "bug", "from": {"email": "jim@a.eu"}, "stars": 1}', ['bug'], 2, '2024-02-01');
INSERT INTO {db}.agents VALUES (10, 1, 'Zoe', 5100, 0), (10, 2, 'Yan', 5200, 1);
INSERT INTO {db}.phones VALUES (1, '+44-1'), (2, '+44-2');
`,
  b: `
INSERT INTO {db}.events VALUES ('b', '2024-01-01 00:00:01', 1, '/x', 100, 'bob@b.eu'), ('b', '2024-01-01 00:00:05', 4, '/z', 300, 'bo@b.eu'), ('b', '2024-01-02 00:00:07', 3, '/w', 200, 'bea@b.eu');
INSERT INTO {db}.users VALUES ('b', 1, 'Bob', 'bob@b.eu', 'FR', 'gold'), ('b', 3, 'Bea', 'bea@b.eu', 'DE', 'free'), ('b', 4, 'Bo', 'bo@b.eu', 'DE', 'gold');
INSERT INTO {db}.orders VALUES ('b', 1, 1, 50, 'paid', '2024-01-01 00:00:03', '5000-1'), ('b', 2, 4, 70, 'paid', '2024-01-04 00:00:00', '5000-2'), ('b', 4, 3, 11, 'new', '2024-01-05 00:00:00', '5000-4');
INSERT INTO {db}.customers VALUES ('b', 1, 'Cy', '+33-1', 'vip'), ('b', 3, 'Di', '+33-3', 'new'), ('b', 4, 'Ed', '+33-4', NULL);
INSERT INTO {db}.refunds VALUES ('b', 1, 20, 'late'), ('b', 2, 30, 'lost'), ('b', 4, 1, 'void');
INSERT INTO {db}.lines VALUES ('b', 1, ['s2'], [9]), ('b', 2, ['s1', 's3'], [7, 8]);
INSERT INTO {db}.parcels VALUES ('b', 1, [('bcn', 2)]);
INSERT INTO {db}.stock VALUES ('b', 's1', 'in', 1, 0);
INSERT INTO {db}.readings VALUES (2, 1, '2024-01-01 00:00:07', 'temp', 80), (2, 4, '2024-01-01 00:00:08', 'hum', 90), (2, 3, '2024-01-02 00:00:08', 'temp', 95);
INSERT INTO {db}.devices VALUES (2, 1, 'hall', ('Rome', 'Max')), (2, 3, 'cave', ('Nice', 'Eva')), (2, 4, 'pool', ('Lyon', 'Ida'));
INSERT INTO {db}.gates VALUES (2, 1, 'open'), (2, 4, 'lost');
INSERT INTO {db}.calibrations VALUES (2, 1, '2024-01-01 00:00:03', 7.5), (2, 4, '2024-01-01 00:00:01', 8.5);
INSERT INTO {db}.hits VALUES ('00000000-0000-0000-0000-00000000000b', 'v1', '2024-01-01 00:00:01', '/in', {'q': 'boats', 'token': 'key-b'}, ['buy', 'see'], [30, 40]), ('00000000-0000-0000-0000-00000000000b', 'v3', '2024-01-01 00:00:09', '/up', {'q': 'cars'}, ['see'], [50]);
INSERT INTO {db}.visitors VALUES ('00000000-0000-0000-0000-00000000000b', 'v1', 'IT', '10.9.0.1'), ('00000000-0000-0000-0000-00000000000b', 'v3', 'ES', '10.9.0.3');
INSERT INTO {db}.tickets VALUES (20, 1, '{"title": "leak", "from": {"email": "kai@b.eu"}, "stars": 2}', ['new'], 1, '2024-01-05'), (20, 4, '{"title": "fire", "from": {"email": "kim@b.eu"}, "stars": 5}', ['vip', 'bug'], 3, '2024-03-01');
INSERT INTO {db}.agents VALUES (20, 1, 'Xiu', 9100, 0), (20, 3, 'Wes', 9300, 1);
INSERT INTO {db}.phones VALUES (3, '+77-3'), (4, '+77-4');
`,
  c: `
INSERT INTO {db}.events VALUES ('b', '2024-01-01 00:00:08', 2, '/y', 7, 'cy@b.eu');
INSERT INTO {db}.users VALUES ('b', 2, 'Cyd', 'cy@b.eu', 'FR', 'gold'), ('b', 4, 'Cid', 'cid@b.eu', 'FR', 'free');
INSERT INTO {db}.orders VALUES ('b', 5, 2, 12, 'paid', '2024-01-01 00:00:09', '6000-5'), ('b', 1, 4, 1, 'new', '2024-01-06 00:00:00', '6000-1');
INSERT INTO {db}.customers VALUES ('b', 2, 'Flo', '+66-2', 'vip'), ('b', 4, 'Gus', '+66-4', 'new');
INSERT INTO {db}.refunds VALUES ('b', 2, 3, 'lost');
INSERT INTO {db}.lines VALUES ('b', 3, ['s3', 's1'], [4, 6]);
INSERT INTO {db}.readings VALUES (2, 2, '2024-01-01 00:00:02', 'hum', 70);
INSERT INTO {db}.devices VALUES (2, 2, 'barn', ('Oslo', 'Uma')), (2, 4, 'dock', ('Oslo', 'Uma'));
INSERT INTO {db}.gates VALUES (2, 2, 'shut');
INSERT INTO {db}.calibrations VALUES (2, 2, '2024-01-01 00:00:04', 9.5);
INSERT INTO {db}.hits VALUES ('00000000-0000-0000-0000-00000000000b', 'v2', '2024-01-01 00:00:06', '/out', {'q': 'hats', 'token': 'key-c'}, ['buy'], [60]);
INSERT INTO {db}.visitors VALUES ('00000000-0000-0000-0000-00000000000b', 'v2', 'PL', '10.8.0.2');
INSERT INTO {db}.tickets VALUES (20, 2, '{"title": "rust", "from": {"email": "lou@b.eu"}, "stars": 3}', ['bug'], 2, '2024-02-02');
INSERT INTO {db}.agents VALUES (20, 2, 'Vic', 8200, 0);
INSERT INTO {db}.phones VALUES (2, '+66-2'), (4, '+66-4');
`,
};

const PARAMETERS: TenantTables['parameters'] = {
  tenant: { type: 'String', value: 'a' },
  shop: { type: 'String', value: 'a' },
  org: { type: 'UInt32', value: '1' },
  site: { type: 'UUID', value: '00000000-0000-0000-0000-00000000000a' },
  account: { type: 'UInt64', value: '10' },
  user: { type: 'UInt64', value: '1' },
  flag: { type: 'UInt8', value: '1' },
  word: { type: 'String', value: '' },
  words: { type: 'Array(String)', value: "['new']" },
  from: { type: 'DateTime', value: '2024-01-01 00:00:00' },
  to: { type: 'DateTime', value: '2024-02-01 00:00:00' },
  count: { type: 'UInt64', value: '100' },
  owner: { type: 'Nullable(String)', value: 'a' },
  least: { type: 'UInt32', value: '0' },
};

/** Which of the parameters hold tenants. */
export const TENANTS: readonly string[] = ['tenant', 'shop', 'org', 'site', 'account'];

export const PRODUCTS: TenantTables = { tables: TABLES, rows: ROWS, parameters: PARAMETERS, prefix: 'app' };

export const openProducts = (): Promise<World> => openTwoTenants(PRODUCTS);
