CREATE DATABASE iot;

CREATE TABLE iot.readings
(
  site LowCardinality(String),
  device UInt32,
  metric LowCardinality(String),
  ts DateTime64(3, 'UTC'),
  value Decimal(18, 4),
  quality Nullable(UInt8),
  tags Map(LowCardinality(String), String),
  extra JSON(firmware String, `battery.level` UInt8),
  trace String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(ts) ORDER BY (site, toStartOfHour(ts), device, ts);

CREATE TABLE iot.devices
(
  device UInt32,
  site LowCardinality(String),
  serial String,
  model LowCardinality(String),
  installed Date,
  price Decimal(10, 2),
  labels Array(String)
)
ENGINE = MergeTree ORDER BY device;

CREATE TABLE iot.alarms
(
  device UInt32,
  raised DateTime('UTC'),
  level Enum8('info' = 1, 'warn' = 2, 'fatal' = 3),
  message String,
  version UInt32
)
ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(raised) ORDER BY (raised, device);

CREATE TABLE iot.tariffs (code FixedString(6), since Date, rate Decimal(9, 5)) ENGINE = MergeTree ORDER BY (code, since);
