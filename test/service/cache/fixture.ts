// Shared fixtures of the cache tests: payloads that identify their run, policies, real clocks.
import { createSecretKey, randomBytes } from 'node:crypto';
import type { After, Clock } from '../../../src/sql/base/clock.ts';
import type { EntryKey } from '../../../src/service/cache/entry-key.ts';
import { sealEntry, type Entry, type Payload } from '../../../src/service/cache/entry.ts';
import type { FrameTrust } from '../../../src/service/cache/entry-codec.ts';
import { NO_DIRECTIVES, type CachePolicy } from '../../../src/service/cache/freshness.ts';
import type { Ask } from '../../../src/service/cache/read-through.ts';
import type { Observation, Observe } from '../../../src/sql/base/observation.ts';

const CONTENT_TYPE = 'application/json; charset=utf-8';
export const ENTRY_KEY: EntryKey = { secret: createSecretKey(Buffer.alloc(32, 'k')), id: 'k1' };
export const TRUST: FrameTrust = {
  secret: ENTRY_KEY.secret,
  contentTypes: new Set([CONTENT_TYPE, 'text/csv; charset=utf-8; header=present']),
};

export const realClock: Clock = { epoch: () => Date.now(), monotonic: () => performance.now() };

export const realAfter: After = (ms, action) => {
  const timer = setTimeout(action, ms);
  timer.unref();
  return () => clearTimeout(timer);
};

export const POLICY: CachePolicy = { ttl: 100, minRefresh: 10, staleWhileRevalidate: 0, staleIfError: 0 };

export function payload(text: string, size = 0): Payload {
  const body = Buffer.alloc(Math.max(size, Buffer.byteLength(text)), ' ');
  body.write(text);
  return { body, contentType: CONTENT_TYPE, rows: 3, truncated: false };
}

export function textOf(entry: Entry | undefined): string | undefined {
  return entry?.body.toString().trimEnd();
}

export function entryOf(text: string, { clock = realClock, keepMs = 60_000, size = 0 } = {}): Entry {
  return sealEntry(payload(text, size), { epoch: clock.epoch(), monotonic: clock.monotonic() }, keepMs);
}

/** An ask that nothing is special about, changed by `changes`. */
export function askFor(key: string, changes: Partial<Ask> = {}): Ask {
  return {
    key,
    policy: POLICY,
    directives: NO_DIRECTIVES,
    signal: () => new AbortController().signal,
    run: () => Promise.resolve(payload(`${key} answered`)),
    ...changes,
  };
}

/** Collects what is observed. */
export function createWitness(): {
  readonly observe: Observe;
  readonly kinds: () => string[];
  readonly seen: Observation[];
} {
  const seen: Observation[] = [];
  return { observe: (each) => void seen.push(each), kinds: () => seen.map((each) => each.kind), seen };
}

/** A namespace that no other test has. */
export function freshNamespace(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** A promise that is settled from outside. */
export function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (cause: unknown) => void;
} {
  let resolve: (value: T) => void = () => {};
  let reject: (cause: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
