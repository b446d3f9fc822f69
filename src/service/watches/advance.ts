// The next state of a watch after a look, and the messages about what changed. Pure: the same look at the same time has the same result.
import { createHash } from 'node:crypto';
import type { Message, MessageKind } from '../channels/message.ts';
import type { WatchPolicy } from '../endpoints/watches.ts';
import type { Evaluation, MetGroup } from './evaluation.ts';
import { withChanges, type Change, type GroupState, type WatchRecord } from './record.ts';

export interface Look {
  readonly endpoint: string;
  readonly watch: WatchPolicy;
  readonly evaluation: Evaluation;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A message without an id. */
export type WatchEvent = Omit<Message, 'id'>;

export interface Advanced {
  readonly record: WatchRecord;
  readonly events: readonly WatchEvent[];
  /** False: the record needs not be stored. */
  readonly isChanged: boolean;
}

/** A message is sent after so many looks that failed, one after the other. */
const FAILURES = 3;
/** After a pause of so many looks, what happened in it is not known: the time of `for` begins again. */
const MISSED_LOOKS = 3;
const LEAST_PAUSE_MS = 120_000;
const MAX_QUIET_GROUPS = 1000;

export function advance(record: WatchRecord, look: Look): Advanced {
  return look.evaluation.kind === 'failed'
    ? afterFailure(record, look, look.evaluation)
    : afterRows(record, look, look.evaluation);
}

function afterFailure(
  record: WatchRecord,
  look: Look,
  { code, problem }: Extract<Evaluation, { kind: 'failed' }>,
): Advanced {
  const { now, watch } = look;
  const isFirst = record.status !== 'failing';
  const failures = isFirst ? 1 : record.failures + 1;
  const isDue = failures >= FAILURES && !(record.isNotified && !isFirst);
  const next: WatchRecord = {
    ...record,
    status: 'failing',
    since: isFirst ? now : record.since,
    failures,
    code,
    problem,
    isNotified: isDue || (!isFirst && record.isNotified),
    looked: now,
    orphaned: undefined,
  };
  const text = `The watch ${watch.name} of ${look.endpoint} cannot look since ${new Date(next.since).toISOString()}: ${problem}`;
  return {
    record: isFirst ? withChanges(next, [{ at: now, state: 'failing' }]) : next,
    events: isDue ? [statusEvent(look, 'failing', text)] : [],
    isChanged:
      isFirst || isDue || failures <= FAILURES || record.code !== code || record.orphaned !== undefined,
  };
}

function afterRows(
  record: WatchRecord,
  look: Look,
  { isEmpty, met }: Extract<Evaluation, { kind: 'rows' }>,
): Advanced {
  const { now, watch, endpoint } = look;
  const status = isEmpty ? 'no_data' : 'ok';
  const isNew = record.status !== status;
  const events: WatchEvent[] = [];
  const ended: readonly MessageKind[] = [
    ...(record.status === 'failing' && record.isNotified ? (['failing'] as const) : []),
    ...(record.isNoDataOpen && !isEmpty ? (['no_data'] as const) : []),
  ];
  for (const about of ended)
    events.push(statusEvent(look, 'recovered', `The watch ${watch.name} of ${endpoint} looks at rows again`, about)); // prettier-ignore
  const isNoData = isNew && isEmpty && watch.sendsNoData && !record.isNoDataOpen;
  if (isNoData)
    events.push(statusEvent(look, 'no_data', `${endpoint} has no rows for the watch ${watch.name}`));
  const pause = Math.max(MISSED_LOOKS * watch.every, LEAST_PAUSE_MS);
  const context = { look, hasMissed: now - record.looked > pause };
  const stepped = stepGroups(record.groups, met, context);
  const hasPending = Object.values(stepped.groups).some(({ phase }) => phase === 'pending');
  const isChanged = isNew || stepped.isChanged || hasPending || record.orphaned !== undefined;
  const next: WatchRecord = {
    ...record,
    status,
    since: isNew ? now : record.since,
    failures: 0,
    code: undefined,
    problem: undefined,
    isNotified: isNew ? isNoData : record.isNotified,
    isNoDataOpen: isEmpty && (isNoData || record.isNoDataOpen === true),
    looked: now,
    orphaned: undefined,
    groups: stepped.groups,
  };
  const own: readonly Change[] = isNew ? [{ at: now, state: status }] : [];
  return {
    record: withChanges(next, [...own, ...stepped.changes]),
    events: [...events, ...stepped.events],
    isChanged,
  };
}

interface Stepped {
  readonly groups: Readonly<Record<string, GroupState>>;
  readonly events: readonly WatchEvent[];
  readonly changes: readonly Change[];
  readonly isChanged: boolean;
}

interface StepContext {
  readonly look: Look;
  /** There was no look for some time. */
  readonly hasMissed: boolean;
}

function stepGroups(
  before: WatchRecord['groups'],
  met: ReadonlyMap<string, MetGroup>,
  context: StepContext,
): Stepped {
  const { look } = context;
  const groups = new Map<string, GroupState>();
  const events: WatchEvent[] = [];
  const changes: Change[] = [];
  let isChanged = false;
  for (const [key, found] of met) {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    const { state, isSent } = whileMet(was, found, context);
    groups.set(key, state);
    if (state.phase !== was?.phase) changes.push({ at: look.now, state: state.phase, group: state.group });
    if (isSent) events.push(groupEvent(look, 'firing', state));
    isChanged ||= was === undefined || state.phase !== was.phase || isSent;
  }
  for (const [key, was] of Object.entries(before)) {
    if (groups.has(key)) continue;
    if (was.phase === 'firing' && was.isNotified && look.watch.sendsResolved)
      events.push(groupEvent(look, 'resolved', was));
    if (was.phase !== 'over') changes.push({ at: look.now, state: 'over', group: was.group });
    const isQuiet = was.quietUntil > look.now;
    if (isQuiet) groups.set(key, { ...was, phase: 'over', since: was.phase === 'over' ? was.since : look.now, isNotified: false }); // prettier-ignore
    isChanged ||= was.phase !== 'over' || !isQuiet;
  }
  return { groups: Object.fromEntries(withoutOldest(groups)), events, changes, isChanged };
}

/** Groups that are only remembered since they are quiet are bounded. */
function withoutOldest(groups: ReadonlyMap<string, GroupState>): readonly (readonly [string, GroupState])[] {
  const all = [...groups];
  const over = all.filter(([, { phase }]) => phase === 'over').toSorted(([, a], [, b]) => b.since - a.since);
  const dropped = new Set(over.slice(MAX_QUIET_GROUPS).map(([key]) => key));
  return all.filter(([key]) => !dropped.has(key));
}

function whileMet(
  was: GroupState | undefined,
  { group, values, text }: MetGroup,
  { look: { watch, now }, hasMissed }: StepContext,
): { readonly state: GroupState; readonly isSent: boolean } {
  const isNew = was === undefined || was.phase === 'over' || (was.phase === 'pending' && hasMissed);
  const since = isNew ? now : was.since;
  const quietUntil = was?.quietUntil ?? 0;
  if (was?.phase !== 'firing' && now - since < watch.for)
    return { state: { group, values, text, phase: 'pending', since, isNotified: false, quietUntil }, isSent: false }; // prettier-ignore
  const isNotified = was?.phase === 'firing' && was.isNotified;
  const isSent = !isNotified && now >= quietUntil;
  const firing: GroupState = {
    group,
    values: isNotified ? was.values : values,
    text: isNotified ? was.text : text,
    phase: 'firing',
    since: was?.phase === 'firing' ? was.since : now,
    isNotified: isNotified || isSent,
    quietUntil: isSent ? now + watch.quiet : quietUntil,
  };
  return { state: firing, isSent };
}

/** The messages that end what a watch has reported, if it is removed. */
export function resolveAll({ id, groups }: WatchRecord, now: number): Pick<Advanced, 'events'> {
  const at = id.lastIndexOf('/');
  const look = { endpoint: id.slice(0, at), watch: { name: id.slice(at + 1) }, now };
  const firing = Object.values(groups).filter(({ phase, isNotified }) => phase === 'firing' && isNotified);
  return { events: firing.map((each) => groupEvent(look, 'resolved', each)) };
}

/** A message says this of the look that it is about. */
interface LookName {
  readonly endpoint: string;
  readonly watch: { readonly name: string };
  readonly now: number;
}

function groupEvent(look: LookName, kind: MessageKind, { group, values, text }: GroupState): WatchEvent {
  return {
    ...eventOf(look, kind, incidentOf(look, JSON.stringify(Object.values(group)))),
    group,
    values,
    text,
  };
}

/** About the watch as a whole. */
function statusEvent(look: LookName, kind: MessageKind, text: string, about: string = kind): WatchEvent {
  return { ...eventOf(look, kind, incidentOf(look, `status ${about}`)), group: {}, values: {}, text };
}

function eventOf({ endpoint, watch, now }: LookName, kind: MessageKind, incident: string) {
  return { kind, watch: watchId(endpoint, watch), endpoint, at: now, incident };
}

export function watchId(endpoint: string, { name }: Pick<WatchPolicy, 'name'>): string {
  return `${endpoint}/${name}`;
}

/** The same for all messages about one state of a group: a program that receives several of them has one incident. */
function incidentOf({ endpoint, watch }: Omit<LookName, 'now'>, what: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([endpoint, watch.name, what]))
    .digest('hex');
  return `millrace-${digest.slice(0, 32)}`;
}
