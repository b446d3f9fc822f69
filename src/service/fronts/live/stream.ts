// One open stream of a live call: what its transport has still to send. Nothing is queued: a reader that is slow gets the
// newest state when it is ready again.
import type { Problem } from '../../../sql/base/problem.ts';
import { endEvent, errorEvent, HEARTBEAT, type EndReason } from './event.ts';
import type { History } from './history.ts';
import { createOutbox, type Sent } from './outbox.ts';
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
  recheck(stream: OpenStream): undefined;
  /** Called once; the stream sends nothing more that is new. */
  ended(stream: OpenStream, because: EndedBecause): void;
  /** `buffer` is in use by this stream, instead of `before`. */
  hold(buffer: Buffer | undefined, before: Buffer | undefined): void;
}

/** A stream as the service sees it. */
export interface OpenStream extends LiveStream {
  /** As last admitted. */
  question: Question;
  /** The key that opened it. */
  readonly key: string;
  /** Why it ended, if its call may not be made any more. */
  cause: Problem | undefined;
  readonly opened: number;
  readonly sent: Sent;
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

const SILENT = (): void => undefined;

export function createStream(first: Question, owner: StreamOwner): OpenStream {
  const opened = owner.now();
  const box = createOutbox();
  let held: Buffer | undefined;
  const { took, isWaiting, ...pace } = createPace(owner.now);
  let isGone = false;
  let listener: (event: 'ready' | 'cut') => void = SILENT;

  const hold = (buffer: Buffer | undefined): void => {
    owner.hold(buffer, held);
    held = buffer;
  };
  const close = (because: EndedBecause): void => {
    if (!isGone && box.close()) owner.ended(stream, because);
  };
  const next = (): Buffer | undefined => {
    if (box.isUnconditional() || stream.question.isCurrent()) return box.next();
    return owner.recheck(stream);
  };
  const wake = (): void => {
    if (isWaiting()) listener('ready');
  };
  const finish = (message: Buffer, because: EndedBecause | undefined): void => {
    box.say(message);
    if (because !== undefined) close(because);
    wake();
  };
  const leave = (because: EndedBecause): void => {
    close(because);
    isGone = true;
    hold(undefined);
  };

  const stream: OpenStream = {
    ...begun(first),
    opened,
    sent: box.sent,
    take: () => {
      const buffer = isGone ? undefined : next();
      hold(buffer);
      took(buffer !== undefined);
      return buffer;
    },
    isEnded: () => isGone || box.isEmpty(),
    listen: (each) => void (listener = each),
    leave: () => leave('client'),
    follow: box.follow,
    wake,
    heartbeat: () => {
      if (isWaiting() && box.say(HEARTBEAT, 'if nothing else')) wake();
    },
    fail: (problem, isFinal) =>
      finish(errorEvent(problem, stream.question.requester.requestId), isFinal ? 'error' : undefined),
    end: (reason, retryMs) => finish(endEvent(reason, retryMs), reason),
    cut: (because) => {
      leave(because);
      listener('cut');
    },
    ...pace,
  };
  return stream;
}

function begun(question: Question): Pick<OpenStream, 'question' | 'key' | 'cause'> {
  return { question, key: question.requester.key, cause: undefined };
}

/** When a reader took something. */
function createPace(now: () => number) {
  let sentAt = now();
  let takenAt: number | undefined = sentAt; // undefined: the reader waits for more
  return {
    /** Something, or nothing since there was nothing. */
    took: (isSomething: boolean): void => {
      takenAt = isSomething ? now() : undefined;
      sentAt = takenAt ?? sentAt;
    },
    isWaiting: () => takenAt === undefined,
    quietFor: () => now() - sentAt,
    stalledFor: () => (takenAt === undefined ? 0 : now() - takenAt),
  };
}
