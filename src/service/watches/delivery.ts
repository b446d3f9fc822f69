// Sends the messages that wait. Each was stored with its id before: after a crash it is sent again with the same one.
import type { Clock } from '../../sql/base/clock.ts';
import type { Observe } from '../../sql/base/observation.ts';
import { ChannelError } from '../channels/channel-error.ts';
import type { Channel } from '../channels/message.ts';
import { createTurns } from '../request/limits/turns.ts';
import type { DeadLetter, Outgoing, WatchRecord } from './record.ts';
import type { Records } from './records.ts';

export interface DeliveryDeps {
  readonly records: Records;
  readonly channels: () => ReadonlyMap<string, Channel>;
  readonly clock: Clock;
  readonly observe: Observe;
  /** From 0 to 1. */
  readonly random: () => number;
}

export interface Delivery {
  /** Begins to send what is due. */
  start(): void;
  /** Resolves once nothing is being sent. */
  idle(): Promise<void>;
}

const SENDING = 8;
const SENDING_PER_CHANNEL = 2;
const MAX_ATTEMPTS = 12;
const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 600_000;
const MAX_DEAD = 200;
/** A message that is older, as one that waited behind others, is tried this often. */
const MAX_AGE_MS = 3_600_000;
const LEAST_ATTEMPTS = 3;
/** Messages of a watch that wait for a channel: while it is down, the oldest give way to what is true now. */
const MAX_WAITING = 500;

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { records, clock } = deps;
  const turns = createTurns({ total: SENDING, perLane: SENDING_PER_CHANNEL });
  const sending = new Map<string, Promise<void>>();
  const startOne = (id: string, next: Outgoing): void => {
    const key = `${id}|${next.channel}`;
    if (sending.has(key)) return;
    const own = turns
      .take(next.channel, () => sendOne(deps, id, next))
      .finally(() => {
        sending.delete(key);
      });
    sending.set(key, own);
  };
  return {
    start: () => {
      if (!records.isLeading()) return;
      for (const { id, outbox } of records.all())
        for (const next of firstOfEach(outbox)) if (next.due <= clock.epoch()) startOne(id, next);
    },
    idle: async () => {
      while (sending.size > 0) await Promise.all(sending.values());
    },
  };
}

/** The messages of a watch come to a channel in their order. */
function firstOfEach(outbox: readonly Outgoing[]): readonly Outgoing[] {
  const channels = [...new Set(outbox.map(({ channel }) => channel))];
  return channels.flatMap((channel) => outbox.find((each) => each.channel === channel) ?? []);
}

async function sendOne(deps: DeliveryDeps, id: string, next: Outgoing): Promise<void> {
  const { records, channels, clock, observe } = deps;
  if (!records.isLeading()) return;
  const { message, channel: name } = next;
  const common = { watch: id, channel: name, event: message.kind, id: message.id };
  const started = clock.monotonic();
  try {
    const channel = channels().get(name);
    if (channel === undefined) throw new ChannelError('The settings have no such channel');
    await channel.send(message, clock.epoch());
  } catch (cause) {
    const failed = afterFailure(deps, next, cause);
    const isDead = 'reason' in failed;
    observe({ kind: 'watch.not_notified', ...common, attempts: failed.attempts, isDead, cause });
    await records.update(id, (record) => (isDead ? buried(record, failed) : replaced(record, failed)));
    return;
  }
  await records.update(id, (record) => without(record, next));
  observe({
    kind: 'watch.notified',
    ...common,
    attempts: next.attempts + 1,
    ms: clock.monotonic() - started,
  });
}

function isSame(one: Outgoing, other: Outgoing): boolean {
  return one.message.id === other.message.id;
}

function without(record: WatchRecord, sent: Outgoing): WatchRecord {
  return { ...record, outbox: record.outbox.filter((each) => !isSame(each, sent)) };
}

function replaced(record: WatchRecord, next: Outgoing): WatchRecord {
  return { ...record, outbox: record.outbox.map((each) => (isSame(each, next) ? next : each)) };
}

function buried(record: WatchRecord, letter: DeadLetter): WatchRecord {
  return { ...without(record, letter), dead: [...record.dead, letter].slice(-MAX_DEAD) };
}

/** The record with messages added; those that are too many for a channel are dead letters. */
export function withWaiting(record: WatchRecord, added: readonly Outgoing[], now: number): WatchRecord {
  const counts = new Map<string, number>();
  const kept: Outgoing[] = [];
  const dead: DeadLetter[] = [];
  const reason = `More than ${MAX_WAITING} messages of the watch wait for the channel`;
  for (const each of [...record.outbox, ...added].toReversed()) {
    const count = (counts.get(each.channel) ?? 0) + 1;
    counts.set(each.channel, count);
    if (count <= MAX_WAITING) kept.push(each);
    else dead.push({ ...each, reason, since: now });
  }
  return {
    ...record,
    outbox: kept.toReversed(),
    dead: [...record.dead, ...dead.toReversed()].slice(-MAX_DEAD),
  };
}

function afterFailure(
  { clock, random }: DeliveryDeps,
  next: Outgoing,
  cause: unknown,
): Outgoing | DeadLetter {
  const attempts = next.attempts + 1;
  const now = clock.epoch();
  const reason = cause instanceof ChannelError ? cause.message : 'The message could not be sent';
  const isOld = now - next.message.at >= MAX_AGE_MS && attempts >= LEAST_ATTEMPTS;
  if (attempts >= MAX_ATTEMPTS || isOld) return { ...next, attempts, reason, since: now };
  const asked = cause instanceof ChannelError ? (cause.retryAfter ?? 0) * 1000 : 0;
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1)) * (1 + random() / 4);
  return { ...next, attempts, due: now + Math.max(asked, pause) };
}
