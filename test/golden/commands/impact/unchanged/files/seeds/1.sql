CREATE DATABASE IF NOT EXISTS shop;
CREATE TABLE shop.orders (tenant String, id UInt64, at DateTime, total Decimal(10, 2), status String) ENGINE = MergeTree ORDER BY at;
