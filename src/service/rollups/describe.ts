// Describes the state of a rollup for operators.
import type { KnownRollup } from './coverage.ts';

export interface DescribedRollup {
  readonly name: string;
  readonly table: string;
  /** It is absent if no version is used. */
  readonly version?: string;
  /** Times from this one, in UTC, are read from the rollup; the end is exclusive. */
  readonly from?: string;
  readonly until?: string;
  /** It says why it is not used. */
  readonly reason?: string;
  /** It says why it is not used for saved, or for consumer queries. */
  readonly hidden?: KnownRollup['hidden'];
}

export function describeRollup({ name, source, inUse, reason, hidden }: KnownRollup): DescribedRollup {
  const table = `${source.database}.${source.table}`;
  if (inUse === undefined) return { name, table, ...(reason === undefined ? {} : { reason }) };
  const { rollup, coverage } = inUse;
  const [from, until] = [timeText(coverage.from), timeText(coverage.until)];
  const isHidden = Object.keys(hidden).length > 0;
  return { name, table, version: rollup.version, from, until, ...(isHidden ? { hidden } : {}) };
}

function timeText(micros: bigint): string {
  return new Date(Number(micros / 1000n)).toISOString();
}
