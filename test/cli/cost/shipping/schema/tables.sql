CREATE DATABASE ship;

CREATE TABLE ship.scans
(
  carrier LowCardinality(String),
  at DateTime('UTC'),
  parcel UInt64,
  depot String,
  state Enum8('in' = 1, 'out' = 2, 'lost' = 3),
  grams Nullable(UInt32),
  label UUID,
  worker String,
  doc JSON(kind String, `device.maker` String, note String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (carrier, at, parcel);

CREATE TABLE ship.parcels
(
  parcel UInt64,
  created Date,
  customer String,
  city LowCardinality(String),
  price Decimal(12, 2)
)
ENGINE = MergeTree ORDER BY parcel;

CREATE TABLE ship.depots
(
  depot String,
  country LowCardinality(String),
  name String
)
ENGINE = MergeTree ORDER BY depot;

CREATE TABLE ship.routes
(
  depot String,
  day Date,
  stops UInt16,
  driver String,
  version UInt32
)
ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(day) ORDER BY (depot, day);

CREATE TABLE ship.bins (bin UInt32, depot String) ENGINE = MergeTree ORDER BY bin;

CREATE TABLE ship.frames (at DateTime64(3, 'Asia/Kolkata'), big UInt64, size Nullable(UInt8)) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (at, big);

CREATE TABLE ship.logins (at DateTime('UTC'), worker String) ENGINE = MergeTree ORDER BY at;
