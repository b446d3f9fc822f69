// The statement of an export in a columnar format, which the engine writes itself: with the same types as the files of calls.
import { quoteIdentifier, quoteString } from '../../sql/clickhouse/literal.ts';
import { Problem } from '../../sql/base/problem.ts';
import type { Column, Statement } from '../engine/engine.ts';
import type { Plan } from '../request/plan.ts';
import { fileType } from '../request/formats/columnar.ts';

/** The columns of a result, of which no two have the same name. Throws Problem. */
export function columnarStatement(
  plan: Pick<Plan, 'admitted'>,
  statement: Statement,
  columns: readonly Column[],
): Statement {
  if (new Set(columns.map(({ name }) => name)).size < columns.length)
    throw new Problem('format.not_acceptable', SAME_NAMES);
  const list = columns.map(({ name, type }) => {
    const column = quoteIdentifier(name);
    const inFile = fileType(type);
    return inFile === type ? column : `CAST(${column}, ${quoteString(inFile)}) AS ${column}`;
  });
  const sql = `SELECT ${list.join(', ')} FROM (\n${statement.sql}\n)`;
  return {
    ...statement,
    sql: hidesRows(plan, statement) ? `SELECT * FROM (\n${sql}\n) ORDER BY rowNumberInAllBlocks()` : sql,
  };
}

const SAME_NAMES = {
  detail: 'Two columns of the result have the same name',
  hint: 'Give each column of the result another name, with AS, or ask for csv or ndjson.',
};

/**
 * Files have rows in groups, which the engine makes of the blocks that it reads: their sizes depend on rows that the caller does not
 * see. Sorting the rows by their position makes blocks of the result alone. A saved query whose caller chooses all of its rows has no
 * such rows.
 */
function hidesRows(
  { admitted: { endpoint, principal } }: Pick<Plan, 'admitted'>,
  { origin }: Statement,
): boolean {
  return origin === 'consumer' || endpoint.tenant !== undefined || principal.locked.size > 0;
}
