CREATE DATABASE IF NOT EXISTS logs;
CREATE TABLE logs.t (project String, time DateTime, level UInt8, message String) ENGINE = MergeTree ORDER BY time;
INSERT INTO logs.t VALUES ('abc', now(), 1, 'never loaded');
