// Describes a version of a rollup for `millrace rollup status`, as data and as a line.
import type { Day } from './compare.ts';

export interface RollupStatus {
  readonly name: string;
  readonly version: string;
  /** If it is `equal`, the version is used for times from `from` to `until`. */
  readonly state: 'not applied' | 'not filled' | 'not used' | 'equal';
  readonly reason?: string;
  /** Times are in UTC; the end is exclusive. */
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly compared?: string;
  /** The numbers of rows of these days differ from the table now. */
  readonly differs?: readonly Day[];
  /** It is false if no file has it. */
  readonly isDeclared?: boolean;
  /** The files have this version. */
  readonly replacedBy?: string;
}

export function statusEvent(status: RollupStatus) {
  return { kind: 'status', text: textOf(status), status } as const;
}

function textOf({
  name,
  version,
  differs = [],
  isDeclared = true,
  replacedBy,
  ...rest
}: RollupStatus): string {
  const reference = `${name}@${version}`;
  const old =
    replacedBy === undefined ? (isDeclared ? undefined : 'in no file') : `replaced by ${name}@${replacedBy}`;
  const parts = [
    ...(old === undefined ? [] : [old]),
    stateText(rest),
    ...(old === undefined ? [] : [`millrace rollup drop ${reference} removes it`]),
    ...(differs.length === 0
      ? []
      : [`differs from its rows on ${daysText(differs)}, which millrace rollup backfill fills again`]),
  ];
  return `${reference}: ${parts.join('; ')}`;
}

function stateText({
  state,
  reason,
  from,
  until,
  compared,
}: Pick<RollupStatus, 'state' | 'reason' | 'from' | 'until' | 'compared'>): string {
  const when = compared === undefined ? '' : `, compared at ${compared}`;
  switch (state) {
    case 'not applied':
      return state;
    case 'not filled':
      return 'applied, not filled';
    case 'not used':
      return `not used: ${reason}${when}`;
    case 'equal':
      return `equal to its rows from ${from} to ${until}${when}`;
  }
}

/** The text is in UTC; the time is in seconds since 1970. */
export function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export function daysText(days: readonly Day[]): string {
  return days.length <= 5 ? days.join(', ') : `${days.length} days from ${days[0]} to ${days.at(-1)}`;
}
