CREATE DATABASE pay;
CREATE TABLE pay.payments (shop String, at DateTime('UTC'), amount Decimal(12, 2), card UUID) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (shop, at);
