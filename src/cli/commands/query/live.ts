// `millrace query --live`: prints the events of a live call as they arrive, and reconnects.
import type { After } from '../../../sql/base/clock.ts';
import { csvHeader, csvRows } from '../../../service/formats/csv.ts';
import { elementsOf, membersOf, namesOf, plainText } from '../../../service/formats/members.ts';
import { CommandError, noteError } from '../../kit/command-error.ts';
import { count } from '../../findings/findings.ts';
import { problemIn, membersIn } from '../../kit/service-client.ts';
import { renderTable } from '../../kit/table.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { eventsOf, type EventFields } from './events.ts';
import { printRows } from './print.ts';
import { problemError } from './problem-error.ts';
import type { QueryOutput } from './reply.ts';

/** The bytes of a stream that continues after an event. Rejects with LostError if it may succeed later. */
export type Connect = (lastEventId: string | undefined) => Promise<AsyncIterable<Uint8Array>>;

/** There is no stream now. */
export class LostError extends CommandError {
  readonly waitMs: number;

  constructor(message: string, waitMs: number, cause?: unknown) {
    super(message, { cause, details: cause instanceof CommandError ? cause.details : [] });
    this.waitMs = waitMs;
  }
}

export interface FollowOptions {
  readonly endpoint: string;
  readonly output: QueryOutput;
  /** Ends it without an error. */
  readonly signal: AbortSignal;
  readonly after: After;
}

/** Times between attempts, whatever a service says. */
const [LEAST_MS, DEFAULT_MS, MOST_MS] = [500, 2000, 300_000];

interface Position {
  lastEventId: string | undefined;
  retryMs: number;
}

/** Prints events until the signal aborts. Rejects with CommandError when the stream has ended for good. */
export async function follow(connect: Connect, options: FollowOptions, terminal: Terminal): Promise<void> {
  const { signal, after } = options;
  const position: Position = { lastEventId: undefined, retryMs: DEFAULT_MS };
  const show = showOf(options.output, terminal);
  const reading = { ...options, show, note: terminal.note };
  while (!signal.aborted) {
    let waitMs = 0;
    try {
      await readAll(await connect(position.lastEventId), position, reading);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof LostError) || position.lastEventId === undefined) throw error;
      ({ waitMs } = error);
      noteError(error, terminal);
    }
    const ms = Math.min(MOST_MS, Math.max(LEAST_MS, position.retryMs, waitMs));
    if (!signal.aborted) terminal.note(`Connects again in ${(ms / 1000).toFixed(1)} s`);
    await wait(ms, signal, after);
  }
}

/** Until the stream ends, or the signal aborts. Rejects with CommandError. */
async function readAll(
  chunks: AsyncIterable<Uint8Array>,
  position: Position,
  reading: EventReading,
): Promise<void> {
  try {
    for await (const event of eventsOf(chunks)) {
      if (reading.signal.aborted) return;
      read(event, position, reading);
    }
  } catch (error) {
    throw error instanceof RangeError ? new CommandError(error.message, { cause: error }) : error;
  }
}

/** Resolves early if the signal aborts. */
async function wait(ms: number, signal: AbortSignal, after: After): Promise<void> {
  if (signal.aborted) return;
  let stop: (() => void) | undefined;
  await new Promise<void>((resolve) => {
    const cancel = after(ms, resolve);
    stop = () => {
      cancel();
      resolve();
    };
    signal.addEventListener('abort', stop);
  });
  if (stop !== undefined) signal.removeEventListener('abort', stop);
}

interface EventReading extends Pick<FollowOptions, 'endpoint' | 'signal'>, Pick<Terminal, 'note'> {
  readonly show: Show;
}

/** Throws CommandError if nothing comes after the event. */
function read(fields: EventFields, position: Position, { endpoint, show, note }: EventReading): void {
  const { event = '', id, retry, data = '{}' } = fields;
  if (retry !== undefined && /^\d{1,9}$/.test(retry)) position.retryMs = Number(retry);
  if (id !== undefined) position.lastEventId = id;
  switch (event) {
    case 'result':
    case 'rows': {
      const rows = rowsIn(data);
      show(event, rows);
      return note(event === 'rows' ? count(rows.length, 'new row') : count(rows.length, 'row'));
    }
    case 'error': {
      const problem = problemIn(Buffer.from(data));
      const error =
        problem === undefined ? new CommandError('The result is not known') : problemError(problem);
      if (!(Number(membersIn(Buffer.from(data))['status']) >= 502)) throw error;
      return noteError(error, { note });
    }
    case 'end':
      return ended(String(membersIn(Buffer.from(data))['reason']), endpoint, note);
    default: // a comment, or an event of a newer service
  }
}

function ended(reason: string, endpoint: string, note: Terminal['note']): void {
  if (reason === 'shutdown') return note('The service stops');
  throw new CommandError(
    reason === 'key'
      ? `The key has ended, or may not call ${endpoint} any more`
      : `${endpoint}, or its live calls, have been removed`,
  );
}

/** The rows, each as JSON. Throws CommandError. */
function rowsIn(data: string): readonly string[] {
  if (!Array.isArray(membersIn(Buffer.from(data))['result']))
    throw new CommandError('The event has no rows: this is not a Millrace service');
  return elementsOf(membersOf(data).find(({ name }) => name === 'result')?.value ?? '');
}

/** Prints the rows of an event: the whole result, or those that are new. */
type Show = (event: 'result' | 'rows', rows: readonly string[]) => void;

function showOf(output: QueryOutput, terminal: Terminal): Show {
  switch (output) {
    case 'json':
      return (_, rows) => printRows(rows, 'json', terminal);
    case 'csv': {
      let isFirst = true;
      return (event, rows) => {
        const [first] = rows;
        if (first === undefined) return;
        const lines = Buffer.from(rows.map((row) => `${row}\n`).join(''));
        const header = isFirst || event === 'result' ? csvHeader(namesOf(first)).toString() : '';
        isFirst = false;
        terminal.write(header + csvRows(lines).toString());
      };
    }
    case 'table':
      return showTables(terminal);
  }
}

/** New rows continue the table before. */
function showTables({ print }: Terminal): Show {
  let widths: readonly number[] = [];
  let names: readonly string[] = [];
  return (event, rows) => {
    const [first] = rows;
    if (first === undefined) return;
    const before = names;
    names = membersOf(first).map(({ name }) => name);
    const continues = event === 'rows' && names.join('\n') === before.join('\n');
    const header = continues ? names.map((name, index) => name.padEnd(widths[index] ?? 0)) : names;
    const cells = rows.map((row) => membersOf(row).map(({ value }) => plainText(value)));
    const lines = renderTable([header, ...cells]);
    widths = (lines[1] ?? '').split('  ').map((dashes) => dashes.length);
    if (!continues && before.length > 0) print('');
    for (const line of continues ? lines.slice(2) : lines) print(line);
  };
}
