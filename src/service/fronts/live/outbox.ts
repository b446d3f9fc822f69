// What one stream has still to send: a short message, and the way from the state that it sent last to the newest one.
import { OPENING } from './event.ts';
import type { History } from './history.ts';

/** Counts of what was sent, and of states that were left out because newer ones came first. */
export interface Sent {
  readonly events: number;
  readonly coalesced: number;
  readonly bytes: number;
}

export interface Outbox {
  readonly sent: Sent;
  /** Goes on with another history, after the state with this number; 0 has nothing. */
  follow(history: History, from: number): void;
  /** Sends this before any new state, and instead of an earlier message; whether it will be sent. */
  say(message: Buffer, when?: 'if nothing else'): boolean;
  /** Sends no more states. False: it was closed already. */
  close(): boolean;
  next(): Buffer | undefined;
  /** What comes next has no data: it may be sent without a check of the key. */
  readonly isUnconditional: () => boolean;
  /** Closed, and everything is sent. */
  readonly isEmpty: () => boolean;
}

export function createOutbox(): Outbox {
  const sent = { events: 0, coalesced: 0, bytes: 0 };
  let history: History | undefined;
  let number = 0;
  let messages: Buffer[] = [OPENING];
  let isClosed = false;

  const state = (): Buffer | undefined => {
    if (isClosed || history === undefined || number === history.newest()) return undefined;
    const event = history.since(number);
    sent.coalesced += number === 0 ? 0 : history.newest() - number - 1;
    number = history.newest();
    if (event !== undefined) sent.events++;
    return event;
  };

  return {
    sent,
    follow: (next, from) => {
      history = next;
      number = from;
    },
    say: (message, when) => {
      if (isClosed || (when !== undefined && messages.length > 0)) return false;
      messages = [...messages.filter((each) => each === OPENING), message];
      return true;
    },
    close: () => {
      const wasClosed = isClosed;
      isClosed = true;
      return !wasClosed;
    },
    next: () => {
      const buffer = messages.shift() ?? state();
      sent.bytes += buffer?.length ?? 0;
      return buffer;
    },
    isUnconditional: () => isClosed || messages[0] === OPENING,
    isEmpty: () => isClosed && messages.length === 0,
  };
}
