// Measures the tables of a server for `millrace schema pull --statistics`.
import { join } from 'node:path';
import { replaceFile } from '../../../service/config/replace-file.ts';
import { EngineError, type Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import { visible } from '../../../service/observe/visible-text.ts';
import { quoteIdentifier } from '../../../sql/clickhouse/literal.ts';
import { isTime, namedIn, type KeyColumn } from '../../cost/key-values.ts';
import { readStored, storedSizes, type StoredTable } from '../../cost/scaled-tables.ts';
import {
  printStatistics,
  STATISTICS_FILE,
  type ColumnStatistics,
  type TableStatistics,
} from '../../cost/statistics.ts';
import { count } from '../../findings/findings.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { isPrivate, readPrivate, type PrivateOptions } from './private-columns.ts';

export interface MeasureOptions extends PrivateOptions {
  readonly out: string;
  /** These tables are measured; their names are `database.name`. */
  readonly tables: ReadonlySet<string>;
}

/** Writes the file of statistics. Rejects with EngineError if the server cannot be queried. */
export async function measure(engine: Engine, options: MeasureOptions, terminal: Terminal): Promise<void> {
  const { out, tables } = options;
  const { statistics } = await storedSizes(engine);
  const hidden = await readPrivate(options);
  const measured = new Map<string, TableStatistics>();
  for (const table of await readStored(engine)) {
    const name = `${table.database}.${table.name}`;
    const size = statistics.get(name);
    if (size === undefined || !tables.has(name)) continue;
    terminal.progress(`Measuring ${visible(name)}`);
    const left = table.columns.flatMap(namedIn).filter((column) => isPrivate(column.name, hidden));
    if (left.length > 0)
      terminal.note(
        visible(
          `The values of ${left.map((column) => column.name).join(', ')} in ${name} are not counted, since they are personal data or tenants: write \`distinct\` yourself for better estimates`,
        ),
      );
    const counted = await countValues(engine, table, hidden).catch((cause: unknown) => {
      if (!(cause instanceof EngineError)) throw cause;
      terminal.note(visible(`The values of ${name} were not counted: ${cause.message}`));
      return new Map<string, ColumnStatistics>();
    });
    const columns = [...new Set([...size.columns.keys(), ...counted.keys()])]
      .filter((column) => !isPrivate(column, hidden))
      .map((column) => [column, { ...size.columns.get(column), ...counted.get(column) }] as const);
    measured.set(name, { rows: size.rows, columns: new Map(columns) });
  }
  terminal.progress('');
  const path = join(out, STATISTICS_FILE);
  await replaceFile(path, printStatistics(measured), 0o644);
  terminal.print(`written ${path}: the sizes of ${count(measured.size, 'table')}`);
}

/** These limits are enough to read the columns of keys and indexes once. */
const LIMITS = { time: 120, memory: 2 ** 31, readRows: 0, resultBytes: 2 ** 20 };

async function countValues(
  engine: Engine,
  { database, name, columns }: StoredTable,
  hidden: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ColumnStatistics>> {
  const named = columns.flatMap(namedIn).filter((column) => !isPrivate(column.name, hidden));
  if (named.length === 0) return new Map();
  const from = `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
  const [row] = await readRows(engine, `SELECT ${named.map(measureOf).join(', ')} FROM ${from}`, {
    limits: LIMITS,
  });
  const values = row as readonly number[]; // a count or a number of seconds for each
  return new Map(
    named.map((column, at) => {
      const value = Math.max(0, values[at] ?? 0);
      return [column.name, isTime(column) ? { seconds: value } : { distinct: Math.max(1, value) }];
    }),
  );
}

function measureOf(column: KeyColumn): string {
  const name = quoteIdentifier(column.name);
  return isTime(column)
    ? `toInt64(ifNull(dateDiff('second', min(${name}), max(${name})), 0))`
    : `uniq(${name})`;
}
