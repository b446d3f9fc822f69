CREATE DATABASE logs;
CREATE TABLE logs.requests (time DateTime, project String, path String, bytes UInt32, ms Float64) ENGINE = MergeTree ORDER BY (project, time);
INSERT INTO logs.requests SELECT toDateTime('2026-01-01 00:00:00', 'UTC') + number, toString(number % 2), '/', number, 1 FROM numbers(7200);
