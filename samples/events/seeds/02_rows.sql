INSERT INTO analytics.events
SELECT
  ['acme', 'globex'][1 + cityHash64(user) % 2] AS tenant,
  now64(3) - toIntervalMinute(number * 3) AS timestamp,
  ['visit', 'visit', 'visit', 'signup', 'signup', 'purchase'][1 + cityHash64(number) % 6] AS event,
  concat('user-', toString(user)) AS user_id,
  map('country', ['DE', 'FR', 'JP', 'US'][1 + user % 4], 'plan', ['free', 'pro'][1 + user % 2]) AS properties
FROM (SELECT number, cityHash64(number, 'user') % 200 AS user FROM numbers(10000));
