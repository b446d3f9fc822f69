-- In development, each day: rows that the sample would not have if it were loaded now.

DELETE FROM logs.edge_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.database_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.function_edge_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.function_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.auth_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.realtime_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.storage_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.rest_api_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.connection_pooler_logs WHERE timestamp < now() - INTERVAL 9 DAY;
DELETE FROM logs.all_logs WHERE timestamp < now() - INTERVAL 9 DAY;
