// Collects the states of a watch, each with its begin and end: of the watch as a whole, and of each of its groups.
import type { WatchRecord } from '../../../service/watches/record.ts';

export type SpanState = 'firing' | 'pending' | 'failing' | 'no_data';

/** A time in which a group, or the watch as a whole, was in a state other than `ok`. */
export interface StateSpan {
  /** Undefined: the watch as a whole. */
  readonly group: Readonly<Record<string, unknown>> | undefined;
  readonly state: SpanState;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** Exclusive; that of a state that lasts is the end of the backtest. */
  readonly until: number;
}

/** Collects spans while the record advances. */
export interface Spans {
  add(record: WatchRecord, now: number): void;
  /** Counts the spans that have ended so far. */
  readonly count: () => number;
  end(until: number): readonly StateSpan[];
}

interface OpenSpan {
  readonly group: StateSpan['group'];
  readonly state: SpanState;
  readonly from: number;
}

export function createSpans(): Spans {
  const ended: StateSpan[] = [];
  let open = new Map<string, OpenSpan>();
  const endOthers = (next: ReadonlyMap<string, OpenSpan>, until: number): void => {
    for (const [key, each] of open) if (next.get(key) !== each) ended.push({ ...each, until });
  };
  return {
    add: (record, now) => {
      const next = new Map<string, OpenSpan>();
      for (const each of statesOf(record)) {
        const key = JSON.stringify(each.group === undefined ? null : Object.values(each.group));
        const was = open.get(key);
        next.set(key, was?.state === each.state ? was : { ...each, from: now });
      }
      endOthers(next, now);
      open = next;
    },
    count: () => ended.length,
    end: (until) => {
      endOthers(new Map(), until);
      open = new Map();
      return ended.toSorted((one, other) => one.from - other.from);
    },
  };
}

function* statesOf({ status, groups }: WatchRecord): Iterable<Pick<OpenSpan, 'group' | 'state'>> {
  if (status !== 'ok') yield { group: undefined, state: status };
  for (const { group, phase } of Object.values(groups)) if (phase !== 'over') yield { group, state: phase };
}
