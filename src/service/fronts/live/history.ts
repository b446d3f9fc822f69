// The states of an answer that is followed: the newest one as an event, and the rows that were added on the way to it.
import { resultEvent, rowsEvent } from './event.ts';
import { countKeys, keyedRows, newRows, type KeyCounts } from './new-rows.ts';

/** States are numbered from 1. */
export interface History {
  /** Adds a state, unless it is the newest one already. `id` identifies the body, which is JSON on one line. */
  publish(id: string, body: Buffer): void;
  /** Makes everyone get the newest state once more. */
  repeat(): void;
  /** The number of the newest state; 0: there is none yet. */
  readonly newest: () => number;
  readonly newestId: () => string | undefined;
  /** The number of a state that a caller has; undefined if it is not remembered. */
  readonly numberOf: (id: string) => number | undefined;
  /** The event that leads from a state to the newest one; the same Buffer for all who ask. Undefined: there is nothing to send. */
  readonly since: (number: number) => Buffer | undefined;
  /** Memory, in bytes. */
  readonly bytes: () => number;
}

/** Rows that were added by one state. */
interface Step {
  readonly number: number;
  readonly id: string;
  /** JSON objects separated by commas; undefined: none. */
  readonly rows: Buffer | undefined;
}

const MAX_STEPS = 256;
const MAX_STEP_BYTES = 2 ** 20;
/** Of events that are kept for others who have the same to catch up with. */
const MAX_JOINED_BYTES = 4 * 2 ** 20;
/** Of a key in memory, besides its characters. */
const KEY_BYTES = 64;

/** `columns` identify rows; undefined: events have whole results only. */
export function createHistory(columns: readonly string[] | undefined): History {
  let newest = 0;
  let whole: { readonly id: string; readonly event: Buffer } | undefined;
  let counts: KeyCounts | undefined;
  let steps: Step[] = []; // the newest states, without gaps; the first one may have any rows
  let stepBytes = 0;
  let countBytes = 0;
  const joined = createJoined();

  const restart = (id: string): void => {
    steps = [{ number: newest, id, rows: undefined }];
    stepBytes = 0;
  };

  const add = (id: string, rows: readonly string[]): void => {
    const text = rows.length === 0 ? undefined : Buffer.from(rows.join(','));
    steps.push({ number: newest, id, rows: text });
    stepBytes += text?.length ?? 0;
    while (steps.length > MAX_STEPS || (stepBytes > MAX_STEP_BYTES && steps.length > 1)) {
      steps.shift();
      const [first] = steps;
      if (first === undefined) break;
      stepBytes -= first.rows?.length ?? 0;
      steps[0] = { ...first, rows: undefined };
    }
  };

  const join = (number: number): Buffer | undefined => {
    const first = steps[0]?.number ?? Infinity;
    if (whole === undefined || number < first) return whole?.event;
    const rows = steps.flatMap((step) => (step.number > number && step.rows ? [step.rows] : []));
    if (rows.length === 0) return undefined;
    const event = rowsEvent(whole.id, rows);
    return event.length < whole.event.length ? event : whole.event;
  };

  return {
    publish: (id, body) => {
      if (whole?.id === id) return;
      const keyed = columns && keyedRows(body, columns);
      const added = keyed && counts && newRows(counts, keyed);
      newest++;
      joined.clear();
      whole = { id, event: resultEvent(id, body) };
      counts = keyed && countKeys(keyed.keys);
      countBytes = counts === undefined ? 0 : bytesOfKeys(counts);
      if (added === undefined) restart(id);
      else add(id, added);
    },
    repeat: () => {
      if (whole === undefined) return;
      newest++;
      joined.clear();
      restart(whole.id);
    },
    newest: () => newest,
    newestId: () => whole?.id,
    numberOf: (id) => steps.findLast((step) => step.id === id)?.number,
    since: (number) => (number === newest ? undefined : joined.get(number, () => join(number), whole?.event)),
    bytes: () => (whole?.event.length ?? 0) + stepBytes + countBytes + joined.bytes(),
  };
}

/** The events that lead from states to the newest one; bounded, since each reader may have another state. */
function createJoined() {
  const events = new Map<number, Buffer | undefined>();
  let bytes = 0;
  const clear = (): void => {
    events.clear();
    bytes = 0;
  };
  return {
    clear,
    /** `whole` is counted elsewhere. */
    get: (number: number, join: () => Buffer | undefined, whole: Buffer | undefined): Buffer | undefined => {
      if (events.has(number)) return events.get(number);
      const event = join();
      const length = event === whole ? 0 : (event?.length ?? 0);
      if (bytes + length > MAX_JOINED_BYTES) clear();
      events.set(number, event);
      bytes += length;
      return event;
    },
    bytes: () => bytes,
  };
}

function bytesOfKeys(counts: KeyCounts): number {
  let bytes = 0;
  for (const key of counts.keys()) bytes += key.length + KEY_BYTES;
  return bytes;
}
