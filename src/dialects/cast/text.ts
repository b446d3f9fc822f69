// Numbers as strings.
import { sql, type Sql } from '../sql.ts';

/** A Float64 as BigQuery prints it: with 15 digits, or with 17 if 15 denote another number. */
export function floatText(own: Sql): Sql {
  // Adding zero takes away the sign of zero.
  const number = sql`(toFloat64(${own}) + 0)`;
  const short = sql`printf('%.15g', ${number})`;
  return sql`if(toFloat64(${short}) = ${number} OR isNaN(${number}), ${short}, printf('%.17g', ${number}))`;
}

/** A Float64 as SQLite prints it: with 15 digits, and a point. */
export function realText(own: Sql): Sql {
  return sql`replaceRegexpOne(printf('%.15g', toFloat64(${own})), '^(-?[0-9]+)(e|$)', '\\\\1.0\\\\2')`;
}
