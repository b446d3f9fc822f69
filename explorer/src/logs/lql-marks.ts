// Finds mistakes in LQL as it is typed, with the parser and the columns of the table, before the service is asked.
import { isFault, type LqlFinding } from '../../../src/sql/lql/finding.ts';
import { parse, partsOf } from '../../../src/sql/lql/parse.ts';
import { createResolver } from '../../../src/sql/lql/resolve.ts';
import type { Table } from '../service/listing.ts';

/** The findings in the order of their places. Types are left to the service. */
export function marksOf(lql: string, table: Table | undefined): readonly LqlFinding[] {
  const parsed = parse(lql);
  const resolve = table && createResolver(table, table.name);
  const unknown = partsOf(lql).flatMap(({ clause }) => {
    const path = clause !== undefined && 'path' in clause ? clause.path : undefined;
    const found = path && resolve?.(path);
    return found !== undefined && isFault(found) ? [found] : [];
  });
  const findings = 'findings' in parsed ? parsed.findings : [];
  return [...findings, ...unknown].toSorted((a, b) => a.start - b.start);
}

/** Leaves out findings at the cursor: the text there is not complete yet. */
export function settledMarks(
  marks: readonly LqlFinding[],
  cursor: number | undefined,
): readonly LqlFinding[] {
  return marks.filter(({ start, end }) => cursor === undefined || cursor < start || cursor > end);
}
