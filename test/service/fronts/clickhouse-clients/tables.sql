CREATE DATABASE shop;
CREATE TABLE shop.orders
(
  tenant String, id UInt64, placed DateTime64(3, 'UTC'), day Date, status Enum8('new' = 1, 'sent' = 2),
  total Decimal(18, 2), note Nullable(String), tags Array(String), attrs Map(String, String), ip IPv4, token UUID,
  paid Bool, big Int128, kind LowCardinality(String), pair Tuple(a UInt8, b String), ratio Float64, customer String
)
ENGINE = MergeTree ORDER BY (tenant, id);
INSERT INTO shop.orders
SELECT if(number % 2 = 0, 'mine', 'other'), number, toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + number * 3600,
  toDate('2024-01-01') + number, if(number % 3 = 0, 'new', 'sent'), number * 10 + 0.25,
  if(number % 2 = 1, 'CANARY', if(number % 4 = 0, NULL, 'it''s fine')), ['a', toString(number)],
  map('color', if(number % 4 = 0, 'red', 'blue')), toIPv4('10.0.0.1') + number,
  toUUID(concat('00000000-0000-4000-8000-', leftPad(toString(number), 12, '0'))), number % 4 = 0,
  toInt128('170141183460469231731687303715884105727') - number, if(number % 2 = 1, 'CANARY', 'retail'),
  (number % 256, toString(number)), number / 8, if(number % 2 = 1, 'CANARY', concat('c', toString(number % 3)))
FROM numbers(40);
CREATE TABLE shop.customers (tenant String, name String, email String) ENGINE = MergeTree ORDER BY tenant;
INSERT INTO shop.customers
SELECT if(number % 2 = 0, 'mine', 'other'), if(number % 2 = 1, 'CANARY', concat('c', toString(number % 3))),
  concat('person', toString(number), '@example.com')
FROM numbers(12);
