// One open stream of a live call: what its transport has still to send. Nothing is queued: a reader that is slow gets the
// newest state when it is ready again.
import type { Problem } from '../../core/problem.ts';
import { endEvent, errorEvent, HEARTBEAT, OPENING, type EndReason } from './event.ts';
import type { History } from './history.ts';
import type { Question } from './question.ts';

/** A stream as its transport sees it. */
export interface LiveStream {
  /** The next bytes to send, once those before have been accepted by the network; undefined: none now. */
  take(): Buffer | undefined;
  /** Nothing more comes: the response ends. */
  readonly isEnded: () => boolean;
  /** Calls back when there may be bytes to take, and when the connection must be cut. Replaces the listener. */
  listen(listener: (event: 'ready' | 'cut') => void): void;
  /** The client has gone. */
  leave(): void;
}

/** Why a stream ended. */
export type EndedBecause = EndReason | 'client' | 'error' | 'slow' | 'full';

/** What the stream needs from those who own it. */
export interface StreamOwner {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** The key has to be checked before anything else is sent. */
  recheck(stream: OpenStream): void;
  /** Called once; the stream sends nothing more that is new. */
  ended(stream: OpenStream, because: EndedBecause): void;
  /** `buffer` is in use by this stream, instead of `before`. */
  hold(buffer: Buffer | undefined, before: Buffer | undefined): void;
}

/** A stream as the service sees it. */
export interface OpenStream extends LiveStream {
  /** As last admitted. */
  question: Question;
  readonly opened: number;
  /** Counts of what was sent, and of states that were left out because newer ones came first. */
  readonly sent: { events: number; coalesced: number; bytes: number };
  /** Follows another history, from the state with this number: 0 has nothing. */
  follow(history: History, from: number): void;
  /** There may be something to take. */
  wake(): void;
  heartbeat(): void;
  /** Milliseconds since something was sent. */
  readonly quietFor: () => number;
  fail(problem: Problem, isLast: boolean): void;
  end(reason: EndReason, retryMs?: number): void;
  /** Ends it without another word, also if its reader takes nothing. */
  cut(because: EndedBecause): void;
  /** Milliseconds since its reader stopped taking; 0 if it waits for more. */
  readonly stalledFor: () => number;
}

export function createStream(first: Question, owner: StreamOwner): OpenStream {
  const sent = { events: 0, coalesced: 0, bytes: 0 };
  const opened = owner.now();
  let history: History | undefined;
  let number = 0;
  let control: Buffer[] = [OPENING];
  let held: Buffer | undefined;
  let sentAt = opened;
  let takenAt: number | undefined = opened; // undefined: the reader waits for more
  let isLast = false; // after what is in `control`
  let isGone = false;
  let listener: (event: 'ready' | 'cut') => void = () => undefined;

  const hold = (buffer: Buffer | undefined): void => {
    owner.hold(buffer, held);
    held = buffer;
  };
  const close = (because: EndedBecause): void => {
    if (isLast || isGone) return;
    isLast = true;
    owner.ended(stream, because);
  };
  const state = (): Buffer | undefined => {
    if (history === undefined || number === history.newest()) return undefined;
    const event = history.since(number);
    sent.coalesced += number === 0 ? 0 : history.newest() - number - 1;
    number = history.newest();
    if (event !== undefined) sent.events++;
    return event;
  };
  const next = (): Buffer | undefined => {
    if (isLast || sent.bytes === 0) return control.shift();
    if (stream.question.isCurrent()) return control.shift() ?? state();
    owner.recheck(stream);
    return undefined;
  };
  /** Instead of anything but the first line. */
  const say = (event: Buffer): void => {
    control = [...control.filter((each) => each === OPENING), event];
  };
  const wake = (): void => {
    if (takenAt === undefined) listener('ready');
  };

  const stream: OpenStream = {
    question: first,
    opened,
    sent,
    take: () => {
      const buffer = isGone ? undefined : next();
      hold(buffer);
      takenAt = buffer === undefined ? undefined : owner.now();
      sentAt = takenAt ?? sentAt;
      sent.bytes += buffer?.length ?? 0;
      return buffer;
    },
    isEnded: () => isGone || (isLast && control.length === 0),
    listen: (each) => {
      listener = each;
    },
    leave: () => {
      close('client');
      isGone = true;
      hold(undefined);
    },
    follow: (next, from) => {
      history = next;
      number = from;
    },
    wake,
    heartbeat: () => {
      if (takenAt !== undefined || control.length > 0) return;
      control = [HEARTBEAT];
      wake();
    },
    fail: (problem, isFinal) => {
      if (isLast) return;
      say(errorEvent(problem, stream.question.requester.requestId));
      if (isFinal) close('error');
      wake();
    },
    end: (reason, retryMs) => {
      if (isLast) return;
      say(endEvent(reason, retryMs));
      close(reason);
      wake();
    },
    cut: (because) => {
      close(because);
      isGone = true;
      hold(undefined);
      listener('cut');
    },
    quietFor: () => owner.now() - sentAt,
    stalledFor: () => (takenAt === undefined ? 0 : owner.now() - takenAt),
  };
  return stream;
}
