// Charts: one aggregate per time bucket, oldest first.
import type { TextSpan } from '../base/finding.ts';
import { numberSql, textSql } from './condition.ts';
import { findingAt, isFault, type Fault, type LqlFinding } from './finding.ts';
import type { FieldExpression } from './resolve.ts';
import type { StatementScope, Shape } from './scope.ts';
import { timeSql } from './time-condition.ts';
import type { Aggregate, AggregateFunction, Bucket, Tree } from './tree.ts';
import { isDateTime } from '../types/traits.ts';
import { parseType } from '../types/type.ts';

/** The columns `timestamp`, the start of the bucket, and `count`, the aggregate. */
export function chartSql(tree: Tree, scope: StatementScope): Shape {
  const aggregate = tree.clauses.find((each): each is Aggregate => each.kind === 'aggregate');
  const period = tree.clauses.find((each): each is Bucket => each.kind === 'bucket')?.period ?? 'minute';
  const charted = tree.clauses.find(({ kind }) => kind === 'aggregate' || kind === 'bucket');
  const time = timestampSql(scope, charted?.span ?? { start: 0, end: 0 });
  const bucket = `toStartOfInterval(${sqlOf(time)}, INTERVAL 1 ${period}, 'UTC')`;
  const count = aggregate === undefined ? 'count()' : aggregateSql(aggregate, scope, sqlOf(time));
  return {
    columns: `${bucket} AS \`timestamp\`, ${sqlOf(count)} AS \`count\``,
    ending: [`GROUP BY ${bucket}`, `ORDER BY ${bucket} ASC`],
    findings: [time, count].filter((part) => typeof part !== 'string'),
  };
}

/** A missing part (a finding) becomes an empty string; the statement is discarded because of the finding. */
function sqlOf(part: string | LqlFinding): string {
  return typeof part === 'string' ? part : '';
}

function timestampSql({ resolve, table }: StatementScope, span: TextSpan): string | LqlFinding {
  const value = resolve({ segments: ['timestamp'], span });
  const sql = isFault(value) ? undefined : timeSql(value);
  if (sql === undefined || isFault(value)) {
    return findingAt(span, {
      code: 'lql.column_unknown',
      message: `a chart requires the column timestamp, of a date or time type, and ${table.name} has none`,
    });
  }
  // A Date has no time of day, so sub-day buckets need a DateTime64.
  return isDateTime(parseType(value.type.name)) ? sql : `toDateTime64(${sql}, 3, 'UTC')`;
}

function aggregateSql(aggregate: Aggregate, { resolve }: StatementScope, time: string): string | LqlFinding {
  const { path } = aggregate;
  if (path === undefined) return wholeRowSql(aggregate, time);
  const value = resolve(path);
  if (isFault(value)) return value;
  const sql = valueSql(aggregate.function, value);
  return typeof sql === 'string' ? sql : findingAt(path.span, sql);
}

/** `*`: counts rows; `countd` uses the timestamp. */
function wholeRowSql({ function: name, span }: Aggregate, time: string): string | LqlFinding {
  if (name === 'count') return 'count()';
  if (name === 'countd') return `uniqExact(${time})`;
  return findingAt(span, {
    code: 'lql.chart_invalid',
    message: `${name} requires a numeric path`,
    hint: `such as c:${name}(m.latency)`,
  });
}

function valueSql(name: AggregateFunction, value: FieldExpression): string | Fault {
  if (name === 'count') return `countIf(NOT (${value.missing}))`;
  if (name === 'countd') {
    return `uniqExact(${value.type.kind === 'dynamic' ? (textSql(value) ?? value.sql) : value.sql})`;
  }
  const sql =
    numberSql(value) ?? (ORDERED_ONLY.has(name) && value.type.kind === 'time' ? value.sql : undefined);
  return sql === undefined ? notNumber(name, value) : `${FUNCTIONS[name]}(${sql})`;
}

const FUNCTIONS: Readonly<Record<Exclude<AggregateFunction, 'count' | 'countd'>, string>> = {
  avg: 'avg',
  sum: 'sum',
  min: 'min',
  max: 'max',
  p50: 'quantile(0.50)',
  p95: 'quantile(0.95)',
  p99: 'quantile(0.99)',
};

/** Aggregates that also apply to times. */
const ORDERED_ONLY: ReadonlySet<AggregateFunction> = new Set(['min', 'max']);

function notNumber(name: AggregateFunction, { type }: FieldExpression): Fault {
  return {
    code: 'lql.type_mismatch',
    message: `${name} requires a number, not a value of type ${type.name}`,
    hint: 'use count or countd, or a numeric path',
  };
}
