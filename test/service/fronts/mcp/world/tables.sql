CREATE DATABASE fleet;
CREATE TABLE fleet.parcels
(
  client LowCardinality(String), barcode UInt64, accepted DateTime64(3, 'UTC'), delivered Nullable(DateTime64(3, 'UTC')),
  depot LowCardinality(String), carrier LowCardinality(String), state Enum8('accepted' = 1, 'moving' = 2, 'delivered' = 3, 'lost' = 4),
  weight_kg Decimal(9, 3), price Decimal(18, 2), margin Decimal(18, 2), recipient String, labels Map(String, String), remark String
)
ENGINE = MergeTree ORDER BY (client, accepted);
INSERT INTO fleet.parcels
SELECT
  if(number % 3 = 2, 'globex', 'acme') AS c,
  9007199254740993 + number,
  toDateTime64('2024-03-01 00:00:00', 3, 'UTC') + number * 1800 AS a,
  if(number % 7 = 0, NULL, a + 3600 * (12 + number % 60)),
  if(c = 'globex', 'CANARY-depot', ['Lyon', 'Graz', 'Porto'][number % 4 % 3 + 1]),
  if(c = 'globex', 'CANARY-carrier', ['rail', 'road', 'air'][number % 5 % 3 + 1]),
  multiIf(number % 35 = 0, 'lost', number % 7 = 0, 'moving', 'delivered'),
  toDecimal64(number % 40, 3) / 4 + 0.125, toDecimal64(number % 90, 2) + 4.9, 77.77,
  if(c = 'globex', concat('CANARY', toString(number), '@globex.example'), concat('person', toString(number % 25), '@mail.example')),
  map('priority', if(number % 6 = 0, 'express', 'standard'), 'channel', if(number % 4 = 0, 'web', 'phone')),
  multiIf(c = 'globex', 'CANARY-remark', number % 50 = 0, 'Leave at the door', number % 30 = 0, 'Fragile', '')
FROM numbers(600);
CREATE TABLE fleet.scans
(
  client LowCardinality(String), barcode UInt64, scanned DateTime64(3, 'UTC'), level Enum8('info' = 1, 'warning' = 2, 'error' = 3),
  message String, detail JSON
)
ENGINE = MergeTree ORDER BY (client, scanned);
INSERT INTO fleet.scans
SELECT
  if(intDiv(number, 2) % 3 = 2, 'globex', 'acme') AS c, 9007199254740993 + intDiv(number, 2),
  toDateTime64('2024-03-01 06:00:00', 3, 'UTC') + number * 900,
  multiIf(number % 20 = 0, 'error', number % 9 = 0, 'warning', 'info'),
  if(c = 'globex', 'CANARY-message', multiIf(number % 20 = 0, 'label unreadable', number % 9 = 0, 'weight differs', 'scanned')),
  if(c = 'globex', '{"device":{"id":"CANARY"},"CANARY_path":1}',
    concat('{"device":{"id":"d', toString(number % 5), '","battery":', toString(20 + number % 80), '},"code":', toString(100 + number % 3), '}'))::JSON
FROM numbers(1200);
CREATE TABLE fleet.feedback (client String, at DateTime, author String, text String) ENGINE = MergeTree ORDER BY (client, at);
CREATE TABLE fleet.secrets (name String) ENGINE = MergeTree ORDER BY name;
INSERT INTO fleet.secrets VALUES ('CANARY-secret');
