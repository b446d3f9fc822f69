CREATE DATABASE IF NOT EXISTS analytics;

CREATE OR REPLACE TABLE analytics.events (
  tenant LowCardinality(String),
  timestamp DateTime64(3),
  event LowCardinality(String),
  user_id String,
  properties Map(LowCardinality(String), String)
) ENGINE = MergeTree ORDER BY (tenant, event, timestamp);
