// Finds queries without a time condition on tables that are partitioned or sorted by time.
import type { Engine } from '../engine/engine.ts';
import { readRows } from '../engine/rows.ts';
import type { Token } from '../sql/lexer.ts';
import { identifierName } from '../sql/literal.ts';
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

/** Reads of such tables whose SELECT has no condition on that column. */
export function findUnbounded(analysis: Analysis, timeColumns: TimeColumns): readonly RuleFinding[] {
  return overVariants(analysis, (variant) => unboundedIn(variant, timeColumns));
}

function unboundedIn(analysis: Analysis, timeColumns: TimeColumns): readonly RuleFinding[] {
  const { sql, tokens } = analysis.bound;
  const textOf = (index: number): string => sql.slice(tokens[index]?.start, tokens[index]?.end);
  return tokens.flatMap((token, index): RuleFinding[] => {
    if (!/^(from|join)$/i.test(textOf(index)) || tokens[index + 2]?.kind !== '.') return [];
    const table = `${identifierName(textOf(index + 1))}.${identifierName(textOf(index + 3))}`;
    const column = timeColumns.get(table);
    if (column === undefined || conditionNames(tokens, index, textOf).has(column)) return [];
    return [
      {
        code: 'lint.no_time_bound',
        severity: 'warning',
        ...analysis.inBound(tokens[index + 1]?.start ?? token.start),
        message: `${table} is partitioned or sorted by ${column}, but read without a condition on it`,
        hint: `Add a condition on ${column}`,
      },
    ];
  });
}

const ENDS = /^(group|order|limit|union|intersect|except|settings|window|qualify)$/i;

/** The names after WHERE and PREWHERE in the SELECT that contains a token, up to its end. */
function conditionNames(
  tokens: readonly Token[],
  from: number,
  textOf: (index: number) => string,
): ReadonlySet<string> {
  const names = new Set<string>();
  let depth = 0;
  let isCondition = false;
  for (let i = from + 1; i < tokens.length; i++) {
    const kind = tokens[i]?.kind;
    if (kind === '(') depth++;
    if (kind === ')' && depth-- === 0) break;
    const text = textOf(i);
    if (depth === 0 && kind === 'word' && ENDS.test(text)) break;
    if (depth === 0 && /^(pre)?where$/i.test(text)) isCondition = true;
    const name = kind === 'word' || kind === 'quoted' ? identifierName(text) : undefined;
    if (isCondition && name !== undefined) names.add(name);
  }
  return names;
}
