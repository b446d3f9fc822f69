-- In development, each minute: the rows since the newest one, as they were at the same time of the week, so that the last hour has rows
-- however long ago the sample was loaded. After a break of more than a week, those of the last seven days.

INSERT INTO logs.edge_logs
WITH
    (SELECT max(timestamp) FROM logs.edge_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.edge_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.database_logs
WITH
    (SELECT max(timestamp) FROM logs.database_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.database_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.function_edge_logs
WITH
    (SELECT max(timestamp) FROM logs.function_edge_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.function_edge_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.function_logs
WITH
    (SELECT max(timestamp) FROM logs.function_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.function_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.auth_logs
WITH
    (SELECT max(timestamp) FROM logs.auth_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.auth_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.realtime_logs
WITH
    (SELECT max(timestamp) FROM logs.realtime_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.realtime_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.storage_logs
WITH
    (SELECT max(timestamp) FROM logs.storage_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.storage_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.rest_api_logs
WITH
    (SELECT max(timestamp) FROM logs.rest_api_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.rest_api_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.connection_pooler_logs
WITH
    (SELECT max(timestamp) FROM logs.connection_pooler_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.connection_pooler_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;

INSERT INTO logs.all_logs
WITH
    (SELECT max(timestamp) FROM logs.all_logs) AS newest,
    now64(6, 'UTC') - toIntervalSecond(15) AS until,
    greatest(newest, until - toIntervalDay(7)) AS since,
    toIntervalDay(7 * greatest(1, ceil(dateDiff('second', newest, until) / 604800))) AS shift
SELECT * REPLACE (
    timestamp + shift AS timestamp,
    toString(reinterpretAsUUID(sipHash128(id, shift))) AS id)
FROM logs.all_logs AS past
WHERE past.timestamp > since - shift AND past.timestamp <= until - shift;
