SELECT id,
  status IS JSON AS j
FROM orders