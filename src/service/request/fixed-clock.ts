// Statements with a frozen clock, for calls whose results must not depend on when they are made.
import type { Engine, Statement } from '../engine/engine.ts';
import { fixClock } from '../../sql/clickhouse/fixed-clock.ts';
import { quoteIdentifier } from '../../sql/clickhouse/literal.ts';

/**
 * The statement with every time function replaced by `now` (milliseconds since 1970). Not covered: what the engine evaluates outside
 * the statement, such as views, default expressions of columns and dictionaries.
 */
export async function atTime(
  now: number,
  statement: Statement,
  engine: Pick<Engine, 'describe'>,
): Promise<Statement> {
  const fixed = { ...statement, sql: fixClock(statement.sql, now) };
  return fixed.sql === statement.sql ? statement : keepNames(engine, statement, fixed);
}

/** Restores the names of unaliased columns: they are named after their expression, which has changed. */
async function keepNames(
  engine: Pick<Engine, 'describe'>,
  original: Statement,
  fixed: Statement,
): Promise<Statement> {
  const described = await Promise.all([engine.describe(original), engine.describe(fixed)]).catch(() => []); // running the statement reports the error
  const [before = [], after = []] = described;
  if (before.every(({ name }, index) => name === after[index]?.name)) return fixed;
  const names = before.map(
    ({ name }, index) => `${quoteIdentifier(after[index]?.name ?? name)} AS ${quoteIdentifier(name)}`,
  );
  return { ...fixed, sql: `SELECT ${names.join(', ')}\nFROM (\n${fixed.sql}\n)` };
}
