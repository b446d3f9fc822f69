CREATE DATABASE shop;
CREATE TABLE shop.buyers (tenant String, id UInt64, name String, email String) ENGINE = MergeTree ORDER BY id;