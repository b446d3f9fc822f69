CREATE TABLE orders (id UInt64, country String, total Float64, at DateTime64(3)) ENGINE = MergeTree ORDER BY id;
INSERT INTO orders VALUES (1, 'DE', 10, '2024-01-01 00:00:00'), (2, 'DE', 20, '2024-01-01 00:07:00'), (3, 'FR', 30, '2024-01-02 00:00:00'), (4, 'it''s', 40, '2024-02-01 12:00:00');
CREATE TABLE archive (id UInt64, country String, total Float64, at DateTime64(3)) ENGINE = MergeTree ORDER BY id;
INSERT INTO archive VALUES (7, 'NO', 5, '2020-01-01 00:00:00');
CREATE TABLE visits (session UInt32, domain String, hits UInt8, at DateTime) ENGINE = MergeTree ORDER BY session;
INSERT INTO visits SELECT number, ['a.com', 'b.com'][number % 2 + 1], number % 3, toDateTime('2024-01-01 00:00:00') + number FROM numbers(30000);
