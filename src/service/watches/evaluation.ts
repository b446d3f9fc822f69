// What a look at the rows of an endpoint finds: the groups whose rows meet the condition of a watch.
import type { JsonRow } from '../../sql/condition/condition.ts';
import { ConditionError } from '../../sql/condition/values.ts';
import type { WatchPolicy } from '../endpoints/watches.ts';

/** A group with a row that meets the condition. */
export interface MetGroup {
  readonly group: JsonRow;
  /** Of the columns that the watch names, in the first such row. */
  readonly values: JsonRow;
  readonly text: string;
}

export type Evaluation =
  | { readonly kind: 'rows'; readonly isEmpty: boolean; readonly met: ReadonlyMap<string, MetGroup> }
  | { readonly kind: 'failed'; readonly code: string; readonly problem: string };

const MAX_GROUPS = 200;
const MAX_VALUE_BYTES = 4096;

/** Evaluates the condition for every row. Never throws for what the rows have. */
export function evaluateRows(watch: WatchPolicy, rows: readonly JsonRow[]): Evaluation {
  const met = new Map<string, MetGroup>();
  const [first = {}] = rows;
  const missing =
    rows.length === 0 ? undefined : namedColumns(watch).find((name) => !Object.hasOwn(first, name));
  if (missing !== undefined) return failed('watch.unknown_column', `The result has no column ${missing}`);
  try {
    for (const row of rows) {
      if (watch.condition.test(row) !== true) continue;
      const group = groupOf(row, watch);
      const key = JSON.stringify(Object.values(group));
      if (met.has(key)) continue;
      if (met.size === MAX_GROUPS)
        return failed('watch.too_many_groups', `More than ${MAX_GROUPS} groups meet the condition`);
      met.set(key, { group, values: pick(row, namedColumns(watch)), text: watch.message.textFor(row) });
    }
  } catch (error) {
    if (error instanceof ConditionError) return failed('watch.condition_failed', error.message);
    throw error;
  }
  return { kind: 'rows', isEmpty: rows.length === 0, met };
}

export function failed(code: string, problem: string): Evaluation {
  return { kind: 'failed', code, problem };
}

function namedColumns({ condition, message, groupBy }: WatchPolicy): readonly string[] {
  const named = [...condition.columns, ...message.columns].map(({ name }) => name);
  return [...new Set([...groupBy, ...named])];
}

/** Groups whose values are one number only since JSON rounds them would be one group. Throws ConditionError. */
function groupOf(row: JsonRow, { groupBy }: WatchPolicy): JsonRow {
  for (const name of groupBy)
    if (Number.isInteger(row[name]) && !Number.isSafeInteger(row[name]))
      throw new ConditionError(
        `A value of ${name} in group_by is too large to differ from others: convert it in the query, such as with toString`,
      );
  return pick(row, groupBy);
}

function pick(row: JsonRow, columns: readonly string[]): JsonRow {
  return Object.fromEntries(
    columns.map((name) => [name, bounded(Object.hasOwn(row, name) ? row[name] : null)]),
  );
}

/** A long value is cut, as a text. */
function bounded(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null');
  return text.length > MAX_VALUE_BYTES ? `${text.slice(0, MAX_VALUE_BYTES)}…` : value;
}
