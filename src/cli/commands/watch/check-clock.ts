// Checks that a query can be run at an earlier time: the clock of the looks, and no other, decides which rows it reads.
import { readingStatements } from '../../../service/endpoints/reading-statements.ts';
import { resolveTables } from '../../../service/endpoints/table-set.ts';
import type { Endpoint } from '../../../service/endpoints/endpoint.ts';
import type { Engine } from '../../../service/engine/engine.ts';
import { readRows } from '../../../service/engine/rows.ts';
import type { Bindings } from '../../../service/params/binder.ts';
import { clockReads } from '../../../sql/clickhouse/clock-reads.ts';
import { fixClock } from '../../../sql/clickhouse/fixed-clock.ts';
import { CommandError } from '../../kit/command-error.ts';
import { selectsOf, type UpperBound } from './time-bounds.ts';

/** Returns the tables whose rows no condition bounds by the time of the look. Rejects with CommandError. */
export async function checkClock(
  endpoint: Endpoint,
  times: readonly Bindings[],
  engine: Engine,
): Promise<readonly string[]> {
  const [first] = times;
  if (first === undefined) return [];
  const { query } = endpoint.variantOf(first);
  const [read] = clockReads(fixClock(query, first.now));
  if (read !== undefined)
    throw clockError(`The query calls ${read.name}, whose result at an earlier time is not known`);
  const { clock } = await resolveTables(engine, readingStatements({ ...endpoint, query }, undefined));
  const late = clock.find(({ table }) => table !== undefined);
  if (late !== undefined)
    throw clockError(`${late.table} reads the clock of the engine (${late.name}), which is always that of now`); // prettier-ignore
  const unbounded = new Set<string>();
  const selects = selectsOf(query);
  let isBounded = false;
  for (const { tables, bounds } of selects) {
    if (await hasBound(bounds, times, engine)) isBounded = true;
    else for (const table of tables) unbounded.add(table);
  }
  if (!isBounded)
    throw clockError('No condition of the query ends with the time of the look: rows that came later would count'); // prettier-ignore
  return [...unbounded];
}

async function hasBound(
  bounds: readonly UpperBound[],
  times: readonly Bindings[],
  engine: Engine,
): Promise<boolean> {
  for (const bound of bounds) {
    const held = await Promise.all(times.map((at) => holdsAt(bound, at, engine)));
    if (held.every(Boolean)) return true;
  }
  return false;
}

/** Returns whether the bound is a time that is not after that of the look. */
async function holdsAt({ text, isExclusive }: UpperBound, at: Bindings, engine: Engine): Promise<boolean> {
  const value = fixClock(text, at.now);
  const sql = `SELECT toTypeName(value), toUnixTimestamp64Milli(toDateTime64(value, 3, 'UTC'))::Float64 FROM (SELECT (${value}) AS value)`;
  const [row] = await readRows(engine, sql, { parameters: at.values }).catch(() => []); // a value that is no time
  const [type, ms] = (row ?? []) as readonly [string?, number?]; // the columns of the query above
  if (type === undefined || typeof ms !== 'number' || !/^(?:LowCardinality\()?(?:Nullable\()?Date/.test(type)) return false; // prettier-ignore
  // A day as an inclusive end has rows that come later on it.
  const isDay = !/DateTime/.test(type);
  return ms <= at.now && (isExclusive || !isDay);
}

function clockError(message: string): CommandError {
  return new CommandError(message, {
    details: [
      'Give the endpoint a parameter that the clock sets, and compare the time of its rows with it:',
      '  parameters: { to: { type: DateTime, default: now, description: Exclusive end. } }',
      '  WHERE timestamp >= @to - INTERVAL 5 MINUTE AND timestamp < @to',
    ],
  });
}
