CREATE DATABASE plant;
CREATE TABLE plant.readings
(
    sensor LowCardinality(String),
    taken DateTime64(3, 'UTC'),
    kind Enum8('heat' = 1, 'flow' = 2),
    place Tuple(hall String, bay UInt8),
    device JSON(maker String),
    serial String,
    value Float64,
    INDEX by_serial serial TYPE bloom_filter GRANULARITY 1,
    PROJECTION by_kind (SELECT kind, count() GROUP BY kind)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(taken) ORDER BY (sensor, taken) TTL toDateTime(taken) + INTERVAL 1 YEAR;
CREATE TABLE plant.halls (id UInt64, version UInt32, hall String, owner Nullable(String))
ENGINE = ReplacingMergeTree(version) ORDER BY (hall, id) SETTINGS index_granularity = 1024;
CREATE TABLE plant.bays (place Tuple(hall String, bay UInt8), device JSON(maker String), note String)
ENGINE = MergeTree ORDER BY (place.hall, device.maker);
CREATE TABLE plant.recent (sensor String) ENGINE = Memory;
CREATE TABLE plant.states (hall String, seen AggregateFunction(uniq, String), level Int8, CONSTRAINT is_low CHECK level < 3)
ENGINE = AggregatingMergeTree ORDER BY (hall, level);
CREATE TABLE plant.notes (note String) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE plant.rejected (hall String, note String) ENGINE = MergeTree ORDER BY ownKey(hall);
CREATE TABLE plant.shifts (kind Enum8('day' = 1, 'night' = 2), at DateTime) ENGINE = MergeTree ORDER BY (kind, toStartOfHour(at));
CREATE TABLE plant.everywhere AS plant.shifts ENGINE = Distributed('all', 'plant', 'shifts', rand());
