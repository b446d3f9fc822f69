CREATE DATABASE IF NOT EXISTS shop;
CREATE TABLE shop.users (id UInt64, email String, hidden UInt8, name String, masked String MATERIALIZED cityHash64(email), short String ALIAS lower(left(email, 1))) ENGINE = MergeTree ORDER BY id;
CREATE VIEW shop.v AS SELECT id, masked, short FROM shop.users WHERE hidden = 0;
CREATE DICTIONARY shop.names (id UInt64, name String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT id, name FROM shop.users ')) LAYOUT(FLAT()) LIFETIME(60);
