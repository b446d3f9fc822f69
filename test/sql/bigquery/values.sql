CREATE DATABASE shapes;

-- Rows with and without NULL, of the types that other people's tables have.
CREATE TABLE shapes.facts (
  id UInt32,
  i Int64,
  ni Nullable(Int64),
  f Float64,
  nf Nullable(Float64),
  s String,
  ns Nullable(String),
  b Bool,
  nb Nullable(Bool),
  d Date,
  old Date32,
  ny DateTime('America/New_York'),
  ts DateTime64(6, 'UTC'),
  nts Nullable(DateTime64(6, 'UTC')),
  xs Array(Nullable(Int64)),
  ss Array(String)
) ENGINE = MergeTree ORDER BY id;

INSERT INTO shapes.facts VALUES
  (1, 10, 1, 0.5, 1.5, 'a', 'x', true, true, '2024-05-01', '1900-01-01', toDateTime('2024-03-10 01:30:00', 'America/New_York'), '1960-05-06 07:08:09', '1960-05-06 07:08:09', [1, NULL, 3], ['p', 'q']),
  (2, 20, NULL, -0.5, NULL, 'b', NULL, false, NULL, '2024-05-02', '1950-06-15', toDateTime('2024-03-10 03:30:00', 'America/New_York'), '2024-05-01 10:20:00.25', NULL, [], []),
  (3, 30, 3, 2.5, 2.5, '', '', true, false, '1970-01-01', '2200-12-31', toDateTime('2024-11-03 01:30:00', 'America/New_York'), '2200-01-02 03:04:05.678901', '2200-01-02 03:04:05.678901', [NULL], ['', 'é']),
  (4, 20, 1, 2.5, NULL, 'é', 'X', false, true, '2024-12-31', '2024-02-29', toDateTime('2024-12-31 23:59:59', 'America/New_York'), '1999-12-31 23:59:59.999999', '1999-12-31 23:59:59.999999', [5, 5], ['z']);

CREATE TABLE shapes.nothing (id UInt32, i Int64, ni Nullable(Int64), s String, ns Nullable(String), b Bool, f Float64, d Date) ENGINE = MergeTree ORDER BY id;

-- The least and the greatest of integers of fewer bits, which are all INT64 in BigQuery.
CREATE TABLE shapes.small (id UInt32, t Int8, u Int16, w Int32, ut UInt8, uw UInt32, q UInt64, nt Nullable(Int8)) ENGINE = MergeTree ORDER BY id;
INSERT INTO shapes.small VALUES (1, -128, -32768, -2147483648, 0, 0, 0, -128), (2, 127, 32767, 2147483647, 255, 4294967295, 9223372036854775807, NULL);
