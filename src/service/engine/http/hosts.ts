// The servers of one engine: health, round-robin selection, and back-off for servers that do not respond.
import { KnownError, type Observe } from '../../../sql/base/observation.ts';
import { EngineError, type HostState } from '../engine.ts';
import type { After } from '../../../sql/base/clock.ts';
import type { Client } from './client.ts';

export interface Host {
  /** `host:port`, for the log. */
  readonly name: string;
  readonly client: Client;
}

export interface Hosts {
  /**
   * The next healthy host in rotation, other than `avoid` if possible. If none is healthy but a check is in progress,
   * waits for it. Rejects with EngineError 'unavailable' if all hosts are down.
   */
  next(avoid?: Host): Promise<Host>;
  /** Reports a failed request: the host is checked and, unless it responds, taken out of rotation. */
  suspect(host: Host, cause: unknown): void;
  /** Returns whether the host responds now. Concurrent callers share one check. */
  answers(host: Host): Promise<boolean>;
  /** Which hosts answer, as last known. */
  readonly states: () => readonly HostState[];
  /** Checks all hosts in rotation, without waiting: a service that has no calls learns of a fault too. */
  check(): void;
  close(): Promise<void>;
}

export interface HostsOptions {
  readonly hosts: readonly Host[];
  /** A host that takes longer to answer a ping counts as down. */
  readonly pingTimeoutMs: number;
  readonly after: After;
  readonly observe: Observe;
  readonly now: () => number;
}

/** Interval between checks of a host that is down; it returns to rotation once it responds. */
const REST_MS = 500;

/** Health of a host. `looked` resolves when the first check has a result. */
type Health =
  | { readonly kind: 'well' }
  | { readonly kind: 'suspected'; readonly looked: Promise<unknown> }
  | { readonly kind: 'resting' };

const WELL: Health = { kind: 'well' };

export function createHosts({ hosts, pingTimeoutMs, after, observe, now }: HostsOptions): Hosts {
  const health = new Map<Host, Health>(hosts.map((host) => [host, WELL]));
  const looks = new Map<Host, Promise<boolean>>();
  const control = new AbortController();
  let turn = 0;

  function answers(host: Host, cause?: unknown): Promise<boolean> {
    const running = looks.get(host);
    if (running !== undefined) return running;
    const looking = look(host, (abort) => after(pingTimeoutMs, abort), control.signal).then((isThere) => {
      looks.delete(host);
      record(host, isThere, cause);
      return isThere;
    });
    looks.set(host, looking);
    return looking;
  }

  function record(host: Host, isThere: boolean, cause: unknown): void {
    const known = health.get(host)?.kind;
    if (isThere && known === 'suspected') health.set(host, WELL);
    if (isThere || known === 'resting') return;
    health.set(host, { kind: 'resting' });
    if (control.signal.aborted) return;
    observe({ kind: 'engine.host_lost', host: host.name, cause: cause ?? silent() });
    rest(host, now());
  }

  function rest(host: Host, since: number): void {
    const again = async (): Promise<void> => {
      if (!(await answers(host))) return rest(host, since);
      health.set(host, WELL);
      observe({ kind: 'engine.host_restored', host: host.name, ms: now() - since });
    };
    if (!control.signal.aborted) after(REST_MS, () => void again());
  }

  const choose = (avoid: Host | undefined): Host | undefined => next(wellOf(hosts, health), avoid, turn++);

  return {
    next: async (avoid) => {
      for (;;) {
        const host = choose(avoid);
        if (host !== undefined) return host;
        const looked = looksIn([...health.values()]);
        if (looked.length === 0) throw noneAvailable(hosts);
        await Promise.race(looked);
      }
    },
    suspect: (host, cause) => {
      if (health.get(host)?.kind !== 'well') return;
      health.set(host, { kind: 'suspected', looked: answers(host, cause) });
    },
    answers,
    states: () => hosts.map((host) => ({ name: host.name, isUp: health.get(host)?.kind !== 'resting' })),
    check: () => {
      if (!control.signal.aborted) for (const host of wellOf(hosts, health)) void answers(host);
    },
    close: async () => {
      control.abort();
      await Promise.all(hosts.map((host) => host.client.close()));
    },
  };
}

function wellOf(hosts: readonly Host[], health: ReadonlyMap<Host, Health>): readonly Host[] {
  return hosts.filter((host) => health.get(host)?.kind === 'well');
}

/** The host whose turn it is, other than `avoid` if there are others. */
function next(well: readonly Host[], avoid: Host | undefined, turn: number): Host | undefined {
  const others = well.filter((host) => host !== avoid);
  const from = others.length > 0 ? others : well;
  return from[turn % from.length];
}

const silent = (): KnownError => new KnownError('it does not respond');

/** Checks that are still running. */
function looksIn(all: readonly Health[]): readonly Promise<unknown>[] {
  return all.flatMap((each) => (each.kind === 'suspected' ? [each.looked] : []));
}

/** Requests `/ping`, which a server answers without authentication and regardless of load. */
async function look(
  host: Host,
  limit: (abort: () => void) => () => void,
  closing: AbortSignal,
): Promise<boolean> {
  const control = new AbortController();
  const abort = (): void => control.abort();
  const cancel = limit(abort);
  closing.addEventListener('abort', abort, { once: true });
  try {
    const { success } = await host.client.ping({ select: false, abort_signal: control.signal });
    return success && !control.signal.aborted;
  } finally {
    cancel();
    closing.removeEventListener('abort', abort);
  }
}

function noneAvailable(hosts: readonly Host[]): EngineError {
  const names = hosts.map(({ name }) => name).join(', ');
  return new EngineError('unavailable', `no server responds: ${names}`);
}
