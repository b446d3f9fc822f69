INSERT INTO app.measurements
SELECT
  now() - toIntervalHour(number) AS timestamp,
  ['temperature', 'pressure'][1 + number % 2] AS name,
  round(if(name = 'temperature', 20, 1013) + 3 * sin(number / 4), 1) AS value
FROM numbers(500);
