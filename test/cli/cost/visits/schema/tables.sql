CREATE DATABASE office;

CREATE TABLE office.visits
(
  site String,
  door LowCardinality(String),
  at DateTime('UTC'),
  `notes.key` Array(String),
  `notes.value` Array(String),
  badge String,
  INDEX by_badge badge TYPE bloom_filter GRANULARITY 1
)
ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (site, toDate(at));

CREATE TABLE office.alarms (raised DateTime('UTC'), level LowCardinality(String)) ENGINE = MergeTree ORDER BY raised;
