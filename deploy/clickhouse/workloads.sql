-- ClickHouse server: workloads, for endpoint files with a `reservation`. Names and weights are an example;
-- `millrace capacity` prints the statements that your endpoint files need.
CREATE RESOURCE IF NOT EXISTS cpu (MASTER THREAD, WORKER THREAD);
CREATE WORKLOAD IF NOT EXISTS all;
CREATE WORKLOAD IF NOT EXISTS background IN all SETTINGS weight = 1;
CREATE WORKLOAD IF NOT EXISTS reports IN all SETTINGS weight = 4;
