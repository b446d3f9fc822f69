CREATE TABLE sales.orders (id UInt64, status String, total Decimal(10, 2), ordered_on Date, created_at DateTime)
ENGINE = MergeTree ORDER BY id;