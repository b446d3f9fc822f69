// Columns with many values that conditions compare with one of them, in tables that have no key or index for them.
import { quoteIdentifier } from '../../../../sql/clickhouse/literal.ts';
import type { Node } from '../../../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, conjunctsOf, namesOf, partOf } from '../../../../sql/clickhouse/tree/visit.ts';
import type { ChangeKind, ChangeSubject, ReadTable } from '../change.ts';
import { columnName, comparedOf, listedStrings } from '../subject.ts';

/** An index is proposed for a column with so many values that most granules have none of them; a projection for one with fewer. */
const VALUES_FOR_INDEX = 65_536;
const VALUES_FOR_PROJECTION = 1_000;

export const INDEXES: ChangeKind = {
  name: 'indexes',
  *propose(subject) {
    for (const select of nodesOf(subject.tree.root, 'select')) {
      const [source, ...joined] = partOf(select, 'from')?.parts ?? [];
      const [stored] = source?.parts ?? [];
      if (stored?.kind !== 'table' || joined.length > 0 || partOf(select, 'where') === undefined) continue;
      const name = namesOf(subject.tree, stored).join('.');
      const table = subject.tables.find((each) => each.name === name);
      const conditions = partOf(select, 'where')?.parts.flatMap(conjunctsOf) ?? [];
      if (table === undefined || conditions.some((each) => usesKey(subject, table, each))) continue;
      for (const condition of conditions) {
        const column = equalColumn(subject, condition);
        const part = column === undefined ? undefined : partFor(table, column);
        if (column === undefined || part === undefined) continue;
        yield {
          code: 'cost.index',
          at: condition,
          reason: `no key or index of ${table.name} selects by ${column}`,
          edits: [],
          part,
        };
      }
    }
  },
};

function usesKey(subject: ChangeSubject, { keyColumns }: ReadTable, condition: Node): boolean {
  return nodesOf(condition, 'column').some((column) => keyColumns.has(columnName(subject, column) ?? ''));
}

/** Returns the column of `column = constant`, and of `column IN ('a', 'b')`. */
function equalColumn(subject: ChangeSubject, condition: Node): string | undefined {
  const compared = comparedOf(subject, condition);
  if (compared !== undefined)
    return compared.operator === '=' ? columnName(subject, compared.left) : undefined;
  return columnName(subject, listedStrings(subject, condition)?.left);
}

function partFor({ name: table, columns, rows, distinct, indexed, sortingKey }: ReadTable, column: string) {
  const type = columns.get(column);
  const values = distinct.get(column) ?? (type?.name === 'UUID' ? rows : 0);
  if (type === undefined || indexed.has(column) || values < VALUES_FOR_PROJECTION) return undefined;
  const name = `by_${column.replaceAll(/\W/g, '_')}`;
  const quoted = /^[A-Za-z_]\w*$/.test(column) ? column : quoteIdentifier(column);
  if (values >= VALUES_FOR_INDEX)
    return { table, kind: 'INDEX', name, definition: `${quoted} TYPE bloom_filter GRANULARITY 1` } as const;
  const order = sortingKey === '' ? quoted : `${quoted}, ${sortingKey}`;
  return { table, kind: 'PROJECTION', name, definition: `(SELECT * ORDER BY ${order})` } as const;
}
