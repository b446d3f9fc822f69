// The state of a watch as it is stored: its groups, what was sent, and what waits to be sent.
import type { JsonRow } from '../../sql/condition/condition.ts';
import type { Message } from '../channels/message.ts';

export type WatchStatus = 'ok' | 'no_data' | 'failing';

/** `over`: the condition has ended, and `quiet` has not. */
export type Phase = 'pending' | 'firing' | 'over';

export interface GroupState {
  readonly group: JsonRow;
  readonly values: JsonRow;
  readonly text: string;
  readonly phase: Phase;
  /** Times are milliseconds since 1970. */
  readonly since: number;
  /** A message that it is firing was stored to be sent. */
  readonly isNotified: boolean;
  /** The next message that it is firing is sent at this time, or later. */
  readonly quietUntil: number;
}

/** A message for a channel. */
export interface Outgoing {
  readonly message: Message;
  readonly channel: string;
  readonly attempts: number;
  /** It is sent at this time, or later. */
  readonly due: number;
}

/** A message that was given up. */
export interface DeadLetter extends Outgoing {
  readonly reason: string;
  readonly since: number;
}

export interface Change {
  readonly at: number;
  readonly state: WatchStatus | Phase;
  readonly group?: JsonRow;
}

export interface WatchRecord {
  /** Endpoint and watch. */
  readonly id: string;
  readonly status: WatchStatus;
  readonly since: number;
  /** Looks that failed, one after the other. */
  readonly failures: number;
  readonly code?: string | undefined;
  readonly problem?: string | undefined;
  /** A message about the status was stored to be sent. */
  readonly isNotified: boolean;
  /** A message that there are no rows was stored to be sent, and none that there are again: looks that fail in between do not end it. */
  readonly isNoDataOpen?: boolean;
  /** The last look that is known to have been made; those that change nothing are not stored. */
  readonly looked: number;
  readonly groups: Readonly<Record<string, GroupState>>;
  /** The channels of the watch when it last had a message. */
  readonly notify: readonly string[];
  /** Since when it is in no file; undefined: it is in one. */
  readonly orphaned?: number | undefined;
  readonly outbox: readonly Outgoing[];
  readonly dead: readonly DeadLetter[];
  /** The newest are the last. */
  readonly changes: readonly Change[];
}

export function newRecord(id: string, now: number): WatchRecord {
  return {
    id,
    status: 'ok',
    since: now,
    failures: 0,
    isNotified: false,
    looked: now,
    groups: {},
    notify: [],
    outbox: [],
    dead: [],
    changes: [],
  };
}

/** The state to show: the most severe. */
export function stateOf({ status, groups }: WatchRecord): WatchStatus | 'pending' | 'firing' {
  if (status === 'failing') return status;
  const phases = new Set(Object.values(groups).map(({ phase }) => phase));
  if (phases.has('firing')) return 'firing';
  return phases.has('pending') ? 'pending' : status;
}

const MAX_CHANGES = 100;

export function withChanges(record: WatchRecord, changes: readonly Change[]): WatchRecord {
  return { ...record, changes: [...record.changes, ...changes].slice(-MAX_CHANGES) };
}
