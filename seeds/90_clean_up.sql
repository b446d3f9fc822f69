-- The scaffolding is no longer needed: what stays is the database of logs.

DROP DATABASE sample SYNC;
