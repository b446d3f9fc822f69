// Finds queries without a time condition on tables that are partitioned or sorted by time.
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import { createCursor, type Cursor } from '../sql/cursor.ts';
import type { Analysis, RuleFinding } from './analysis.ts';
import { overVariants } from './variant-findings.ts';

/** By `database.table`: the time column that its rows are partitioned or sorted by. */
export type TimeColumns = ReadonlyMap<string, string>;

const SQL = `SELECT database || '.' || table AS qualified, any(name) AS time_column FROM system.columns
WHERE (is_in_partition_key OR is_in_sorting_key) AND match(type, '^(Nullable\\\\()?Date') AND database NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')
GROUP BY database, table`;

/** Queries an engine that has the tables. */
export async function readTimeColumns(engine: Engine): Promise<TimeColumns> {
  const rows = await readRows(engine, `SELECT * FROM (\n${SQL}\n)`);
  return new Map(rows as readonly [string, string][]); // two string columns, selected above
}

/** Reads of such tables whose SELECT has no condition on that column, or has one only in calls with an optional parameter. */
export function findUnbounded(analysis: Analysis, timeColumns: TimeColumns): readonly RuleFinding[] {
  return overVariants(analysis, (variant) => unboundedIn(variant, timeColumns));
}

function unboundedIn(analysis: Analysis, timeColumns: TimeColumns): readonly RuleFinding[] {
  const query = createCursor(analysis.bound.sql, analysis.bound.tokens);
  const isOptional = (name: string): boolean => analysis.parameters.get(name)?.absent === null;
  const findings: RuleFinding[] = [];
  const reported = new Set<string>();
  for (const index of query.tokens.keys()) {
    if (!/^(?:FROM|JOIN)$/.test(query.word(index) ?? '') || query.kind(index + 2) !== '.') continue;
    const table = `${query.name(index + 1)}.${query.name(index + 3)}`;
    const column = timeColumns.get(table);
    if (column === undefined) continue;
    const { always, optional } = conditionNames(query, index, isOptional);
    if (always.has(column)) continue;
    const parameter = optional.get(column);
    if (parameter === undefined) findings.push(unbounded(analysis, query.start(index + 1), table, column));
    else if (!reported.has(parameter)) findings.push(optionallyBounded(parameter, table, column));
    if (parameter !== undefined) reported.add(parameter);
  }
  return findings;
}

function unbounded({ inBound }: Analysis, start: number, table: string, column: string): RuleFinding {
  return {
    code: 'lint.no_time_bound',
    severity: 'warning',
    ...inBound(start),
    message: `${table} is partitioned or sorted by ${column}, but read without a condition on it`,
    hint: `Add a condition on ${column}`,
  };
}

/** One for each parameter, whatever tables it bounds. */
function optionallyBounded(parameter: string, table: string, column: string): RuleFinding {
  return {
    code: 'lint.optional_time_bound',
    severity: 'warning',
    path: ['parameters', parameter],
    onKey: true,
    message: `calls without ${parameter} read all of ${table}, which is partitioned or sorted by ${column}`,
    hint: `Give ${parameter} a default, such as now-24h, or set required: true`,
  };
}

const ENDS = /^(?:GROUP|ORDER|LIMIT|UNION|INTERSECT|EXCEPT|SETTINGS|WINDOW|QUALIFY)$/;

interface ConditionNames {
  readonly always: ReadonlySet<string>;
  /** The names in conditions that hold in calls without a parameter, with that parameter. */
  readonly optional: ReadonlyMap<string, string>;
}

/** The names after WHERE and PREWHERE in the SELECT that contains a token, up to its end. */
function conditionNames(query: Cursor, from: number, isOptional: (name: string) => boolean): ConditionNames {
  const always = new Set<string>();
  const optional = new Map<string, string>();
  let depth = 0;
  let isCondition = false;
  for (let at = from + 1; at < query.length; at++) {
    const parameter = isCondition ? optionalCondition(query, at) : undefined;
    if (parameter !== undefined && isOptional(parameter)) {
      const end = query.closing(at);
      for (const name of namesBetween(query, at, end)) optional.set(name, optional.get(name) ?? parameter);
      at = end;
      continue;
    }
    const kind = query.kind(at);
    if (kind === '(') depth++;
    if (kind === ')' && depth-- === 0) break;
    const word = query.word(at) ?? '';
    if (depth === 0 && ENDS.test(word)) break;
    if (depth === 0 && /^(?:PRE)?WHERE$/.test(word)) isCondition = true;
    const name = query.name(at);
    if (isCondition && name !== undefined) always.add(name);
  }
  return { always, optional };
}

function namesBetween(query: Cursor, from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => query.name(from + index) ?? '');
}

/** The parameter of `({parameter:Type} IS NULL OR …)`, or with the condition first; undefined for anything else. */
function optionalCondition(query: Cursor, open: number): string | undefined {
  if (query.kind(open) !== '(') return undefined;
  const close = query.closing(open);
  for (let at = open + 1; at < close; at = query.after(at)) {
    const next = query.after(at);
    const isNull = query.kind(at) === '{' && query.word(next) === 'IS' && query.word(next + 1) === 'NULL';
    const isWhole = query.word(next + 2) === 'OR' || query.word(at - 1) === 'OR';
    if (isNull && isWhole) return query.text(at + 1);
  }
  return undefined;
}
