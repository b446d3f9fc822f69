// The keywords of clauses and operators, in one table, with what each of them cannot be or where it can stand.

/**
 * `value`: it begins no value. `alias`: it is no alias without AS. `call`: it names no function, though parentheses follow. `query`: it
 * follows a query in parentheses. `items`: it follows the select list.
 */
type Role = 'value' | 'alias' | 'call' | 'query' | 'items';

/** The roles of each keyword. */
const KEYWORDS: Readonly<Record<string, string>> = {
  SELECT: 'value alias call',
  FROM: 'value alias call items',
  WHERE: 'value alias call items',
  GROUP: 'value alias',
  HAVING: 'value alias call',
  QUALIFY: 'alias',
  WINDOW: 'alias',
  ORDER: 'value alias query items',
  LIMIT: 'value alias query items',
  FETCH: 'alias query',
  UNION: 'value alias call query items',
  INTERSECT: 'value alias query',
  EXCEPT: 'value alias query',
  MINUS: 'alias query',
  INTO: 'alias',
  FOR: 'alias',
  ON: 'value alias call',
  USING: 'value alias call',
  JOIN: 'value alias',
  LEFT: 'alias',
  RIGHT: 'alias',
  FULL: 'alias',
  INNER: 'alias',
  CROSS: 'alias',
  NATURAL: 'alias',
  OUTER: 'alias',
  LATERAL: 'alias',
  STRAIGHT_JOIN: 'alias',
  TABLESAMPLE: 'alias',
  WITH: 'alias',
  AND: 'value alias call',
  OR: 'value alias call',
  THEN: 'value alias call',
  WHEN: 'value alias call',
  ELSE: 'value alias call',
  END: 'value alias',
  AS: 'value alias call',
  IS: 'value alias',
  IN: 'value alias call',
  NOT: 'alias call',
  LIKE: 'value alias',
  BETWEEN: 'value alias',
  CASE: 'value alias',
  BY: 'value alias call',
  OVER: 'call',
  OFFSET: 'query',
};

/** The keywords with a role. */
export function keywordsThat(role: Role): ReadonlySet<string> {
  const known = Object.entries(KEYWORDS).filter(([, roles]) => roles.split(' ').includes(role));
  return new Set(known.map(([word]) => word));
}
