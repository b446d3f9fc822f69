-- The rows of all nine tables once more, in the shape that collectors and newer log products use.
--
-- Paths of metadata become keys, values their text. A typed path that is null has the text of NULL, and is left out; an
-- untyped one has no key. severity_text is the level of the event, or follows from the status of the response.

INSERT INTO logs.all_logs (project, source, timestamp, id, event_message, severity_text, log_attributes)
WITH
    metadata -> mapFilter((path, value) -> value != 'ᴺᵁᴸᴸ',
        mapFromArrays(JSONAllPaths(metadata), JSONAllValues(metadata))) AS attributes,
    status -> multiIf(status < 400, 'INFO', status < 500, 'WARN', 'ERROR') AS by_status,
    level -> if(level = 'warning', 'WARN', upper(level)) AS by_level
SELECT project, 'edge_logs', timestamp, id, event_message, by_status(metadata.response.status_code), attributes(metadata)
FROM logs.edge_logs

UNION ALL

SELECT project, 'database_logs', timestamp, id, event_message, metadata.parsed.error_severity, attributes(metadata)
FROM logs.database_logs

UNION ALL

SELECT metadata.project_ref, 'function_edge_logs', timestamp, id, event_message, by_status(metadata.response.status_code), attributes(metadata)
FROM logs.function_edge_logs

UNION ALL

SELECT metadata.project_ref, 'function_logs', timestamp, id, event_message, by_level(metadata.level), attributes(metadata)
FROM logs.function_logs

UNION ALL

SELECT project, 'auth_logs', timestamp, id, event_message, by_level(metadata.level), attributes(metadata)
FROM logs.auth_logs

UNION ALL

SELECT metadata.project, 'realtime_logs', timestamp, id, event_message, by_level(metadata.level), attributes(metadata)
FROM logs.realtime_logs

UNION ALL

SELECT metadata.project, 'storage_logs', timestamp, id, event_message, by_level(metadata.level), attributes(metadata)
FROM logs.storage_logs

UNION ALL

SELECT project, 'rest_api_logs', timestamp, id, event_message, by_level(metadata.level), attributes(metadata)
FROM logs.rest_api_logs

UNION ALL

SELECT project, 'connection_pooler_logs', timestamp, id, event_message, by_level(metadata.level), attributes(metadata)
FROM logs.connection_pooler_logs
-- Smaller blocks than the default: rows of maps take much memory while they are sorted.
SETTINGS min_insert_block_size_bytes = 67108864;
