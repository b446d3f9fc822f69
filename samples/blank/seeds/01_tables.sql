CREATE DATABASE IF NOT EXISTS app;

CREATE OR REPLACE TABLE app.measurements (
  timestamp DateTime,
  name LowCardinality(String),
  value Float64
) ENGINE = MergeTree ORDER BY (name, timestamp);
