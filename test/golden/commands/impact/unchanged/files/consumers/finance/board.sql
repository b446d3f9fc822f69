-- dialect: postgresql
-- endpoint: shop.sales
-- owner: finance | @board
SELECT date_trunc('month', s.day), sum(s.revenue)
FROM "shop.sales" AS s
GROUP BY 1
