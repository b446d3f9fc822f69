// Finds queries without a time condition on tables that are partitioned or sorted by time.
import type { Codes, PathFinding } from '../../../sql/base/finding.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import type { Node, Tree } from '../../../sql/clickhouse/tree/nodes.ts';
import { nodesOf, nameOf, namesOf, partOf, spanOf, wordOf } from '../../../sql/clickhouse/tree/visit.ts';
import type { Analysis } from '../../../service/endpoints/analysis.ts';
import { overVariants } from '../../../service/endpoints/variant-findings.ts';
import { isDate, isDateTime, plainTypeOf } from '../../../sql/types/traits.ts';

export const TIME_BOUND_CODES: Codes = {
  'lint.optional_time_bound': {
    title: 'A bound in time that calls may leave out',
    help: 'Without the parameter, the condition on the time column is true for all rows, and the call reads the whole table. A default such as now-24h bounds it. If that is what you want, write # millrace-ignore: lint.optional_time_bound above the parameter.',
  },
  'lint.no_time_bound': {
    title: 'Table read without a time bound',
    help: 'A condition on its time column lets the engine skip older data.',
  },
};

export interface TimeColumn {
  /** The rows are partitioned or sorted by it. */
  readonly name: string;
  /** The columns whose values are those of one row, where the time is none of them; none for tables that keep all rows. */
  readonly keys: readonly string[];
}

/** By `database.table`. */
export type TimeColumns = ReadonlyMap<string, TimeColumn>;

/** Leaves out columns that parts merge: a condition on one drops rows before they are merged. */
const SQL = `SELECT database || '.' || table, name, type, is_in_sorting_key ? [] : splitByString(', ', keys) FROM system.columns
LEFT JOIN (SELECT database, name AS table, sorting_key AS keys FROM system.tables WHERE match(engine, 'Replacing|Collapsing|Summing|Aggregating')) AS t USING (database, table)
WHERE (is_in_partition_key OR is_in_sorting_key) AND position(type, 'Date') > 0 AND NOT startsWith(type, 'SimpleAggregateFunction') AND database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')
ORDER BY database, table, position DESC`;

/** Queries an engine that has the tables. */
export async function readTimeColumns(engine: Engine): Promise<TimeColumns> {
  const rows = await readRows(engine, `SELECT * FROM (\n${SQL}\n)`);
  const columns = rows as readonly (readonly [table: string, name: string, type: string, keys: string[]])[]; // as selected above
  return new Map(
    columns.flatMap(([table, name, type, keys]) =>
      isTime(type) ? [[table, { name, keys: keys.filter((key) => key !== '') }] as const] : [],
    ),
  );
}

function isTime(text: string): boolean {
  const type = plainTypeOf(text);
  return isDate(type) || isDateTime(type);
}

/** Reads of such tables whose SELECT has no condition on that column, or has one only in calls with an optional parameter. */
export function findUnbounded(analysis: Analysis, timeColumns: TimeColumns): readonly PathFinding[] {
  return overVariants(analysis, (variant) => unboundedIn(variant, timeColumns));
}

function unboundedIn(analysis: Analysis, timeColumns: TimeColumns): readonly PathFinding[] {
  const { tree } = analysis;
  const isOptional = (name: string): boolean => analysis.parameters.get(name)?.absent === null;
  const findings: PathFinding[] = [];
  const reported = new Set<string>();
  for (const select of nodesOf(tree.root, 'select')) {
    const { always, optional } = conditionNames(tree, select, isOptional);
    for (const node of tablesIn(select)) {
      const table = namesOf(tree, node).join('.');
      const { name: column, keys = [] } = timeColumns.get(table) ?? {};
      if (column === undefined || always.has(column)) continue;
      if (keys.length > 0 && keys.every((key) => always.has(key))) continue;
      const parameter = optional.get(column);
      if (parameter === undefined)
        findings.push(unbounded(analysis, spanOf(tree, node).start, table, column));
      else if (!reported.has(parameter)) findings.push(optionallyBounded(parameter, table, column));
      if (parameter !== undefined) reported.add(parameter);
    }
  }
  return findings;
}

/** The tables of a SELECT itself. */
function tablesIn(select: Node): readonly Node[] {
  const sources = (partOf(select, 'from')?.parts ?? []).flatMap((each) =>
    each.kind === 'join' ? each.parts : [each],
  );
  return sources.flatMap(({ parts: [table] }) => (table?.kind === 'table' ? [table] : []));
}

function unbounded({ inBound }: Analysis, start: number, table: string, column: string): PathFinding {
  return {
    code: 'lint.no_time_bound',
    severity: 'warning',
    ...inBound(start),
    message: `${table} is partitioned or sorted by ${column}, but read without a condition on it`,
    hint: `Add a condition on ${column}`,
  };
}

/** One for each parameter, whatever tables it bounds. */
function optionallyBounded(parameter: string, table: string, column: string): PathFinding {
  return {
    code: 'lint.optional_time_bound',
    severity: 'warning',
    path: ['parameters', parameter],
    onKey: true,
    message: `calls without ${parameter} read all of ${table}, which is partitioned or sorted by ${column}`,
    hint: `Give ${parameter} a default, such as now-24h, or set required: true`,
  };
}

interface ConditionNames {
  readonly always: ReadonlySet<string>;
  /** The names in conditions that hold in calls without a parameter, with that parameter. */
  readonly optional: ReadonlyMap<string, string>;
}

/** The names of columns in WHERE and PREWHERE. */
function conditionNames(tree: Tree, select: Node, isOptional: (name: string) => boolean): ConditionNames {
  const always = new Set<string>();
  const optional = new Map<string, string>();
  const read = (node: Node, given: string | undefined): void => {
    const parameter =
      node.kind === 'or'
        ? node.parts.map((part) => absentIn(tree, part)).find((name) => name !== undefined)
        : undefined;
    const needed = parameter !== undefined && isOptional(parameter) ? parameter : given;
    for (const name of node.kind === 'column' ? namesOf(tree, node) : []) {
      if (needed === undefined) always.add(name);
      else optional.set(name, optional.get(name) ?? needed);
    }
    for (const part of node.parts) read(part, needed);
  };
  for (const part of select.parts)
    if (part.kind === 'where' || part.kind === 'prewhere') read(part, undefined);
  return { always, optional };
}

/** The parameter of `{parameter:Type} IS NULL`. */
function absentIn(tree: Tree, { kind, at, parts: [value] }: Node): string | undefined {
  const isTest = kind === 'test' && value?.kind === 'placeholder' && wordOf(tree, { at: at + 1 }) === 'NULL';
  return isTest ? nameOf(tree, value) : undefined;
}
