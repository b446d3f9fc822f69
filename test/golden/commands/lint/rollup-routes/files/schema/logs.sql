CREATE DATABASE logs;
CREATE TABLE logs.requests (time DateTime, project String, path String, bytes UInt32, ms Float64) ENGINE = MergeTree ORDER BY (project, time);
CREATE TABLE logs.sums (time DateTime, project String, bytes UInt32) ENGINE = SummingMergeTree ORDER BY (project, time);
