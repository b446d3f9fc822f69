// Watches as the API and the admin listener show them.
import { durationText } from '../config/duration.ts';
import { watchId } from './advance.ts';
import type { WatchTarget } from './look.ts';
import { stateOf, type Outgoing, type WatchRecord } from './record.ts';

/** A watch and its state; one without a record was not looked at yet. */
export function describeWatch({ endpoint, watch }: WatchTarget, record: WatchRecord | undefined): object {
  const groups = Object.values(record?.groups ?? {}).filter(({ phase }) => phase !== 'over');
  return {
    watch: watchId(endpoint.name, watch),
    endpoint: endpoint.name,
    name: watch.name,
    as: watch.as,
    every: durationText(watch.every),
    when: watch.condition.text,
    ...(watch.for === 0 ? {} : { for: durationText(watch.for) }),
    notify: watch.notify,
    state: record === undefined ? 'unknown' : stateOf(record),
    ...(record === undefined ? {} : { since: timeOf(record.since) }),
    ...(record?.problem === undefined ? {} : { code: record.code, problem: record.problem }),
    groups: groups.map(({ group, phase, since, text }) => ({ group, state: phase, since: timeOf(since), message: text })), // prettier-ignore
    waiting: record?.outbox.length ?? 0,
    dead: record?.dead.length ?? 0,
    changes: (record?.changes ?? []).map(({ at, state, group }) => ({
      at: timeOf(at),
      state: state === 'over' ? 'resolved' : state,
      ...(group === undefined ? {} : { group }),
    })),
  };
}

/** A message that waits, or was given up. */
export function describeMessage({
  message,
  channel,
  attempts,
  due,
}: Outgoing & { readonly reason?: string }): object {
  const { id, watch, kind, text, at } = message;
  return { id, watch, channel, event: kind, message: text, at: timeOf(at), attempts, due: timeOf(due) };
}

const timeOf = (ms: number): string => new Date(ms).toISOString();
