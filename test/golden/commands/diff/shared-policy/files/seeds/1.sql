CREATE DATABASE IF NOT EXISTS shop;
CREATE TABLE shop.orders (tenant String, id UInt64, price Decimal(18, 2), at DateTime) ENGINE = MergeTree ORDER BY (tenant, at);
